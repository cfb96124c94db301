"""Hermes' payload: a fixed top, and under `extra` whatever belongs to the event."""

from __future__ import annotations

import math

from hookline.errors import CodecError
from hookline.model.event import ToolCall
from hookline.wire.payload import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow, Table
    from hookline.model.event import Event

_NAMES = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}


def event_of(payload: Any, table: Table, native: str) -> Event:
    """A host's payload as an event; what lies in `extra` counts like the rest.

    Raises:
        CodecError: the payload cannot be understood.
    """
    if not isinstance(payload, dict):
        return decode(payload, table, native, _NAMES)  # which says what is wrong
    extra = payload.get("extra") or {}
    if not isinstance(extra, dict) or not all(isinstance(key, str) for key in extra):
        raise CodecError("`extra` of a hermes payload must be an object")
    flat = {**extra, **payload}
    row = table.row(native or str(flat.get(_NAMES["native"], "")))
    if flat.get("tool_name") is None:
        flat["tool_name"] = row.tool or None if row else None
    if row is not None and row.body is ToolCall and not isinstance(flat["tool_name"], str):
        raise CodecError(f"`tool_name` of a hermes `{row.native}` payload must be text")
    return decode(flat, table, native, _NAMES).replace(raw=payload)


def payload_of(event: Event, table: Table, row: EventRow | None, native: str) -> dict[str, Any]:
    """The payload of a hook that is declared under `native` (docs/formats/hermes.md 2)."""
    top = encode(event, table, None, native)
    sent = top.pop("extra", None)
    # A tool that only we tell from the event is none of what the host sent.
    top["tool_name"] = (
        event.raw.get("tool_name") if event.dialect == table.name else top["tool_name"]
    ) or None
    top["tool_input"] = top["tool_input"] if isinstance(top["tool_input"], dict) else None
    given = sent if isinstance(sent, dict) and event.dialect == table.name else {}
    # What the event says now goes before what the host sent.
    values = {field.native: event.body.value(field.fact) for field in (row.fields if row else ())}
    extra = {
        key: value
        for key, value in values.items()
        if value is not None and (value != "" or key in given)
    }
    payload: dict[str, Any] = sayable(top | {"extra": {**given, **extra}})
    return payload


def sayable(value: Any) -> Any:
    """The value as JSON can say it; what it cannot say becomes text."""
    if isinstance(value, dict):
        return {str(key): sayable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [sayable(part) for part in value]
    if (
        value is None
        or isinstance(value, str | bool | int)
        or (isinstance(value, float) and math.isfinite(value))
    ):
        return value
    return str(value)
