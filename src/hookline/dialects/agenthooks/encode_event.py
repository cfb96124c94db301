"""Events as the payloads that scripts of HOOK.md read (docs/formats/agenthooks.md 7)."""

from __future__ import annotations

from hookline.dialects.agenthooks.table import TABLE
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload of a hook, with the event in the spelling that the hook declared."""
    payload = encode(event, TABLE, row, spec.native_event)
    payload["context"] = payload["context"] or {}
    if isinstance(payload.get("final_message"), str):  # other dialects keep it as a text
        payload["final_message"] = {"role": "assistant", "content": payload["final_message"]}
    return payload
