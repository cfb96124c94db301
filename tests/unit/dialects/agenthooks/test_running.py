"""Hooks of the format as real processes: their environment and their time limits."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from hookline import Engine, Stance

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.verdict import Decision

pytestmark = pytest.mark.process


def write(
    folder: Path,
    name: str,
    script: str,
    *lines: str,
    trigger: str = "pre-tool-call",
    entry: str = "run.sh",
    mode: int = 0o755,
) -> Path:
    """A hook's folder, below a folder of hooks."""
    scripts = folder / name / "scripts"
    scripts.mkdir(parents=True)
    (scripts / entry).write_text(script, encoding="utf-8")
    (scripts / entry).chmod(mode)
    front = "\n".join(
        ["---", f"name: {name}", "description: d", f"trigger: {trigger}", *lines, "---", ""]
    )
    (folder / name / "HOOK.md").write_text(front, encoding="utf-8")
    return folder


def fire(
    engine: Engine,
    work_dir: Path,
    tool_input: dict[str, Any] | None = None,
    event: str = "pre-tool-call",
) -> Decision:
    """One call of a tool."""
    payload = {
        "event_type": event,
        "session_id": "s-71",
        "work_dir": str(work_dir),
        "tool_name": "Shell",
        "tool_input": tool_input or {},
    }
    return engine.fire(event, payload)


def test_a_hook_runs_where_the_work_is_and_knows_where_it_lies(tmp_path: Path) -> None:
    """The work dir is the current one.

    Four variables are added to what it inherits (docs/formats/agenthooks.md 6).
    """
    script = (
        'printf "%s|" "$PWD" "$AGENT_HOOK_DIR" "$AGENT_HOOK_NAME" "$AGENT_PROJECT_DIR" '
        '"$AGENT_SESSION_ID" "$MINE" >&2; exit 2\n'
    )
    hooks, work = write(tmp_path / "it's a folder", "tell me", script), tmp_path / "the project"
    work.mkdir()
    engine = Engine.load(hooks, environ={"PATH": "/usr/bin:/bin", "MINE": "inherited"})

    assert fire(engine, work).reason == f"{work}|{hooks}/tell me|tell me|{work}|s-71|inherited|"


@pytest.mark.parametrize(
    ("entry", "mode", "script"),
    [
        ("run", 0o755, "#!/bin/sh\nexit 2\n"),
        ("run", 0o644, "#!/bin/sh\nexit 2\n"),
        ("run.sh", 0o644, "[[ a == a ]] && exit 2\n"),
        ("run.sh", 0o755, "[[ a == a ]] && exit 2\n"),
        ("run.py", 0o644, "raise SystemExit(2)\n"),
        ("run.py", 0o755, "raise SystemExit(2)\n"),
        ("run.py", 0o644, "#!/usr/bin/env python3\nraise SystemExit(2)\n"),
    ],
)
def test_every_entry_point_runs(tmp_path: Path, entry: str, mode: int, script: str) -> None:
    """With and without executable bit and shebang (docs/formats/agenthooks.md 6)."""
    write(tmp_path / "hooks", "guard", script, entry=entry, mode=mode)

    assert fire(Engine.load(tmp_path / "hooks"), tmp_path).stance is Stance.DENY


def test_a_folder_called_run_is_passed_over(tmp_path: Path) -> None:
    """Only regular files count."""
    (write(tmp_path / "hooks", "guard", "exit 2\n") / "guard/scripts/run").mkdir()

    assert fire(Engine.load(tmp_path / "hooks"), tmp_path).stance is Stance.DENY


def test_a_hook_that_cannot_start_stops_no_other_hook(tmp_path: Path) -> None:
    """A missing interpreter is a failure of that hook, with a notice.

    The next one still denies, a closed one denies itself.
    """
    hooks = write(tmp_path / "hooks", "a-broken", "#!/no/such/interpreter\n")
    write(hooks, "b-guard", "echo no >&2; exit 2\n")
    decision = fire(Engine.load(hooks), tmp_path)

    assert (decision.stance, decision.reason) == (Stance.DENY, "no")
    assert "hook `a-broken` (" in decision.for_user[0]
    assert "failed: could not be started" in decision.for_user[0]
    closed = write(
        tmp_path / "closed", "closed", "#!/no/such/interpreter\n", "metadata: {fail-mode: closed}"
    )
    reason = fire(Engine.load(closed), tmp_path).reason
    assert reason.startswith("hook `closed` (")
    assert "failed: could not be started" in reason


def test_a_work_dir_that_is_gone_is_said(tmp_path: Path) -> None:
    """The hook runs in a folder that exists, and the user reads that."""
    decision = fire(Engine.load(write(tmp_path / "hooks", "guard", "exit 2\n")), tmp_path / "gone")

    assert decision.stance is Stance.DENY


