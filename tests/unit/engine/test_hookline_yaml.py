"""`hookline.yaml`: one hook for the events of all hosts, in their own words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline import Stance

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
version: 1
hooks:
  - on: tool.before
    tool: shell
    command: {name: rm, flags: [r, f]}
    deny: not here
  - on: tool.before
    tool: edit
    run: ./show.sh
  - {on: session.start, context: use uv}
"""
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("claude-code", "PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -rf x"}}),
    ("codex", "PreToolUse", {"tool_name": "shell", "tool_input": {"command": "rm -rf x"}}),
    (
        "gemini",
        "BeforeTool",
        {"tool_name": "run_shell_command", "tool_input": {"command": "rm -rf x"}},
    ),
    ("docker-agent", "pre_tool_use", {"tool_name": "shell", "tool_input": {"cmd": "rm -rf x"}}),
    ("kimi", "PreToolUse", {"tool_name": "Shell", "tool_input": {"command": "rm -rf x"}}),
]


def discovered(home: Path, text: str = TEXT) -> hookline.Engine:
    """An engine with the user's file."""
    folder = home / ".config" / "hookline"
    folder.mkdir(parents=True)
    (folder / "hookline.yaml").write_text(text, encoding="utf-8")
    script = folder / "show.sh"
    script.write_text("#!/bin/sh\ncat >&2\nexit 2\n", encoding="utf-8")
    script.chmod(0o755)
    project = home / "project"
    project.mkdir()
    return hookline.Engine.discover(project, environ={"HOME": str(home), "PATH": "/usr/bin:/bin"})


@pytest.mark.parametrize(("host", "event", "call"), CALLS, ids=[host for host, *_ in CALLS])
def test_a_guard_of_the_shell_guards_each_host(
    tmp_path: Path, host: str, event: str, call: dict[str, Any]
) -> None:
    """By the kind of the tool, under whatever name the host has for it."""
    decision = discovered(tmp_path).fire(event, call, dialect=host)

    assert (decision.stance, decision.reason) == (Stance.DENY, "not here")


@pytest.mark.process
def test_a_program_beside_the_file_gets_canonical_names(tmp_path: Path) -> None:
    """Tool and input are hookline's, also where the host calls them otherwise."""
    given = {"file_path": "a.py", "old_string": "x", "new_string": "y"}
    call = {"session_id": "s", "cwd": str(tmp_path), "tool_name": "Edit", "tool_input": given}
    decision = discovered(tmp_path).fire("PreToolUse", call, dialect="claude-code")

    assert decision.stance is Stance.DENY
    assert '"tool": "edit"' in decision.reason
    assert '"path": "a.py"' in decision.reason


def test_a_fixed_answer_is_context(tmp_path: Path) -> None:
    """The text is for the model."""
    decision = discovered(tmp_path).fire(
        "SessionStart", {"source": "startup"}, dialect="claude-code"
    )

    assert decision.for_agent == ("use uv",)


def test_a_file_that_cannot_be_read_asks_at_a_host(tmp_path: Path) -> None:
    """Once for a call, with the place of the mistake."""
    engine = discovered(tmp_path, "version: 1\nhoks: []\n")
    decision = engine.fire("PreToolUse", CALLS[0][2], dialect="claude-code")

    assert decision.stance is Stance.ASK
    assert "hookline.yaml:2:1" in decision.reason
    assert len(decision.verdicts) == 1
