"""Checkup: finds each planted fault once, by its own code.

And nothing that is not approved is run.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookline import Engine
from hookline.engine.approval_service import approve_hooks
from hookline.engine.doctor.checkup import run_checkup
from hookline.engine.doctor.probe import VARIABLE
from hookline.engine.trust_gate import make_gate
from hookline.installation import install_command
from hookline.journal.search import Search

if TYPE_CHECKING:
    from pathlib import Path

_GOOD = "#!/bin/sh\ncat >/dev/null\n"


def _script(folder: Path, name: str, text: str = _GOOD, mode: int = 0o755) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return str(path)


def _engine(*hooks: dict[str, Any], event: str = "pre_tool_use", **settings: Any) -> Engine:
    groups = [
        {
            "matcher": "*",
            "hooks": [{"type": "command", "on_error": "block", **hook} for hook in hooks],
        }
    ]
    return Engine.from_config({"hooks": {event: groups}}, dialect="docker-agent", **settings)


def _names(engine: Engine, **asked: Any) -> list[list[str]]:
    """The names of the problems of each hook."""
    return [
        [finding.name for finding in hook.findings] for hook in run_checkup(engine, **asked).hooks
    ]


@pytest.mark.process
@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("cat >/dev/null", []),
        ("/no/such/program", ["check.missing"]),
        ("python3 /no/such/script.py", ["check.missing"]),
        ('echo Checking; echo \'{"decision": "block"}\'', ["check.noise"]),
        ("echo '{\"decision\": block}'", ["check.not-json"]),
        ('echo \'Welcome {"decision": "block"}\'', ["check.noise"]),
        ("echo 'See {\"name\": 1} and {}'", []),
        ("echo '[see above]'", []),
        ("make -n nothing || true", ["check.unseen"]),
        ("exit 3", ["check.failed"]),
        ("no-such-program-here | cat", ["check.missing"]),
        ("echo no >&2; exit 2", ["check.refuses"]),
        ("kill -9 $$", ["check.failed"]),
    ],
)
def test_what_a_run_tells(command: str, found: list[str], tmp_path: Path) -> None:
    """A fault of a hook that shows when it is run has its own name."""
    with _engine({"command": command}, cwd=tmp_path) as engine:
        assert _names(engine) == [found]


@pytest.mark.process
def test_a_program_that_the_shell_cannot_find_is_named(tmp_path: Path) -> None:
    """The hook exited with 0, and the finding names the program that it needs."""
    with _engine({"command": "no-such-program-here | cat"}, cwd=tmp_path) as engine:
        (hook,) = run_checkup(engine).hooks
    (finding,) = hook.findings

    assert hook.verdict is not None
    assert "`no-such-program-here`" in finding.message
    assert finding.hint.startswith("install `no-such-program-here`")


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "text", "mode", "command", "found"),
    [
        ("a.sh", _GOOD, 0o644, "{}", ["check.not-executable"]),
        ("a.sh", _GOOD, 0o757, "{}", ["check.exposed"]),
        ("a.sh", "#!/no/such/interpreter\n", 0o755, "{}", ["check.interpreter"]),
        ("a.sh", "#!/bin/sh\r\ntrue\r\n", 0o755, "{}", ["check.interpreter"]),
        ("a", "true\n", 0o755, "{}", []),
        ("a.py", "", 0o644, "python3 {}", []),
        ("a.sh", _GOOD, 0o755, "./a.sh", ["check.relative"]),
        ("a.sh", _GOOD, 0o644, "sh a.sh", ["check.relative"]),
    ],
)
def test_what_its_files_tell(
    name: str, text: str, mode: int, command: str, found: list[str], tmp_path: Path
) -> None:
    """A fault of a file that a hook runs has its own name, and is reported once."""
    path = _script(tmp_path, name, text, mode)
    with _engine({"command": command.format(path)}, cwd=tmp_path) as engine:
        assert _names(engine) == [found]


@pytest.mark.process
def test_what_is_slow(tmp_path: Path) -> None:
    """A hook that never ends is ended; the finding tells whose time limit that was."""
    with _engine(
        {"command": "sleep 60", "timeout": 1}, {"command": "sleep 61", "timeout": 60}, cwd=tmp_path
    ) as engine:
        own, ours = (hook.findings[0] for hook in run_checkup(engine, seconds=1).hooks)

    assert (own.name, own.severity) == ("check.timed-out", "error")
    assert (ours.name, ours.severity) == ("check.timed-out", "warning")


@pytest.mark.process
def test_a_guard_that_fails_open(tmp_path: Path) -> None:
    """A guard that permits every call when it fails gets a remark and no error."""
    tree = {
        "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "cat >/dev/null"}]}]}
    }
    with Engine.from_config(tree, dialect="claude-code", cwd=tmp_path) as engine:
        assert _names(engine) == [["check.fails-open"]]


@pytest.mark.process
def test_the_hook_knows_that_it_is_a_test(tmp_path: Path) -> None:
    """An environment variable tells a script that this is a test."""
    with _engine({"command": f'test "${VARIABLE}" = 1'}, cwd=tmp_path) as engine:
        assert _names(engine) == [[]]


def test_what_could_not_be_loaded(tmp_path: Path) -> None:
    """The report shows a broken hook with its problem."""
    with _engine({"command": ""}, cwd=tmp_path) as engine:
        found = run_checkup(engine)

    assert [finding.name for hook in found.hooks for finding in hook.findings] == ["check.broken"]
    assert found.findings == engine.problems


def test_a_file_that_cannot_be_read_is_no_duplicate_of_itself(tmp_path: Path) -> None:
    """Its failed hook stands at many events and duplicates no other hook."""
    path = tmp_path / "hooks.yaml"
    path.write_text("hooks:\n  - on: tool.before\n", encoding="utf-8")
    with Engine.load(path, dialect="docker-agent", cwd=tmp_path) as engine:
        engine.add_source(path, dialect="docker-agent")
        found = run_checkup(engine)

    assert len(found.hooks) > 2
    assert {each.name for hook in found.hooks for each in hook.findings} == {"check.broken"}


@pytest.mark.process
def test_an_address_that_was_called_was_asked(tmp_path: Path) -> None:
    """The report counts the call also if no service answered it."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # and no service listens
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        tree = {"hooks": {"Stop": [{"hooks": [{"type": "http", "url": url}]}]}}
        with Engine.from_config(
            tree, dialect="claude-code", cwd=tmp_path, options={"allow_local": True}
        ) as engine:
            (one,) = run_checkup(engine).hooks

    assert one.verdict is not None
    assert [finding.name for finding in one.findings] == ["check.missing"]


