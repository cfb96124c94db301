"""Hooks that hookline takes over from a host: moved, run, and moved back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hookline.bridges.entry import Call
from hookline.bridges.hosts import HOSTS
from hookline.bridges.install import apply_plan, plan_install, plan_uninstall
from hookline.bridges.take_over import find_path
from hookline.engine.engine import Engine
from hookline.engine.host_integrations import leave_to_host, list_call_problems
from hookline.errors import ConfigError
from hookline.model.verdict import Stance

CALL = Call(words=("/new/python", "-I", "-m", "hookline"))
FILES = {
    "claude-code": """{
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}
    ],
    "ConfigChange": [{"hooks": [{"type": "command", "command": "true"}]}]
  }
}
""",
    "codex": """{"hooks":{"PreToolUse":[{"hooks":[
  {"type":"command","command":"echo no >&2; exit 2"}]}]}}""",
    "gemini": """{
  // as it was
  "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}
}
""",
    "cursor": '{"version": 1, "hooks": {"preToolUse": [{"command": "echo no >&2; exit 2"}]}}\n',
    "kimi": '# mine\n[[hooks]]\nevent = "PreToolUse"\ncommand = "echo no >&2; exit 2"\n',
    "kimi-code": '# mine\n[[hooks]]\nevent = "PreToolUse"\ncommand = "echo no >&2; exit 2"\n',
    "hermes": """# mine
hooks:
  pre_tool_call:
    - command: sh -c 'echo no >&2; exit 2'
model: big
""",
}
HOST = pytest.mark.parametrize("name", FILES)


class Home:
    """A home in which a host has a hook of the user."""

    def __init__(self, name: str, folder: Path) -> None:
        self.host = HOSTS[name]
        self.folder = folder
        self.environ = {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}
        self.path = Path(self.host.find_file(self.environ))
        self.path.parent.mkdir(parents=True)
        self.path.write_text(FILES[name])
        self.taken = Path(find_path(self.host, self.environ))
        self.take_over()

    def take_over(self) -> None:
        """Install, and take over what is in the host's file."""
        plan = plan_install(self.host, CALL, self.environ, takes_over=True)
        apply_plan(plan, self.environ)

    def uninstall(self) -> str:
        """Take hookline out, and return the host's file."""
        apply_plan(plan_uninstall(self.host, self.environ), self.environ, removes=True)
        return self.path.read_text()

    def engine(self) -> Engine:
        """Return an engine that answers this host."""
        engine = Engine.discover(self.folder, environ=self.environ)
        leave_to_host(engine, self.host.dialect)
        return engine


@HOST
def test_the_hooks_move(name: str, tmp_path: Path) -> None:
    """The host runs hookline alone, and a second time there is nothing to do."""
    home = Home(name, tmp_path)

    assert "echo no" in home.taken.read_text()
    now = home.path.read_text()
    assert "echo no" not in now
    assert "hookline answer" in now
    assert ("mine" in now) == ("mine" in FILES[name])
    assert not plan_install(home.host, CALL, home.environ, takes_over=True).changes
    assert not plan_install(home.host, CALL, home.environ).changes


@pytest.mark.process
@HOST
def test_hookline_runs_them(name: str, tmp_path: Path) -> None:
    """They count although their host calls hookline, which runs no other hook of that host."""
    home = Home(name, tmp_path)
    engine = home.engine()
    gate = next(event for event in home.host.events if event.lower() in (
        "pretooluse", "beforetool", "pre_tool_call"))  # fmt: skip

    decision = engine.fire(gate, {"tool_name": "Bash", "tool_input": {}}, dialect=home.host.dialect)
    assert decision.stance == Stance.DENY
    assert not [each for each in list_call_problems(engine) if each.name == "trust.left-to-host"]


@HOST
def test_they_move_back(name: str, tmp_path: Path) -> None:
    """An uninstallation restores each byte, and the file of hookline is gone."""
    home = Home(name, tmp_path)

    assert home.uninstall() == FILES[name]
    assert not home.taken.exists()


@HOST
def test_they_move_back_as_they_are_now(name: str, tmp_path: Path) -> None:
    """What you changed since in hookline's file is not lost, and nothing is doubled."""
    home = Home(name, tmp_path)
    home.taken.write_text(home.taken.read_text().replace("echo no", "echo never"))

    now = home.uninstall()

    assert now.count("echo never") == 1
    assert "echo no " not in now
    assert "hookline" not in now


def test_what_the_host_changed_since_stays(tmp_path: Path) -> None:
    """They are added to the file as it is now."""
    home = Home("claude-code", tmp_path)
    home.path.write_text(home.path.read_text().replace('"opus"', '"sonnet"'))

    assert json.loads(home.uninstall()) == json.loads(
        FILES["claude-code"].replace('"opus"', '"sonnet"')
    )


def test_a_lost_file_of_the_host_gets_them_too(tmp_path: Path) -> None:
    """Hooks are never only in a file that is removed."""
    home = Home("claude-code", tmp_path)
    home.path.unlink()

    assert json.loads(home.uninstall())["hooks"] == json.loads(FILES["claude-code"])["hooks"]


def test_hooks_that_come_later_are_added(tmp_path: Path) -> None:
    """Another tool writes its hooks into the host's file as before."""
    home = Home("codex", tmp_path)
    tree = json.loads(home.path.read_text())
    tree["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later"}]})
    home.path.write_text(json.dumps(tree))

    home.take_over()

    assert [*json.loads(home.taken.read_text())["hooks"]] == ["PreToolUse", "Stop"]
    assert "later" in home.uninstall()


def test_the_host_calls_at_their_events_too(tmp_path: Path) -> None:
    """Otherwise a hook of a rare event would never run again."""
    home = Home("claude-code", tmp_path)

    assert "ConfigChange" in json.loads(home.path.read_text())["hooks"]


@pytest.mark.parametrize(
    ("name", "project", "why"),
    [
        ("claude-code", "/work", "others use the file of a project"),
        ("copilot", "", "files of their own"),
        ("cline", "", "files of their own"),
        ("pi", "", "files of their own"),
    ],
)
def test_some_hooks_stay_where_they_are(name: str, project: str, why: str, tmp_path: Path) -> None:
    """A project's file is shared, and some hosts keep each hook in a file of its own."""
    with pytest.raises(ConfigError, match=why):
        plan_install(HOSTS[name], CALL, {"HOME": str(tmp_path)}, project, takes_over=True)
