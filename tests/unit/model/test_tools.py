"""Tool names travel between hosts by a table."""

from __future__ import annotations

import pytest

from hookline.model.tools import (
    families,
    find_broader_kind,
    input_names,
    list_equivalent_names,
    list_names,
    mcp_parts,
    translate_name,
)


@pytest.mark.parametrize(
    ("name", "others"),
    [
        (
            "Bash",
            {"shell", "run_shell_command", "Shell", "bash", "developer__shell", "execute_bash"},
        ),
        ("run_shell_command", {"Bash", "shell"}),
        ("apply_patch", {"Write", "Edit", "MultiEdit", "write_file", "replace"}),
        ("mcp__git__status", {"@git/status", "MCP:status", "mcp_git_status", "git-status"}),
        ("@git/status", {"mcp__git__status"}),
    ],
)
def test_a_tool_is_known_by_its_other_names(name: str, others: set[str]) -> None:
    """Each host's name leads to every other host's."""
    assert others <= set(list_equivalent_names(name))
    assert name not in list_equivalent_names(name)


@pytest.mark.parametrize(
    ("name", "dialect", "never"),
    [
        ("Read", "", "Write"),
        ("Write", "claude-code", "MultiEdit"),
        ("Edit", "claude-code", "create"),
        ("Task", "", "Bash"),
    ],
)
def test_families_do_not_merge(name: str, dialect: str, never: str) -> None:
    """A name that some host has for two kinds of tool does not join the others of both."""
    assert never not in list_equivalent_names(name, dialect)


def test_an_unknown_tool_has_no_other_name() -> None:
    """Unknown tools, and names that tell no server, stay what they are."""
    assert list_equivalent_names("frobnicate") == ()
    assert list_equivalent_names("mcp__server") == ()
    assert families("frobnicate") == ()


def test_names_are_told_by_family_and_dialect() -> None:
    """What a host calls a kind of tool, first the usual name."""
    assert list_names("shell", "claude-code") == ("Bash",)
    assert list_names("shell", "unknown") == ()
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
        ("git-status", "copilot", ("git", "status")),
        ("git-status", "", None),
        ("mcp__git", "", None),
        ("Bash", "cursor", None),
    ],
)
def test_mcp_names_have_parts(name: str, dialect: str, parts: tuple[str, str] | None) -> None:
    """Server and tool, where the name tells both; by the dialect's own spelling first."""
    assert mcp_parts(name, dialect) == parts


@pytest.mark.parametrize(
    ("name", "dialect", "target", "names"),
    [
        ("Bash", "claude-code", "docker-agent", ("shell",)),
        ("Grep", "claude-code", "kimi", ("Grep",)),
        ("Edit", "claude-code", "codex", ("Edit",)),
        ("Write", "cursor", "claude-code", ("Write",)),
        ("mcp__git__status", "claude-code", "kiro", ("@git/status",)),
        ("mcp__git__status", "claude-code", "starchild", ()),
        ("MCP:status", "cursor", "claude-code", ()),
        ("git-status", "copilot", "claude-code", ("mcp__git__status",)),
        ("Read", "claude-code", "codex", ()),
        ("frobnicate", "claude-code", "codex", ()),
    ],
)
def test_a_tool_is_called_as_its_host_does(
    name: str, dialect: str, target: str, names: tuple[str, ...]
) -> None:
    """The usual name first, then the host's own; none for an unknown tool."""
    assert translate_name(name, dialect, target)[: len(names)] == names
    assert bool(translate_name(name, dialect, target)) is bool(names)


@pytest.mark.parametrize(
    ("name", "dialect", "target", "renamed"),
    [
        ("shell", "docker-agent", "claude-code", {"cmd": "command"}),
        ("Bash", "claude-code", "docker-agent", {"command": "cmd"}),
        (
            "Write",
            "claude-code",
            "copilot",
            {"file_path": "path", "filePath": "path", "content": "file_text"},
        ),
        ("frobnicate", "claude-code", "docker-agent", {}),
    ],
)
def test_input_keys_have_names_by_host(
    name: str, dialect: str, target: str, renamed: dict[str, str]
) -> None:
    """Any host's key for a thing is understood."""
    assert dict(input_names(name, dialect, target)) == renamed


def test_a_narrower_kind_knows_the_wider_one() -> None:
    """It also tells which calls it has."""
    assert find_broader_kind("file.write.before") == ("tool.before", ("write", "edit"))
    assert find_broader_kind("stop") is None