@pytest.mark.process
def test_two_hooks_that_do_the_same(tmp_path: Path) -> None:
    """The finding names the second hook."""
    with _engine(
        {"command": "cat >/dev/null"},
        {"command": "true"},
        {"command": "cat >/dev/null"},
        cwd=tmp_path,
    ) as engine:
        assert _names(engine) == [[], [], ["check.duplicate"]]


class _Journal(Search):
    """A journal of so many events, in which a hook was asked so often."""

    def __init__(self, fired: int, asked: int = 0) -> None:  # it opens no files
        self.numbers = fired, asked
        self.questions: list[tuple[Any, ...]] = []

    def count_events(self, *question: Any) -> int:
        self.questions.append(question)
        return self.numbers[0]

    def count_runs(self, *question: Any) -> int:
        self.questions.append(question)
        return self.numbers[1]


@pytest.mark.process
@pytest.mark.parametrize(
    ("journal", "found"),
    [(_Journal(19), []), (_Journal(20), ["check.never-matched"]), (_Journal(20, 1), [])],
)
def test_what_no_event_ever_selected(journal: _Journal, found: list[str], tmp_path: Path) -> None:
    """Many events of its kind since its file changed, and its matcher fitted none."""
    file = tmp_path / "hooks.yaml"
    file.write_text(
        'hooks: {pre_tool_use: [{matcher: none, hooks: [{type: command, command: "true", '
        "on_error: block}]}]}",
        encoding="utf-8",
    )
    with Engine.load(file, dialect="docker-agent", cwd=tmp_path) as engine:
        assert _names(engine, history=journal) == [found]

    assert journal.questions[0] == ("tool.before", str(tmp_path), file.stat().st_mtime)


@pytest.mark.process
@pytest.mark.parametrize(("approved", "found"), [(True, True), (False, False)])
def test_a_projects_hook_that_no_event_ever_selected(
    approved: bool, found: bool, tmp_path: Path
) -> None:
    """The approval decides whether it may run, not the place of its file."""
    with _guarded(tmp_path, _script(tmp_path, "guard.sh"), matcher="NoSuchTool") as engine:
        if approved:
            approve_hooks(engine, engine.hooks, who="a test", how="test")
        assert ("check.never-matched" in _names(engine, history=_Journal(20))[0]) is found


# -- trust -----------------------------------------------------------------------------------------


