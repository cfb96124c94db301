"""Payloads of Cursor hooks for the events of other hosts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.core.dialect import Source
from hookline.dialects.cursor import Cursor
from hookline.model.event import Event, Lifecycle, Rewrite, Stop, ToolCall

BASE = {
    "conversation_id": "s1", "generation_id": "", "model": "", "cursor_version": "",
    "workspace_roots": ["/srv/app"],
    "user_email": None, "transcript_path": None,
}  # fmt: skip


def sent(native: str, event: Event) -> dict[str, Any]:
    """The payload of a hook of this native event, without the base fields of every host's event."""
    cursor = Cursor()
    (spec,) = cursor.load(Source(tree={"version": 1, "hooks": {native: [{"command": "x"}]}})).specs
    told: dict[str, Any] = json.loads(cursor.encode_event(event, spec))
    assert told | {**BASE, "hook_event_name": native} == told
    return {key: value for key, value in told.items() if key not in (*BASE, "hook_event_name")}


def raised(kind: str, body: Any) -> Event:
    """An event of some other host."""
    return Event(
        kind=kind, dialect="other", native_name="n", session_id="s1", cwd="/srv/app", body=body
    )


@pytest.mark.parametrize(
    ("native", "event", "told"),
    [
        (
            "preToolUse",
            raised("tool.before", ToolCall(tool="Bash", input={"command": "ls"}, call_id="t1")),
            {
                "tool_name": "Bash",
                "tool_input": {"command": "ls"},
                "tool_use_id": "t1",
                "cwd": "/srv/app",
            },
        ),
        (
            "preToolUse",
            raised("tool.before", ToolCall(tool="MCP:q", input={"a": 1}, call_id="t1")),
            {"tool_name": "MCP:q", "tool_input": '{"a":1}', "tool_use_id": "t1", "cwd": "/srv/app"},
        ),
        (
            "postToolUse",
            raised(
                "tool.after",
                ToolCall(
                    tool="Bash",
                    input={},
                    call_id="t1",
                    result={"stdout": "ä"},
                    facts={"duration_ms": 7},
                ),
            ),
            {
                "tool_name": "Bash",
                "tool_input": {},
                "tool_output": '{"stdout":"ä"}',
                "tool_use_id": "t1",
                "cwd": "/srv/app",
                "duration": 7,
            },
        ),
        (
            "postToolUse",
            raised("tool.after", ToolCall(tool="Bash", result="done")),
            {
                "tool_name": "Bash",
                "tool_input": {},
                "tool_output": "done",
                "tool_use_id": "",
                "cwd": "/srv/app",
                "duration": 0,
            },
        ),
        (
            "beforeMCPExecution",
            raised("mcp.before", ToolCall(tool="q", input={"a": 1}, facts={"server": "https://x"})),
            {"tool_name": "q", "tool_input": '{"a":1}', "url": "https://x"},
        ),
        (
            "beforeMCPExecution",
            raised("mcp.before", ToolCall(tool="q", facts={"server": "npx x"})),
            {"tool_name": "q", "tool_input": "{}", "command": "npx x"},
        ),
        (
            "beforeShellExecution",
            raised("shell.before", Lifecycle(facts={"command": "ls"})),
            {"command": "ls", "cwd": "/srv/app", "sandbox": False},
        ),
        (
            "stop",
            raised("stop", Stop(facts={"stop_block_count": 2})),
            {"status": "completed", "loop_count": 2},
        ),
        (
            "sessionStart",
            raised("session.start", Lifecycle(facts={"source": "startup"})),
            {"session_id": "s1", "is_background_agent": False},
        ),
    ],
)
def test_another_hosts_event_has_every_field(
    native: str, event: Event, told: dict[str, Any]
) -> None:
    """It has each field that a script of this host relies on."""
    assert sent(native, event) == told


def test_a_later_hook_gets_the_rewritten_command() -> None:
    """A later hook sees the command as the former left it."""
    cursor = Cursor()
    event = cursor.decode_event({"command": "ls", "cwd": "/srv/app"}, "beforeShellExecution")
    (spec,) = cursor.load(
        Source(tree={"version": 1, "hooks": {"beforeShellExecution": [{"command": "x"}]}})
    ).specs
    after = event.apply_rewrite(Rewrite(target="input", value={"command": "ls -l"}, merge=True))

    assert json.loads(cursor.encode_event(after, spec))["command"] == "ls -l"


def test_a_rewritten_text_is_closed_again() -> None:
    """An unchanged object goes back as the host wrote it, a changed one as compact JSON."""
    cursor = Cursor()
    event = cursor.decode_event(
        {"tool_name": "q", "tool_input": '{ "a": 1 }'}, "beforeMCPExecution"
    )
    (spec,) = cursor.load(
        Source(tree={"version": 1, "hooks": {"beforeMCPExecution": [{"command": "x"}]}})
    ).specs
    after = event.apply_rewrite(Rewrite(target="input", value={"b": 2}, merge=True))

    assert [
        json.loads(cursor.encode_event(each, spec))["tool_input"] for each in (event, after)
    ] == ['{ "a": 1 }', '{"a":1,"b":2}']


def test_what_json_cannot_say_is_not_sent() -> None:
    """The caller makes a failure of it."""
    with pytest.raises(ValueError, match="JSON"):
        sent("postToolUse", raised("tool.after", ToolCall(tool="t", result={"x": float("nan")})))
