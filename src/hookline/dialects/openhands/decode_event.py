"""Payloads of OpenHands as events (docs/formats/openhands.md 5)."""

from __future__ import annotations

from hookline.dialects.openhands.table import TABLE
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event, Json

_KEYS = {"native": "event_type", "session_id": "session_id", "cwd": "working_dir"}


def decode_event(payload: Json, native: str = "") -> Event:
    """Return a payload of the host as an event.

    Raises:
        CodecError: the payload cannot be understood.
    """
    return decode(payload, TABLE, native, _KEYS)
