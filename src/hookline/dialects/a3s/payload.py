"""An event to and from a3s's wire: `{"event_type": "pre_tool_use", "payload": {...}}`."""

from __future__ import annotations

from hookline.dialects.a3s.table import NAME, TABLE, row_of
from hookline.errors import CodecError
from hookline.model.event import ToolCall
from hookline.wire.payload import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Event, Json

_NAMES = {"native": "event_type", "session_id": "session_id", "cwd": "working_directory"}
# Skill events report an empty session, whatever somebody sent (docs/formats/a3s.md 2).
_SESSIONLESS = {**_NAMES, "session_id": ""}


def event_of(document: Json, native: str = "") -> Event:
    """A host's event. With `native` given, the document may be the payload alone.

    Raises:
        CodecError: not an object, no event named, or a field of the wrong type.
    """
    if not isinstance(document, dict):
        raise CodecError(
            f"an {NAME} event must be a JSON object",
            hint='{"event_type": "pre_tool_use", "payload": {...}}',
        )
    wrapped = "event_type" in document
    named = native or document.get("event_type")
    if not isinstance(named, str) or not named:
        raise CodecError(
            "the document names no event: `event_type` is missing or no text", name="wire.event"
        )
    payload = document.get("payload", {}) if wrapped else document
    row = row_of(named)
    names = _SESSIONLESS if row is not None and row.sessionless else _NAMES
    return decode(payload, TABLE, row.native if row else named, names)


def document(event: Event, native: str) -> dict[str, Any]:
    """The document that a hook of the event `native` is sent: what the host sent, with rewritten arguments in place."""
    return {"event_type": native, "payload": _payload(event, native)}


def _payload(event: Event, native: str) -> dict[str, Any]:
    if event.dialect == NAME:
        payload = dict(event.raw)
        if isinstance(event.body, ToolCall) and ("args" in payload or event.body.input is not None):
            payload["args"] = event.body.input
        return payload
    payload = encode(event, TABLE, row_of(native), native)
    if "result" in payload:
        payload["result"] = _result(event, payload["result"])
    return payload


def _result(event: Event, given: Json) -> dict[str, Any]:
    """What another host's tool returned, as a3s describes it."""
    if isinstance(given, dict) and "success" in given:
        return given
    error = event.body.value("error")
    output = error if given in (None, {}) and error else given
    seconds = event.body.value("duration")
    return {
        "success": not error,
        "output": output if isinstance(output, str) else _as_text(output),
        "duration_ms": round(seconds * TABLE.ticks_per_second)
        if isinstance(seconds, int | float)
        else 0,
    }


def _as_text(value: Json) -> str:
    import json  # noqa: PLC0415 - only results of other hosts need it

    return json.dumps(value, ensure_ascii=False, default=str) if value not in (None, {}) else ""
