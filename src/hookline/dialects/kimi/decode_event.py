"""Payloads of Kimi as events (docs/formats/kimi.md 2)."""

from __future__ import annotations

from hookline.dialects.kimi.encode_event import text_of
from hookline.dialects.kimi.table import TABLE
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event, Json


def decode_event(payload: Json, native: str) -> Event:
    """Return a payload of the host as an event. A prompt may be a list of parts; hooks and matchers see its text.

    Raises:
        CodecError: the payload cannot be understood.
    """
    keys = TABLE.attribute_keys()
    if not isinstance(payload, dict) or not isinstance(payload.get("prompt"), list):
        return decode(payload, TABLE, native, keys)
    plain = {**payload, "prompt": text_of(payload["prompt"])}
    return decode(plain, TABLE, native, keys).replace(raw=payload)
