"""Encodes an event as the document that an a3s hook receives."""

from __future__ import annotations

import json

from hookline.dialects.a3s.table import NAME, TABLE
from hookline.model.event import ToolCall
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event, Json
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the document of a hook's event."""
    payload = make_payload(event, row, spec.native_event)
    return {"event_type": spec.native_event, "payload": payload}


def make_payload(event: Event, row: EventRow | None, native: str) -> dict[str, Any]:
    """Return the payload of an event: what an a3s host sent, with rewritten arguments.

    Another host's event in a3s's fields.
    """
    if event.dialect == NAME:
        payload = dict(event.raw)
        if isinstance(event.body, ToolCall) and ("args" in payload or event.body.input is not None):
            payload["args"] = event.body.input
        return payload
    payload = encode(event, TABLE, row, native)
    if "result" in payload:
        payload["result"] = _describe_result(event, payload["result"])
    return payload


def _describe_result(event: Event, given: Json) -> dict[str, Any]:
    """Return what another host's tool returned, as a3s describes it."""
    if isinstance(given, dict) and "success" in given:
        return given
    error, seconds = event.body.value("error"), event.body.value("duration")
    output = error if given in (None, {}) else given
    if not isinstance(output, str):
        output = "" if output is None else json.dumps(output, ensure_ascii=False, default=str)
    timed = isinstance(seconds, int | float)
    return {
        "success": not error,
        "output": output,
        "duration_ms": round(seconds * TABLE.ticks_per_second) if timed else 0,
    }
