"""`hookline install` shows a diff, asks once, tries the entry, and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.cli import install
from hookline.engine.engine import Engine
from hookline.engine.loader import list_hooks
from hookline.errors import ConfigError
from tests.unit.cli.support import asked

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.bridges.install import Plan
    from tests.unit.cli.support import Desk

GUARD = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 100}]}]}}'

FOREIGN = '{"version": 1, "hooks": {"stop": [{"command": "true", "timeout": 80}]}}'


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The entry is not started; `test_entry` starts it. What would be started is returned."""
    tried: list[str] = []
    monkeypatch.setattr(install, "try_entry", lambda command, *_: tried.append(command))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tried


@pytest.fixture
def settings(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of Claude Code, with a hook of the user."""
    home = desk.folder / "person"
    (home / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    file = home / ".claude/settings.json"
    file.write_text(GUARD)
    return file


def test_install_writes_what_diff_shows(desk: Desk, settings: Path, quick: list[str]) -> None:
    """The hosts of this machine are found; the limit is longer than that of the longest hook.

    What the host runs itself does not count.
    """
    (desk.folder / "person/.cursor").mkdir()
    (desk.folder / "person/.cursor/hooks.json").write_text(FOREIGN)
    shown = desk.type("install", "--diff")
    assert (shown.code, settings.read_text(), quick) == (0, GUARD, [])
    assert "+++" in shown.out

    done = desk.type("install", "--yes", "--json")
    host, cursor = done.document["hosts"]
    assert (done.code, host["host"], host["did"]) == (0, "claude-code", "installed")
    assert host["files"] == [str(settings)]
    assert cursor["host"] == "cursor"
    assert len(quick) == 2
    text = settings.read_text()
    assert ("--deadline 85" in text, '"timeout": 90' in text) == (True, True)

    again = desk.type("install", "claude-code", "--yes", "--json")
    assert again.document["hosts"][0]["did"] == "unchanged"
    assert desk.type("uninstall", "--yes").code == 0
    assert settings.read_text() == GUARD


def test_own_entries_are_no_hooks(desk: Desk, settings: Path) -> None:
    """They are not listed, and no other host's event starts them; your own hook is approved."""
    desk.type("install", "--yes")
    listed = desk.type("list", "--json").document["hooks"]

    assert {(each["name"], each["standing"]) for each in listed} == {
        ("true", "approved"),
        ("own_config.tool.before", "approved"),
    }
    engine = Engine.discover(desk.folder)
    assert len(list(list_hooks(engine.snapshot))) == 2
    assert len(engine.hooks) == 2
    assert settings.read_text() != GUARD


def test_what_a_host_runs_itself_is_said(desk: Desk, settings: Path) -> None:
    """`explain` leaves out what `answer` would leave to the host; other hosts' events have it."""
    assert "runs these itself" not in desk.type("list").out
    desk.type("install", "--yes")
    assert "claude-code runs these itself" in desk.type("list").out

    stop = {"session_id": "s", "hook_event_name": "Stop"}
    for host, left in (("claude-code", True), ("codex", False)):
        told = desk.type("explain", "Stop", "--host", host, "--no-run", stdin=stop)
        assert ("1 hook of claude-code left out" in told.err) is left
        assert ("settings.json#Stop" in told.out) is not left
    assert settings.exists()


@pytest.mark.parametrize(("typed", "code", "did"), [("y\n", 0, "installed"), ("\n", 1, "declined")])
def test_a_person_is_asked_once(
    desk: Desk,
    settings: Path,
    typed: str,
    code: int,
    did: str,
) -> None:
    """For all files together."""
    told = asked(desk, "install", "claude-code", "codex", "--json", typed=typed)

    assert (told.code, {each["did"] for each in told.document["hosts"]}) == (code, {did})
    assert told.err.count("[y/N]") == 1
    assert "write 3 files, and have Codex trust the entries?" in told.err
    assert (settings.read_text() == GUARD) is (did == "declined")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["claude-code"], "HKL3018"),
        (["claud-code", "--yes"], "HKL1007"),
        (["kimi", "--project", "--yes"], "HKL1901"),
        (["codex", "--http", "http://127.0.0.1:1", "--yes"], "HKL1007"),
        (["claude-code", "--http", "http://example.com", "--yes"], "HKL1007"),
        (["--user", "--project", "--yes"], "HKL1007"),
    ],
)
def test_what_cannot_be_done_is_an_error(
    desk: Desk, settings: Path, words: list[str], code: str
) -> None:
    """Nothing is written: without a terminal, for an unknown host, and so on."""
    told = desk.type("install", *words)

    assert (told.code, code in told.err, settings.read_text()) == (2, True, GUARD)


