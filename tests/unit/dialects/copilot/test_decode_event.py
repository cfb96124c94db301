"""Payloads in both spellings: time, arguments and results, and how an event is known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.core.dialect import Source
from hookline.dialects.copilot import Copilot
from hookline.errors import CodecError
from hookline.model.event import Event, ToolCall

DIALECT = Copilot()
CALL = {
    "sessionId": "s",
    "timestamp": 1704614600000,
    "cwd": "/p",
    "toolName": "bash",
    "toolArgs": '{"command":"ls"}',
}


def sent(event: Event, native: str) -> dict[str, Any]:
    """What a hook under that key is sent."""
    (spec,) = DIALECT.load(Source(tree={"version": 1, "hooks": {native: [{"bash": "x"}]}})).specs
    read: dict[str, Any] = json.loads(DIALECT.encode_event(event, spec))
    return read


def test_a_decoded_payload_has_canonical_fields() -> None:
    """Arguments are an object, a result is its text, the time is an ISO text.

    What was sent is kept.
    """
    done = {**CALL, "toolResult": {"resultType": "success", "textResultForLlm": "ok"}}
    event = DIALECT.decode_event(done)

    assert (event.kind, event.native_name, event.session_id, event.cwd, event.tool) == (
        "tool.after",
        "postToolUse",
        "s",
        "/p",
        "bash",
    )
    assert (event.input, event.body.value("result"), event.command) == (
        {"command": "ls"},
        "ok",
        "ls",
    )
    assert event.body.value("timestamp") == "2024-01-07T08:03:20.000Z"
    assert event.raw == done


@pytest.mark.parametrize(
    ("told", "camel", "pascal"),
    [
        ("2024-01-07T08:03:20Z", 1704614600000, "2024-01-07T08:03:20.000Z"),
        ("2024-01-07T09:03:20.250+01:00", 1704614600250, "2024-01-07T08:03:20.250Z"),
        ("2024-01-07T08:03:20", 1704614600000, "2024-01-07T08:03:20.000Z"),
        ("noon", "noon", "noon"),
        (["x"], ["x"], ["x"]),
    ],
)
def test_the_time_is_told_as_the_key_wants_it(told: Any, camel: Any, pascal: Any) -> None:
    """Also that of an event of another host, or of the engine's clock.

    What is no time stays what it is.
    """
    event = Event(
        kind="tool.before", dialect="other", body=ToolCall(tool="bash", facts={"timestamp": told})
    )

    assert sent(event, "preToolUse")["timestamp"] == camel
    assert sent(event, "PreToolUse")["timestamp"] == pascal


@pytest.mark.parametrize("when", [10**20, -(10**20), True, 1.5, None, "x"])
def test_a_time_that_no_calendar_has_stays_what_it_is(when: Any) -> None:
    """A strange clock is no reason to refuse a payload."""
    event = DIALECT.decode_event({**CALL, "timestamp": when})

    assert sent(event, "preToolUse")["timestamp"] == when


def test_another_host_s_call_is_told_in_copilot_s_words() -> None:
    """Tool names, arguments as a JSON text, and a result in its envelope.

    What that host sent beside it is not passed on.
    """
    body = ToolCall(tool="Bash", input={"command": "ls"}, result={"stdout": "a"})
    event = Event(
        kind="tool.after",
        dialect="claude-code",
        native_name="PostToolUse",
        session_id="s",
        cwd="/p",
        body=body,
        raw={"x": 1},
    )

    assert sent(event, "postToolUse") == {
        "sessionId": "s",
        "cwd": "/p",
        "toolName": "bash",
        "toolArgs": '{"command":"ls"}',
        "toolResult": {"resultType": "success", "textResultForLlm": '{"stdout": "a"}'},
    }
    assert sent(event, "PostToolUse")["tool_name"] == "Bash"


def test_what_cannot_be_serialised_is_an_error() -> None:
    """Which the engine takes for a failure of the hook."""
    event = Event(
        kind="tool.before", dialect="other", body=ToolCall(tool="x", input={"n": float("nan")})
    )

    with pytest.raises(ValueError, match="not JSON compliant"):
        sent(event, "preToolUse")


@pytest.mark.parametrize(
    "payload",
    [
        [],
        "x",
        None,
        3,
        {},
        {"hookName": 7},
        {"sessionId": 3, "toolName": "x"},
        {"hook_event_name": "Stop", "cwd": 4},
    ],
)
def test_what_is_no_payload_is_a_codec_error(payload: Any) -> None:
    """Nothing between an event and an error."""
    with pytest.raises(CodecError):
        DIALECT.decode_event(payload)


@pytest.mark.parametrize("dialect", ["gemini", "claude-code", "starchild"])
def test_what_another_host_sent_under_our_names_is_not_ours(dialect: str) -> None:
    """Time, arguments and result are the event's own, not the foreign payload's."""
    raw = {
        "timestamp": "2024-01-07T08:03:20Z",
        "toolArgs": {"old": 1},
        "tool_result": {"result_type": "odd", "x": 1},
        "toolResult": "y",
        "hookName": "z",
    }
    body = ToolCall(
        tool="Bash",
        input={"command": "ls"},
        result="ok",
        facts={"timestamp": "2024-01-07T08:03:20Z"},
    )
    event = Event(
        kind="tool.after",
        dialect=dialect,
        native_name="PostToolUse",
        session_id="s",
        cwd="/p",
        body=body,
        raw=raw,
    )
    camel, pascal = sent(event, "postToolUse"), sent(event, "PostToolUse")

    assert (camel["timestamp"], camel["toolArgs"]) == (1704614600000, '{"command":"ls"}')
    assert camel["toolResult"] == {"resultType": "success", "textResultForLlm": "ok"}
    assert (pascal["timestamp"], pascal["tool_input"]) == (
        "2024-01-07T08:03:20.000Z",
        {"command": "ls"},
    )
    assert pascal["tool_result"] == {"result_type": "success", "text_result_for_llm": "ok"}
    assert (
        sent(event.replace(kind="tool.permission.request"), "permissionRequest")["hookName"]
        == "permissionRequest"
    )
