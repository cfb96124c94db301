"""Events as the payloads that shell hooks of Hermes read (docs/formats/hermes.md 2)."""

from __future__ import annotations

import math

from hookline.dialects.starchild.hermes.table import NAME, TABLE
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload of a hook (docs/formats/hermes.md 2)."""
    top = encode(event, TABLE, None, spec.native_event)
    sent = top.pop("extra", None)
    # A tool that only we tell from the event is none of what the host sent.
    top["tool_name"] = (
        event.raw.get("tool_name") if event.dialect == NAME else top["tool_name"]
    ) or None
    top["tool_input"] = top["tool_input"] if isinstance(top["tool_input"], dict) else None
    given = sent if isinstance(sent, dict) and event.dialect == NAME else {}
    # What the event says now goes before what the host sent.
    values = {field.native: event.body.value(field.fact) for field in (row.fields if row else ())}
    extra = {
        key: value
        for key, value in values.items()
        if value is not None and (value != "" or key in given)
    }
    payload: dict[str, Any] = sayable(top | {"extra": {**given, **extra}})
    return payload


def sayable(value: Any) -> Any:
    """The value as JSON can say it; what it cannot say becomes text."""
    if isinstance(value, dict):
        return {str(key): sayable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [sayable(part) for part in value]
    if (
        value is None
        or isinstance(value, str | bool | int)
        or (isinstance(value, float) and math.isfinite(value))
    ):
        return value
    return str(value)
