"""Events as the payloads that hooks of OpenHands read (docs/formats/openhands.md 5)."""

from __future__ import annotations

import json

from hookline.dialects.openhands.table import NAME, TABLE
from hookline.wire.payload import encode, encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Event


def encode_event(event: Event, native: str) -> str:
    """Return the one line of JSON that a hook reads from stdin."""
    payload = encode(event, TABLE, TABLE.row(native), native)
    result = payload["tool_response"]
    if event.dialect != NAME and result is not None and not isinstance(result, dict):
        payload["tool_response"] = _observation(
            result, failed=event.body.value("error") is not None
        )
    return encode_wire_text(payload, TABLE)


def _observation(result: Any, *, failed: bool) -> dict[str, Any]:
    """Return another host's result in the shape of an observation."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}], "is_error": failed}