def test_an_agent_cannot_install(
    desk: Desk, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may look."""
    monkeypatch.setenv("CLAUDECODE", "1")

    for command in ("install", "uninstall"):
        told = desk.type(command, "claude-code", "--yes")
        assert (told.code, f"please run `hookline {command} claude-code`" in told.err) == (2, True)
    assert desk.type("install", "claude-code", "--diff").code == 0
    assert settings.read_text() == GUARD


def test_an_entry_that_does_not_run_is_not_written(
    desk: Desk, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host would refuse every call."""

    def fail(*_: object) -> None:
        raise ConfigError("does not run", name="install.trial")

    monkeypatch.setattr(install, "try_entry", fail)
    told = desk.type("install", "claude-code", "--yes")

    assert (told.code, "HKL1905" in told.err, settings.read_text()) == (2, True, GUARD)


def test_a_machine_without_hosts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message lists the hosts."""
    monkeypatch.setenv("HOME", str(desk.folder / "empty"))
    told = desk.type("install", "--yes")

    assert (told.code, "docker-agent" in told.err) == (2, True)


def test_a_host_that_cannot_be_written_does_not_stop_the_next(
    desk: Desk, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has failed, and nothing else: your own hooks are approved as always."""
    apply_plan = install.apply_plan

    def apply(plan: Plan, *given: object, **more: bool) -> None:
        if plan.host.name == "cursor":
            raise ConfigError("the disk is full", name="install.unwritable")
        apply_plan(plan, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(install, "apply_plan", apply)
    told = desk.type("install", "cursor", "claude-code", "--yes", "--json")
    assert told.code == 2
    assert [each["did"] for each in told.document["hosts"]] == ["failed", "installed"]
    assert "the disk is full" in told.err
    assert settings.read_text() != GUARD
    (listed,) = desk.type("list", "--json").document["hooks"]
    assert listed["standing"] == "approved"


def test_a_broken_file_of_one_host_does_not_hide_another(desk: Desk, settings: Path) -> None:
    """It is named with its place; the other host is installed."""
    codex = settings.parents[1] / ".codex/hooks.json"
    codex.parent.mkdir()
    codex.write_text("{")
    told = desk.type("install", "--yes")

    assert (told.code, f"{codex}:1:" in told.err) == (2, True)
    assert (settings.read_text() == GUARD, codex.read_text()) == (False, "{")


def test_the_guard_of_hooks_comes_and_goes(desk: Desk, settings: Path) -> None:
    """`install` adds `own_config` once, and the last `uninstall` takes it out."""
    own = settings.parent.parent / ".config/hookline/hookline.yaml"
    text = "version: 1\nhooks:\n  - {on: stop, note: x}\n"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text, encoding="utf-8")

    told = desk.type("install", "claude-code", "cursor", "--yes")
    assert "own_config is on" in told.out
    assert own.read_text(encoding="utf-8") == f"{text}  - use: own_config\n"
    assert desk.type("uninstall", "cursor", "--yes").code == 0
    assert "own_config" in own.read_text(encoding="utf-8")
    assert "own_config is out" in desk.type("uninstall", "claude-code", "--yes").out
    assert own.read_text(encoding="utf-8") == text

    desk.type("install", "claude-code", "--yes")
    desk.type("remove", "own_config")
    assert desk.type("install", "cursor", "--yes").code == 0
    assert own.read_text(encoding="utf-8") == text
    assert settings.exists()
