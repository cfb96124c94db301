"""A hook on `shell.before` runs for shell calls of every host (docs/formats/vocabulary.md 4)."""

from __future__ import annotations

from typing import Any

import pytest

import hookline
from hookline.model.tools import facets


@pytest.mark.parametrize(
    ("kind", "tool", "dialect", "narrower"),
    [
        ("tool.before", "Bash", "claude-code", ("shell.before",)),
        ("tool.after", "run_shell_command", "gemini", ("shell.after",)),
        ("tool.before", "apply_patch", "codex", ("file.write.before",)),
        ("tool.before", "Read", "claude-code", ("file.read.before",)),
        ("tool.before", "mcp__git__status", "claude-code", ("mcp.before",)),
        ("tool.before", "mcp_git_status", "gemini", ("mcp.before",)),
        ("tool.before", "MCP:status", "cursor", ("mcp.before",)),
        ("tool.before", "Task", "claude-code", ()),
        ("tool.before", "frobnicate", "", ()),
        ("stop", "Bash", "", ()),
    ],
)
def test_a_call_is_of_narrower_kinds_too(
    kind: str, tool: str, dialect: str, narrower: tuple[str, ...]
) -> None:
    """By what its tool does."""
    assert facets(kind, tool, dialect) == narrower


def guarded() -> hookline.Engine:
    """Cursor's guard of shell commands, and its guard of every call."""
    return hookline.Engine.from_config(
        {
            "version": 1,
            "hooks": {
                "beforeShellExecution": [{"command": "cat >&2; exit 2", "matcher": "curl"}],
                "preToolUse": [{"command": "true"}],
            },
        },
        dialect="cursor",
    )


def asked(decision: Any) -> list[str]:
    """The hooks that were asked."""
    return [verdict.hook_id.partition("#")[2] for verdict in decision.verdicts]


@pytest.mark.process
def test_a_hook_on_shell_commands_is_asked_by_a_host_that_knows_tools_only() -> None:
    """It gets its own format, once, and its denial counts for the call."""
    decision = guarded().fire(
        "PreToolUse",
        {"tool_name": "Bash", "tool_input": {"command": "curl x"}},
        dialect="claude-code",
    )

    assert decision.stance is hookline.Stance.DENY
    assert '"hook_event_name": "beforeShellExecution"' in decision.reason
    assert '"command": "curl x"' in decision.reason
    assert len(asked(decision)) == 2


@pytest.mark.process
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Read", {"file_path": "curl"}),
        ("Bash", {"command": "ls"}),
        ("mcp__net__curl", {"command": "curl"}),
    ],
)
def test_and_by_no_other_call(tool: str, given: dict[str, str]) -> None:
    """Another tool, or another command, does not ask it."""
    decision = guarded().fire(
        "PreToolUse", {"tool_name": tool, "tool_input": given}, dialect="claude-code"
    )

    assert asked(decision) == ["preToolUse.true-vbdbfd"]


@pytest.mark.process
def test_its_own_host_raises_both_events_itself() -> None:
    """So each of its hooks is asked once a call."""
    decision = guarded().fire(
        "preToolUse", {"tool_name": "Shell", "tool_input": {"command": "curl x"}}, dialect="cursor"
    )

    assert asked(decision) == ["preToolUse.true-vbdbfd"]
    decision = guarded().fire(
        "beforeShellExecution", {"command": "curl x", "cwd": "/w"}, dialect="cursor"
    )
    assert asked(decision) == ["beforeShellExecution.cat-jbkgmf"]


@pytest.mark.process
def test_an_agent_of_ones_own_fires_the_call_only() -> None:
    """A canonical event asks the narrower hooks as well."""
    decision = guarded().fire("tool.before", {"tool": "Shell", "input": {"command": "curl x"}})

    assert len(asked(decision)) == 2
