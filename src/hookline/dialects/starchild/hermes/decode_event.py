"""Payloads of Hermes as events: a fixed top, and under `extra` what belongs to the event (docs/formats/hermes.md 2)."""

from __future__ import annotations

from hookline.dialects.starchild.hermes.table import TABLE
from hookline.errors import CodecError
from hookline.model.event import ToolCall
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event, Json

_KEYS = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}


def decode_event(payload: Json, native: str) -> Event:
    """Return a host's payload as an event; what lies in `extra` counts like the rest.

    Raises:
        CodecError: the payload cannot be understood.
    """
    if not isinstance(payload, dict):
        return decode(payload, TABLE, native, _KEYS)  # which says what is wrong
    extra = payload.get("extra") or {}
    if not isinstance(extra, dict) or not all(isinstance(key, str) for key in extra):
        raise CodecError("`extra` of a hermes payload must be an object")
    flat = {**extra, **payload}
    row = TABLE.row(native or str(flat.get(_KEYS["native"], "")))
    if flat.get("tool_name") is None:
        flat["tool_name"] = row.tool or None if row else None
    if row is not None and row.body is ToolCall and not isinstance(flat["tool_name"], str):
        raise CodecError(f"`tool_name` of a hermes `{row.native}` payload must be text")
    return decode(flat, TABLE, native, _KEYS).replace(raw=payload)
