"""Writes the payloads of Gemini CLI, its model requests put together again (docs/formats/gemini.md 3)."""

from __future__ import annotations

from hookline.dialects.gemini.table import NAME, TABLE
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload that a hook is sent, the host's own objects rebuilt from what the event holds now."""
    payload = encode(event, TABLE, row, spec.native_event)
    if row is None:
        return payload
    foreign = event.dialect != NAME
    request, response = payload.get("llm_request"), payload.get("llm_response")
    if isinstance(request, dict):
        usual = {"model": "", "messages": []} if foreign else {}
        now = {key: event.body.value(key) for key in ("model", "messages")}
        now = {key: value for key, value in now.items() if value is not None}
        payload["llm_request"] = usual | request | now
    if response is not None:
        payload["llm_response"] = to_response(response)
    if foreign and "tool_response" in payload:
        payload["tool_response"] = _to_tool_response(event, payload["tool_response"])
    return payload


def to_response(reply: Any) -> Any:
    """Return a model's reply as an `llm_response`; a text becomes its only candidate's only part."""
    if not isinstance(reply, str):
        return reply
    candidate = {"content": {"role": "model", "parts": [reply]}, "finishReason": "STOP"}
    return {"text": reply, "candidates": [candidate]}


def _to_tool_response(event: Event, result: Any) -> Any:
    """Return another host's result as what both the model and the user are shown."""
    if isinstance(result, dict) and "llmContent" in result:
        return result
    response = {"llmContent": result, "returnDisplay": result}
    error = event.body.value("error")
    return response if error is None else {**response, "error": error}
