"""A matcher that knows a tool's names in all hosts, and one that does not."""

from __future__ import annotations

from typing import Any

import pytest

import hookline
from hookline.core.match import why_not

CALL = {"session_id": "s", "tool_name": "shell", "tool_use_id": "c", "tool_input": {"cmd": "rm -rf /tmp/x"}}


def engine(matcher: str, *, rule: str = "", match_tools: str = "native") -> hookline.Engine:
    """Claude Code's hook that denies, on an engine that a docker-agent host asks."""
    handler: dict[str, Any] = {"type": "command", "command": "exit 2", **({"if": rule} if rule else {})}
    tree = {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [handler]}]}}
    return hookline.Engine.from_config(tree, dialect="claude-code", match_tools=match_tools)


@pytest.mark.process
@pytest.mark.parametrize(
    ("matcher", "rule", "native", "canonical"),
    [
        ("Bash", "", "silent", "deny"),
        ("Edit|Bash", "", "silent", "deny"),
        ("^Ba.h$", "", "silent", "deny"),
        ("run_shell_command", "", "silent", "deny"),
        ("Read", "", "silent", "silent"),
        ("shell", "", "deny", "deny"),
        ("Bash", "Bash(rm *)", "silent", "deny"),
        ("Bash", "Bash(ls *)", "silent", "silent"),
        ("", "Bash(rm *)", "silent", "deny"),
    ],
)
def test_a_matcher_for_bash_sees_shell_when_asked_to(matcher: str, rule: str, native: str, canonical: str) -> None:
    """Native names by default; with `match_tools="canonical"` every host's name of the tool."""
    for match_tools, stance in (("native", native), ("canonical", canonical)):
        decision = engine(matcher, rule=rule, match_tools=match_tools).fire("pre_tool_use", CALL, dialect="docker-agent")

        assert decision.stance.name.lower() == stance


def test_why_not_says_that_all_names_were_tried() -> None:
    """An explanation is honest about what was compared."""
    asked = engine("Read", match_tools="canonical")
    event = asked.event("pre_tool_use", CALL, dialect="docker-agent")

    assert why_not(asked.hooks[0], event) == "tool `shell` is not exactly `Read` under any name that hosts have for it"


def test_an_unknown_matching_is_refused() -> None:
    """As every other setting is."""
    with pytest.raises(hookline.ConfigError, match="unknown match_tools `canonic`"):
        engine("Bash", match_tools="canonic")
