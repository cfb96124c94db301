"""Payloads of Hermes as events: a fixed top, and under `extra` what belongs to the event (docs/formats/hermes.md 2)."""

from __future__ import annotations

from hookline.dialects.starchild.hermes.table import TABLE
from hookline.errors import CodecError
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event, Json


def decode_event(payload: Json, native: str) -> Event:
    """Return a host's payload as an event; what lies in `extra` counts like the rest.

    Raises:
        CodecError: the payload cannot be understood.
    """
    keys = TABLE.attribute_keys()
    if not isinstance(payload, dict):
        return decode(payload, TABLE, native, keys)  # it says what is wrong
    extra = payload.get("extra") or {}
    if not isinstance(extra, dict):
        raise CodecError("`extra` of a hermes payload must be an object")
    flat = {**extra, **payload}
    row = TABLE.row(native or str(flat.get(keys["native"], "")))
    if flat.get("tool_name") is None and row is not None:
        flat["tool_name"] = row.tool or None
    return decode(flat, TABLE, native, keys).replace(raw=payload)
