"""Tool names travel between hosts by a table."""

from __future__ import annotations

import pytest

from hookline.model.tools import alike, called, families, mcp_name, mcp_parts


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("Bash", {"shell", "run_shell_command", "Shell", "bash", "developer__shell", "execute_bash"}),
        ("run_shell_command", {"Bash", "shell"}),
        ("apply_patch", {"Write", "Edit", "MultiEdit", "write_file", "replace"}),
        ("mcp__git__status", {"@git/status", "MCP:status", "mcp_git_status", "git-status"}),
        ("@git/status", {"mcp__git__status"}),
    ],
)
def test_a_tool_is_known_by_its_other_names(name: str, others: set[str]) -> None:
    """Each host's name leads to every other host's."""
    assert others <= set(alike(name))
    assert name not in alike(name)


@pytest.mark.parametrize(
    ("name", "dialect", "never"),
    [("Read", "", "Write"), ("Write", "claude-code", "MultiEdit"), ("Edit", "claude-code", "create"), ("Task", "", "Bash")],
)
def test_families_do_not_merge(name: str, dialect: str, never: str) -> None:
    """A name that some host has for two kinds of tool does not join the others of both."""
    assert never not in alike(name, dialect)


def test_a_tool_that_nobody_has_has_no_other_name() -> None:
    """Unknown tools, and names that tell no server, stay what they are."""
    assert alike("frobnicate") == ()
    assert alike("mcp__server") == ()
    assert families("frobnicate") == ()


def test_names_are_told_by_family_and_dialect() -> None:
    """What a host calls a kind of tool, first the usual name."""
    assert called("shell", "claude-code") == ("Bash",)
    assert called("shell", "nobody") == ()
    assert families("Bash") == ("shell",)


@pytest.mark.parametrize(
    ("name", "dialect", "parts"),
    [
        ("mcp__git__status", "", ("git", "status")),
        ("mcp__a__b__c", "codex", ("a", "b__c")),
        ("@git/status", "", ("git", "status")),
        ("MCP:status", "", ("", "status")),
        ("mcp_git_status", "gemini", ("git", "status")),
        ("mcp_git_status", "", None),
        ("mcp__git__status", "gemini", ("git", "status")),
        ("git-status", "copilot", None),
        ("mcp__git", "", None),
        ("Bash", "cursor", None),
    ],
)
def test_mcp_names_have_parts(name: str, dialect: str, parts: tuple[str, str] | None) -> None:
    """Server and tool, where the name tells both; by the dialect's own spelling first."""
    assert mcp_parts(name, dialect) == parts


def test_an_mcp_tool_is_spelled_as_its_host_does() -> None:
    """By the table; nothing for a host that has no spelling, or a tool that is none of MCP's."""
    assert mcp_name("mcp__git__status", "kiro") == "@git/status"
    assert mcp_name("mcp__git__status", "starchild") is None
    assert mcp_name("Bash", "kiro") is None
