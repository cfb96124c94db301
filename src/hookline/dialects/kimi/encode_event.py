"""What a Kimi hook is sent: prompts and results as text, long ones cut (docs/formats/kimi.md 2)."""

from __future__ import annotations

import json

from hookline.dialects.kimi.table import TABLE
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event, Json
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload of a hook."""
    given = encode(event, TABLE, row, spec.native_event)
    for field, longest in row.cut.items() if row else ():
        given[field] = text_of(given[field])[:longest]
    return given


def text_of(value: Json) -> str:
    """The text of a prompt or a result: of a list of parts, the parts that are text; of any other value, its JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, dict) and "type" in part for part in value):
        return " ".join(part["text"] for part in value if isinstance(part.get("text"), str))
    return json.dumps(value, ensure_ascii=False)