def test_a_time_limit_bounds_the_whole_tree(tmp_path: Path) -> None:
    """It includes children that hold the pipes (docs/formats/agenthooks.md 10, d)."""
    hooks = write(tmp_path / "hooks", "slow", "trap '' TERM; sleep 30 & sleep 30\n", "timeout: 200")
    began = time.monotonic()
    decision = fire(Engine.load(hooks), tmp_path)

    assert time.monotonic() - began < 0.2 + 1.5 + 0.5
    assert decision.verdicts[0].fault == "timed out after 0.2 s"


def test_a_denial_stands_whatever_is_left_running(tmp_path: Path) -> None:
    """The leader's exit counts, not the end of its output.

    A warning names the hook (docs/formats/agenthooks.md 10, c).
    """
    began = time.monotonic()
    decision = fire(
        Engine.load(write(tmp_path / "hooks", "guard", "sleep 5 & echo no >&2; exit 2\n")), tmp_path
    )

    assert time.monotonic() - began < 3
    assert (decision.stance, decision.reason) == (Stance.DENY, "no")
    assert decision.for_user == (
        "hook `guard` left a background process behind that holds its output",
    )


def test_a_denial_stands_whatever_its_bytes(tmp_path: Path) -> None:
    """What is no UTF-8 is replaced (docs/formats/agenthooks.md 8)."""
    decision = fire(
        Engine.load(write(tmp_path / "hooks", "guard", "printf 'n\\377o' >&2; exit 2\n")), tmp_path
    )

    assert (decision.stance, decision.reason) == (Stance.DENY, "n\ufffdo")


def test_a_hook_need_not_read_what_it_is_sent(tmp_path: Path) -> None:
    """However much it is (docs/formats/agenthooks.md 10, e)."""
    decision = fire(
        Engine.load(write(tmp_path / "hooks", "guard", "exit 2\n")),
        tmp_path,
        {"content": "x" * (4 << 20)},
    )

    assert decision.stance is Stance.DENY


def test_read_takes_the_whole_payload(tmp_path: Path) -> None:
    """One line with a newline, whose escapes `echo` keeps (docs/formats/agenthooks.md 7)."""
    script = (
        'read -r line; echo "$line" | sh -c \'read -r again; echo "$again"\' '
        '>"$AGENT_HOOK_DIR/seen"\n'
    )
    hooks = write(tmp_path / "hooks", "guard", script)
    fire(Engine.load(hooks), tmp_path, {"command": 'printf "a\tb\\n"\n'})

    assert json.loads((hooks / "guard/seen").read_text(encoding="utf-8"))["tool_input"] == {
        "command": 'printf "a\tb\\n"\n'
    }


def test_settings_beside_the_hooks_count_when_their_folder_is_named(tmp_path: Path) -> None:
    """`Engine.load` of a folder takes its `hooks.toml`, too (docs/formats/agenthooks.md 3)."""
    hooks = write(write(tmp_path / "hooks", "off", "exit 2\n"), "guard", "echo checked >&2\n")
    (hooks / "hooks.toml").write_text(
        "[hooks]\ndebug = true\n\n[[hooks.disable]]\nname = 'off'\n", encoding="utf-8"
    )
    decision = fire(Engine.load(hooks), tmp_path)

    assert decision.stance is Stance.SILENT
    assert decision.effects == {"log": ["hook `guard` wrote: checked"]}


@pytest.mark.parametrize(("trust", "stance"), [("user", Stance.DENY), ("all", Stance.SILENT)])
def test_a_project_switches_nothing_off_before_it_is_approved(
    tmp_path: Path, trust: str, stance: Stance
) -> None:
    """A clone's files leave the user's guard alone (docs/formats/agenthooks.md 3, 12)."""
    write(tmp_path / "config/agents/hooks", "guard", "exit 2\n")
    write(tmp_path / "config/agents/hooks", "other", "exit 2\n")
    project = tmp_path / "project"
    mine = write(project / ".agents/hooks", "guard", 'touch "$PWD/ran"\n')
    (mine / "hooks.toml").write_text("[[hooks.disable]]\nname = 'other'\n", encoding="utf-8")
    environ = {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
    }
    engine = Engine.discover(project, trust=trust, environ=environ, dialect="agenthooks")

    assert fire(engine, project).stance is stance
    assert (project / "ran").exists() is (trust == "all")
    ignored = [problem for problem in engine.problems if problem.name == "trust.untrusted"]
    assert [
        "`--trust all`" in problem.hint and "~/.config/agents/hooks/hooks.toml" in problem.hint
        for problem in ignored
    ] == [True] * (trust != "all")


def test_a_stray_file_hides_no_hook(tmp_path: Path) -> None:
    """A HOOK.md beside the folders of a level is ignored (docs/formats/agenthooks.md 3)."""
    level = write(tmp_path / "config/agents/hooks", "guard", "exit 2\n")
    (level / "HOOK.md").write_text(
        (level / "guard/HOOK.md").read_text(encoding="utf-8"), encoding="utf-8"
    )
    environ = {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
    }
    engine = Engine.discover(tmp_path / "project", environ=environ, dialect="agenthooks")

    assert [spec.id for spec in engine.hooks] == ["~/agenthooks/guard"]
    assert engine.problems == ()
