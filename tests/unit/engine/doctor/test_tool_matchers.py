"""Matchers that fit no tool of an installed host."""

from __future__ import annotations

from typing import Any

import pytest

from hookline import Engine
from hookline.engine.doctor.checkup import run_checkup
from hookline.engine.doctor.tool_matchers import find_unmatched_tools

CLAUDE = {"claude-code": "claude-code"}
BOTH = {**CLAUDE, "gemini": "gemini"}


def findings(
    matcher: str, hosts: dict[str, str], *, match_tools: str = "auto"
) -> list[tuple[str, str]]:
    """What is said of a guard of Claude Code with this matcher: message and hint."""
    engine = engine_with(matcher, match_tools=match_tools)
    found = find_unmatched_tools(engine.hooks, hosts)
    return [(each.message, each.hint) for each in found]


def engine_with(matcher: str, **given: Any) -> Engine:
    """An engine with one hook of Claude Code."""
    hook = {"type": "command", "command": "true"}
    tree = {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}}
    return Engine.from_config(tree, dialect="claude-code", **given)


FITS = [
    ("Bash", CLAUDE), ("", CLAUDE), ("*", CLAUDE), ("Bash|bash", CLAUDE),
    ("^(Edit|Write)$", CLAUDE),
    ("mcp__github__create", CLAUDE), ("mcp__.*", CLAUDE), ("TodoWrite", CLAUDE), ("MyOwn", CLAUDE),
    ("Bash", {"codex": "codex"}), ("run_shell_command", BOTH), ("bash", {}),
    ("bash", {"opencode": "claude-code"}),
]  # fmt: skip


@pytest.mark.parametrize(("matcher", "hosts"), FITS)
def test_a_matcher_that_may_fit_is_right(matcher: str, hosts: dict[str, str]) -> None:
    """Also one for MCP tools, or for a tool that is like none that hookline knows of."""
    assert findings(matcher, hosts) == []


WRONG = [
    ("bash", "write `Bash`"),
    ("^run_shell_command$", "write `Bash`"),
    ("write_file", "write `Write`"),
    ("Bsah", "did you mean `Bash`?"),
]


@pytest.mark.parametrize(("matcher", "hint"), WRONG)
def test_a_name_of_another_host_or_a_slip_is_told_with_its_remedy(matcher: str, hint: str) -> None:
    """At its own host a matcher means what it says."""
    where = "its matcher fits no tool that hookline knows of at claude-code"

    assert findings(matcher, CLAUDE) == [(where, hint)]


def test_native_matchers_do_not_fit_at_other_hosts() -> None:
    """The hint has the names of the hosts that are there."""
    hosts = {"gemini": "gemini", "cursor": "cursor"}

    assert findings("Bash", hosts) == []
    assert findings("Bash", hosts, match_tools="native") == [
        (
            "its matcher fits no tool that hookline knows of at cursor, gemini",
            "write `Shell` or `run_shell_command`",
        )
    ]


def test_the_checkup_has_it() -> None:
    """As a warning of the hook."""
    found = run_checkup(engine_with("bash"), hosts=CLAUDE)

    told = [(each.code, each.severity) for each in found.hooks[0].findings]
    assert ("HKL7035", "warning") in told
