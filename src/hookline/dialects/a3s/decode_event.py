"""Decodes an event of an a3s host: `{"event_type": "pre_tool_use", "payload": {...}}`."""

from __future__ import annotations

from hookline.dialects.a3s.table import TABLE
from hookline.errors import CodecError
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event, Json

_KEYS = TABLE.attribute_keys()


def decode_event(document: Json, native: str = "") -> Event:
    """Return a host's event. With `native` given, the document may be the payload alone.

    Raises:
        CodecError: not an object, no event named, or a field of the wrong type.
    """
    wrapped = isinstance(document, dict) and "event_type" in document
    named = native or (document["event_type"] if wrapped else "")
    if not isinstance(named, str) or not named:
        raise CodecError(
            "an a3s event must be a JSON object whose `event_type` names the event",
            name="wire.event",
            hint='{"event_type": "pre_tool_use", "payload": {...}}',
        )
    row = TABLE.row(named)
    # The session of a skill event is empty, whatever the host sent (docs/formats/a3s.md 2).
    keys = {**_KEYS, "session_id": ""} if row is not None and row.sessionless else _KEYS
    payload = document.get("payload", {}) if wrapped else document
    return decode(payload, TABLE, row.native if row else named, keys)
