"""Cursor's events for other dialects: objects instead of texts, and one tool call per tool."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.dialects.cursor import Cursor
from hookline.model.event import Event, Stop, ToolCall


def event(native: str, **fields: Any) -> Event:
    """An event of this host."""
    return Cursor().decode_event(
        {"conversation_id": "c1", "workspace_roots": ["/srv/app", "/srv/lib"], **fields}, native
    )


def test_a_command_is_a_call_of_the_shell() -> None:
    """So that a guard on commands reads it as it reads any other."""
    raised = event("beforeShellExecution", command="rm -rf x", cwd="/srv/app/sub")

    assert (raised.kind, raised.tool, raised.command, raised.cwd) == (
        "shell.before",
        "Shell",
        "rm -rf x",
        "/srv/app/sub",
    )
    assert raised.body.value("command") == "rm -rf x"


def test_the_output_of_a_command_is_its_result() -> None:
    """Text as it stands, though it looked like JSON."""
    raised = event("afterShellExecution", command="cat a.json", output="{}", duration=3)

    assert raised.body == ToolCall(
        tool="Shell",
        input={"command": "cat a.json"},
        result="{}",
        facts={
            "workspace_roots": ["/srv/app", "/srv/lib"],
            "command": "cat a.json",
            "result": "{}",
            "duration_ms": 3,
        },
    )


@pytest.mark.parametrize(
    ("native", "tool"),
    [
        ("beforeReadFile", "Read"),
        ("beforeTabFileRead", "TabRead"),
        ("afterFileEdit", "Write"),
        ("afterTabFileEdit", "TabWrite"),
    ],
)
def test_a_file_event_is_a_call_with_a_path(native: str, tool: str) -> None:
    """So that a guard on paths reads it."""
    raised = event(native, file_path="/srv/app/.env")

    assert (raised.tool, raised.input, raised.cwd) == (
        tool,
        {"file_path": "/srv/app/.env"},
        "/srv/app",
    )


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ("[1]", None),
        ("{oops", None),
        ("", None),
        ('{"a":' * 10_000, None),
        (5, None),
    ],
)
def test_the_arguments_of_an_mcp_call_are_an_object(sent: Any, seen: Any) -> None:
    """Text that holds none is no argument at all (docs/formats/cursor.md: traps)."""
    assert event("beforeMCPExecution", tool_name="q", tool_input=sent).input == seen


@pytest.mark.parametrize(
    ("named", "server"),
    [({"url": "https://x"}, "https://x"), ({"command": "npx x"}, "npx x"), ({}, None)],
)
def test_an_mcp_server_is_a_fact(named: dict[str, str], server: str | None) -> None:
    """By its address or its command line."""
    assert (
        event("beforeMCPExecution", tool_name="q", tool_input="{}", **named).body.value("server")
        == server
    )


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ('{"exitCode":0}', {"exitCode": 0}),
        ("[1]", [1]),
        ("5", "5"),
        ("done", "done"),
        ("{oops", "{oops"),
    ],
)
def test_the_output_of_a_tool_is_opened_where_it_holds_something(sent: str, seen: Any) -> None:
    """A number or a word is text that a program printed."""
    raised = event("postToolUse", tool_name="Shell", tool_input={}, tool_output=sent)

    assert raised.body.value("result") == seen


@pytest.mark.parametrize(("count", "active"), [(0, False), (2, True), ("2", False), (None, False)])
def test_a_stop_that_was_sent_back_says_so(count: Any, active: bool) -> None:
    """Other dialects ask whether a stop hook is active; this host counts."""
    body = event("stop", status="completed", loop_count=count).body

    assert isinstance(body, Stop)
    assert body.stop_hook_active is active


@pytest.mark.parametrize(
    ("roots", "cwd"), [(["/a"], "/a"), ([], ""), ([5], ""), ("/a", ""), (None, "")]
)
def test_the_first_root_is_where_it_happens(roots: Any, cwd: str) -> None:
    """Where the payload names no folder; what is no list of texts names none either."""
    assert event("stop", workspace_roots=roots).cwd == cwd


def test_a_session_may_be_named_either_way() -> None:
    """The conversation is the session."""
    cursor = Cursor()

    assert cursor.decode_event({"session_id": "s1"}, "sessionEnd").session_id == "s1"
    assert (
        cursor.decode_event({"session_id": "s1", "conversation_id": "c1"}, "sessionEnd").session_id
        == "c1"
    )
