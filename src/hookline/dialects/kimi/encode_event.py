"""What a Kimi hook is sent: prompts and results as text, long ones cut (docs/formats/kimi.md 2)."""

from __future__ import annotations

import json

from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow, Table
    from hookline.model.event import Event, Json


def payload(event: Event, table: Table, row: EventRow | None, native: str) -> dict[str, Any]:
    """The payload of a hook that is declared for `native`."""
    given = encode(event, table, row, native)
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
