"""Events as the payloads that hooks of Qwen Code read (docs/formats/qwen.md 3)."""

from __future__ import annotations

from hookline.dialects.qwen.table import NAME, TABLE
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload of a hook; what another host calls a result is what both the model and the user see."""
    payload = encode(event, TABLE, row, spec.native_event)
    result = payload.get("tool_response")
    if event.dialect != NAME and result is not None and not isinstance(result, dict):
        payload["tool_response"] = {"llmContent": result, "returnDisplay": result}
    return payload
