"""Writes the payloads of Gemini CLI, its model requests put together again (docs/formats/gemini.md 3)."""

from __future__ import annotations

from hookline.dialects.gemini.table import NAME, TABLE
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """The payload that a hook is sent, the host's own objects rebuilt from what the event says now."""
    payload = encode(event, TABLE, row, spec.native_event)
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
