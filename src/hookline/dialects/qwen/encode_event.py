"""Events as the payloads that hooks of Qwen Code read (docs/formats/qwen.md 3)."""

from __future__ import annotations

from hookline.dialects.qwen.table import NAME, TABLE
from hookline.wire.payload import encode, encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event


def encode_event(event: Event, native: str) -> str:
    """Return the one line of JSON that a hook reads from stdin."""
    payload = encode(event, TABLE, TABLE.row(native), native)
    result = payload.get("tool_response")
    if event.dialect != NAME and result is not None and not isinstance(result, dict):
        payload["tool_response"] = {"llmContent": result, "returnDisplay": result}
    return encode_wire_text(payload, TABLE)
