"""Events as the payloads that shell hooks of Hermes read (docs/formats/hermes.md 2)."""

from __future__ import annotations

import json

from hookline.dialects.starchild.hermes.table import NAME, TABLE
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload of a hook. What JSON has no form for becomes text.

    Raises:
        TypeError, RecursionError: it cannot be serialised at all.
    """
    is_own = event.dialect == NAME
    payload = encode(event, TABLE, None, spec.native_event)
    sent = payload.pop("extra", None)
    extra = dict(sent) if is_own and isinstance(sent, dict) else {}
    # The host does not send the tool's name where the event alone says which tool it is.
    payload["tool_name"] = (event.raw if is_own else payload).get("tool_name") or None
    if not isinstance(payload["tool_input"], dict):
        payload["tool_input"] = None
    # What the event says now counts, not what the host sent.
    for field in row.fields if row else ():
        value = event.body.value(field.fact)
        if value is not None and (value != "" or field.native in extra):
            extra[field.native] = value
    text = json.dumps({**payload, "extra": extra}, default=str)
    found: dict[str, Any] = json.loads(text, parse_constant=str)
    return found
