"""Events as the payloads that hooks of OpenHands read (docs/formats/openhands.md 5)."""

from __future__ import annotations

import json

from hookline.dialects.openhands.table import NAME, TABLE
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload of a hook, with another host's result in the shape of an observation."""
    payload = encode(event, TABLE, row, spec.native_event)
    result = payload["tool_response"]
    if event.dialect != NAME and result is not None and not isinstance(result, dict):
        payload["tool_response"] = _observation(
            result, failed=event.body.value("error") is not None
        )
    return payload


def _observation(result: Any, *, failed: bool) -> dict[str, Any]:
    """Return another host's result in the shape of an observation."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}], "is_error": failed}
