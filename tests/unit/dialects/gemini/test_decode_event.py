"""Events between hosts: what Gemini's hooks get of others, and what others get of Gemini."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.dialects.gemini import Gemini
from hookline.model.event import Event, Generation, Stop, ToolCall
from hookline.model.spec import Command, HookSpec

DIALECT = Gemini()


def sent(native: str, event: Event) -> dict[str, Any]:
    """The payload that a hook of an event is sent."""
    spec = HookSpec(
        id="a", dialect="gemini", kind=event.kind, native_event=native, handler=Command(script="x")
    )
    payload: dict[str, Any] = json.loads(DIALECT.encode_event(event, spec))
    return payload


def test_another_hosts_call_has_what_gemini_always_sends() -> None:
    """But for the time, which only its own host knows."""
    payload = sent(
        "BeforeTool",
        Event(
            kind="tool.before",
            dialect="claude-code",
            session_id="s",
            cwd="/w",
            body=ToolCall(tool="Bash"),
        ),
    )

    assert payload == {
        "session_id": "s",
        "transcript_path": "",
        "cwd": "/w",
        "hook_event_name": "BeforeTool",
        "tool_name": "Bash",
        "tool_input": {},
    }


@pytest.mark.parametrize(
    ("body", "response"),
    [
        (ToolCall(tool="Bash", result="ok"), {"llmContent": "ok", "returnDisplay": "ok"}),
        (
            ToolCall(tool="Bash", result="", error="exit 1"),
            {"llmContent": "", "returnDisplay": "", "error": "exit 1"},
        ),
        (ToolCall(tool="Bash", result={"llmContent": "ok"}), {"llmContent": "ok"}),
    ],
)
def test_another_hosts_result_is_shown_as_a_tool_response(
    body: ToolCall, response: dict[str, Any]
) -> None:
    """Scripts look for `llmContent` and `returnDisplay`."""
    assert (
        sent("AfterTool", Event(kind="tool.after", dialect="claude-code", body=body))[
            "tool_response"
        ]
        == response
    )


def test_another_hosts_model_call_is_a_request_and_a_response() -> None:
    """Messages and model are put into the one, a text into a candidate of the other."""
    messages = [{"role": "user", "content": "hi"}]
    payload = sent(
        "AfterModel",
        Event(
            kind="model.response",
            dialect="docker-agent",
            body=Generation(model="m", messages=messages, response="ho"),
        ),
    )

    assert payload["llm_request"] == {"model": "m", "messages": messages}
    assert payload["llm_response"]["candidates"][0]["content"] == {"role": "model", "parts": ["ho"]}


def test_another_hosts_stop_has_no_prompt() -> None:
    """The key is there, as in Gemini's own."""
    payload = sent(
        "AfterAgent", Event(kind="stop", dialect="claude-code", body=Stop(last_message="done"))
    )

    assert (payload["prompt"], payload["prompt_response"], payload["stop_hook_active"]) == (
        "",
        "done",
        False,
    )


def test_a_request_is_taken_apart_for_other_dialects() -> None:
    """Model, messages, parameters and tools are facts of their own."""
    request = {"model": "m", "messages": [], "config": {"topK": 1}, "toolConfig": {"mode": "ANY"}}
    body = DIALECT.decode_event({"hook_event_name": "BeforeModel", "llm_request": request}).body

    assert [body.value(fact) for fact in ("model", "messages", "params", "tools")] == [
        "m",
        [],
        {"topK": 1},
        {"mode": "ANY"},
    ]


def test_a_request_of_another_shape_is_sent_on_as_it_is() -> None:
    """A newer host may say more than we know."""
    payload = {
        "session_id": "s",
        "transcript_path": "",
        "cwd": "/w",
        "hook_event_name": "BeforeModel",
        "llm_request": ["v2"],
    }

    assert sent("BeforeModel", DIALECT.decode_event(payload)) == payload
