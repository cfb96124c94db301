"""Reads the payloads of Gemini CLI, its model requests taken apart (docs/formats/gemini.md 3)."""

from __future__ import annotations

from hookline.dialects.gemini.table import TABLE
from hookline.model.event import Generation
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event, Json


def decode_event(payload: Json, native: str) -> Event:
    """Return a payload of the host as an event. What is inside `llm_request` is the event's model and messages too.

    Raises:
        CodecError: it cannot be understood.
    """
    event = decode(payload, TABLE, native, TABLE.attribute_keys())
    body = event.body
    request = body.value("llm_request")
    if not isinstance(body, Generation) or not isinstance(request, dict):
        return event
    known = {"params": request.get("config"), "tools": request.get("toolConfig")}
    facts = {**body.facts, **{fact: value for fact, value in known.items() if value is not None}}
    model, messages = request.get("model"), request.get("messages")
    return event.replace(body=body.replace(model=model, messages=messages, facts=facts))
