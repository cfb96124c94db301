"""Payloads of Gemini CLI: its model requests taken apart into canonical facts, and put together again (docs/formats/gemini.md 3)."""

from __future__ import annotations

from hookline.dialects.gemini.table import NAME, TABLE
from hookline.model.event import Generation
from hookline.wire.payload import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event, Json

_NAMES = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}


def received(payload: Json, native: str) -> Event:
    """A payload of the host as an event. What is inside `llm_request` is the event's model and messages too.

    Raises:
        CodecError: it cannot be understood.
    """
    event = decode(payload, TABLE, native, _NAMES)
    request = event.body.value("llm_request")
    if not isinstance(event.body, Generation) or not isinstance(request, dict):
        return event
    known = {"params": request.get("config"), "tools": request.get("toolConfig")}
    facts = {
        **event.body.facts,
        **{fact: value for fact, value in known.items() if value is not None},
    }
    return event.replace(
        body=event.body.replace(
            model=request.get("model"), messages=request.get("messages"), facts=facts
        )
    )


def sent(event: Event, row: EventRow | None, native: str) -> dict[str, Any]:
    """The payload that a hook is sent, the host's own objects rebuilt from what the event says now."""
    payload = encode(event, TABLE, row, native)
    for key, shaped in _SHAPES.items():
        if key in payload and row is not None:
            payload[key] = shaped(event, payload[key])
    return payload


def _request(event: Event, given: Any) -> Any:
    """`llm_request`: as the host sent it, with the messages and the model as they are now."""
    if not isinstance(given, dict):
        return given
    ours = event.dialect == NAME
    now = {"model": event.body.value("model"), "messages": event.body.value("messages")}
    return (
        ({} if ours else {"model": "", "messages": []})
        | given
        | {key: value for key, value in now.items() if value is not None}
    )


def _response(event: Event, given: Any) -> Any:
    return response(given) if event.dialect != NAME or isinstance(given, str) else given


def response(said: Any) -> Any:
    """A model's reply as an `llm_response`; a text becomes its only candidate's only part."""
    if not isinstance(said, str):
        return said
    return {
        "text": said,
        "candidates": [{"content": {"role": "model", "parts": [said]}, "finishReason": "STOP"}],
    }


def _tool_response(event: Event, given: Any) -> Any:
    """`tool_response`: what another host calls a result is both what the model and what the user is shown."""
    if event.dialect == NAME or (isinstance(given, dict) and "llmContent" in given):
        return given
    error = event.body.value("error")
    return {
        "llmContent": given,
        "returnDisplay": given,
        **({"error": error} if error is not None else {}),
    }


_SHAPES: Mapping[str, Callable[[Event, Any], Any]] = {
    "llm_request": _request,
    "llm_response": _response,
    "tool_response": _tool_response,
}
