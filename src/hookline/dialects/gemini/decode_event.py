"""Reads the payloads of Gemini CLI, its model requests taken apart (docs/formats/gemini.md 3)."""

from __future__ import annotations

from hookline.dialects.gemini.table import TABLE
from hookline.model.event import Generation
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event, Json


def decode_event(payload: Json, native: str) -> Event:
    """A payload of the host as an event. What is inside `llm_request` is the event's model and messages too.

    Raises:
        CodecError: it cannot be understood.
    """
    event = decode(payload, TABLE, native, TABLE.attribute_keys())
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
