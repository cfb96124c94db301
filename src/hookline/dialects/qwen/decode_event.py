"""Payloads of Qwen Code as events (docs/formats/qwen.md 3)."""

from __future__ import annotations

from hookline.dialects.qwen.table import TABLE
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event, Json

_KEYS = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}


def decode_event(payload: Json, native: str = "") -> Event:
    """Return a payload of the host as an event.

    Raises:
        CodecError: the payload cannot be understood.
    """
    return decode(payload, TABLE, native, _KEYS)
