"""Calls of tools."""

from __future__ import annotations

import pytest

from hookline.host.tool_call import ToolCall


@pytest.mark.parametrize(
    ("given", "command"),
    [({"cmd": "ls"}, "ls"), ({"command": "ls"}, "ls"), ({"cmd": 1}, ""), (None, "")],
)
def test_the_command_of_a_call(given: dict[str, object] | None, command: str) -> None:
    """Under the names that models use."""
    assert ToolCall(tool="shell", arguments=given).command == command


@pytest.mark.parametrize(
    ("folder", "found"),
    [(None, "/p"), (".", "/p"), ("", "/p"), ("src", "/p/src"), ("/tmp", "/tmp")],
)
def test_the_folder_of_a_command(folder: str | None, found: str) -> None:
    """By default that of the session."""
    given = {} if folder is None else {"cwd": folder}

    assert ToolCall(tool="shell", arguments=given, cwd="/p").command_folder == found