def _guarded(tmp_path: Path, script: str, **fields: Any) -> Engine:
    """An engine with a hook of a cloned project, in the state of its approval."""
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    entry = {
        "hooks": {"PreToolUse": [{**fields, "hooks": [{"type": "command", "command": script}]}]}
    }
    (project / ".claude/settings.json").write_text(json.dumps(entry), encoding="utf-8")
    environ = {
        **os.environ,
        "HOME": str(tmp_path / "home"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CONFIG_HOME": str(tmp_path / "c"),
    }
    return Engine.discover(
        project, dialect="claude-code", environ=environ, gate=make_gate(project, environ)
    )


@pytest.mark.process
def test_what_is_not_approved_is_never_run(tmp_path: Path) -> None:
    """Of new, approved and changed only the approved script leaves its mark."""
    mark = tmp_path / "mark"
    script = _script(tmp_path, "guard.sh", f"#!/bin/sh\ncat >/dev/null\necho x >> {mark}\n")
    with _guarded(tmp_path, script) as engine:
        (new,) = run_checkup(engine).hooks
        ran_new = mark.exists()
        approve_hooks(engine, engine.hooks, who="a test", how="test")
        (approved,) = run_checkup(engine).hooks
        ran_approved = mark.read_text(encoding="utf-8")
        _script(tmp_path, "guard.sh", f"#!/bin/sh\necho other >> {mark}\n")
        (changed,) = run_checkup(engine).hooks

    assert (new.state, new.findings[0].name, ran_new) == (
        "new",
        "check.unapproved",
        False,
    )
    assert (approved.state, ran_approved) == ("approved", "x\n")
    assert (changed.state, changed.findings[0].name) == ("changed", "check.changed")
    assert "hookline approve -n" in changed.findings[0].hint
    assert [each.verdict is not None for each in (new, approved, changed)] == [
        False,
        True,
        False,
    ]
    assert mark.read_text(encoding="utf-8") == "x\n"


@pytest.mark.process
def test_an_approved_hook_is_asked_whatever_it_is_for(tmp_path: Path) -> None:
    """The approval includes the matcher."""
    with _guarded(tmp_path, _script(tmp_path, "guard.sh"), matcher="NoSuchTool") as engine:
        approve_hooks(engine, engine.hooks, who="a test", how="test")
        (found,) = run_checkup(engine).hooks

    assert found.verdict is not None
    assert (found.state, found.verdict.fault) == ("approved", None)


@pytest.mark.process
def test_the_first_use_of_ones_own_hook(tmp_path: Path) -> None:
    """A user's hook that never ran does not run here either, which is no fault."""
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    mark = tmp_path / "mark"
    entry = {
        "hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": f"cat > {mark}"}]}]}
    }
    (home / ".claude/settings.json").write_text(json.dumps(entry), encoding="utf-8")
    environ = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    with Engine.discover(
        tmp_path / "home", dialect="claude-code", environ=environ, gate=make_gate(tmp_path, environ)
    ) as engine:
        (found,) = run_checkup(engine).hooks

    assert [(each.name, each.severity) for each in found.findings] == [
        ("check.unapproved", "warning")
    ]
    assert not mark.exists()


def test_what_is_not_approved_is_never_mended(tmp_path: Path) -> None:
    """A finding about such a hook names no file to change."""
    with _guarded(tmp_path, _script(tmp_path, "plain.sh", mode=0o646)) as engine:
        (found,) = run_checkup(engine).hooks

    assert {"check.exposed", "check.not-executable"} <= {each.name for each in found.findings}
    assert [each.path for each in found.findings if each.path] == []


def test_hooks_that_are_switched_off(tmp_path: Path) -> None:
    """The report names the switch."""
    engine = _guarded(tmp_path, "true")
    engine.runtime.gate.get().environ = {**engine.environ, "HOOKLINE": "0"}

    assert "check.off" in [finding.name for finding in run_checkup(engine).findings]


@pytest.mark.parametrize("models", [False, True])
def test_a_judge_without_what_it_needs_is_an_error(
    models: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report names what to install, once, also if the hook is not asked."""
    for name in ("pydantic_ai", "pydantic_ai.direct"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "hookline.handlers.model_hook", raising=False)
    monkeypatch.delattr("hookline.handlers.model_hook", raising=False)
    judge = {"type": "model", "model": "openai/gpt-5", "prompt": "is {{ .tool_name }} harmless?"}
    found = run_checkup(_engine(judge, environ={"OPENAI_API_KEY": "k"}), models=models)

    (missing,) = [finding for finding in found.all_findings if finding.name == "check.missing"]
    assert (missing.severity, missing.hint) == ("error", install_command(extra="model"))
    assert missing.message == "model hooks need `pydantic_ai`, which is not installed"
    assert found.to_dict()["errors"] == 1
