"""Writes Copilot's payloads in the spelling of the key that a hook stands under (docs/formats/copilot.md 3)."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from hookline.dialects.copilot.decode_event import to_iso_time
from hookline.dialects.copilot.table import (
    CLAUDE_NAMES,
    CONTRACTS,
    NAME,
    TABLE,
    runtime_names,
)
from hookline.dialects.kit.json_text import close_json
from hookline.model.event import ToolCall
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event, Json
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return what a hook is sent, in the spelling of the key that it stands under.

    Raises:
        TypeError, ValueError, RecursionError: it holds something that JSON cannot express.
    """
    if row is None:
        return encode(event, TABLE, None, spec.native_event)
    # A payload of another host, or of the other spelling, has other keys.
    source = CONTRACTS.get(event.native_name, row)
    sent = event.raw if event.dialect == NAME and source.fields == row.fields else {}
    given = encode(event.replace(raw=sent), TABLE, row, spec.native_event)
    if "timestamp" in given:
        given["timestamp"] = sent.get("timestamp", _time(given["timestamp"], row))
    if not isinstance(event.body, ToolCall):
        return given
    keys = {field.fact: field.native for field in row.fields}
    given[keys["tool"]] = _tool_name(event.body.tool, row)
    if keys["input"] == "toolArgs" and not isinstance(sent.get("toolArgs"), dict):
        given["toolArgs"] = close_json(given["toolArgs"], sent.get("toolArgs"))
    if "result" in keys:
        given[keys["result"]] = _result(event.body.result, sent.get(keys["result"]), row)
    return given


def _tool_name(tool: str, row: EventRow) -> str:
    return CLAUDE_NAMES.get(tool, tool) if row.snake else next(iter(runtime_names(tool)), tool)


def _result(value: Json, sent: Json, row: EventRow) -> dict[str, Any]:
    """Return a result with its kind, success unless the host said otherwise, and with its text; of no text, its JSON."""
    kind, key = "resultType", "textResultForLlm"
    if row.snake:
        kind, key = "result_type", "text_result_for_llm"
    text = "" if value is None else value
    if not isinstance(text, str):
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return {kind: "success", **(sent if isinstance(sent, dict) else {}), key: text}


def _time(value: Json, row: EventRow) -> Json:
    """Return a time in the row's unit: ISO with milliseconds for VS Code's payload, else milliseconds since 1970."""
    try:
        when = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return value
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    milliseconds = round(when.timestamp() * 1000)
    return to_iso_time(milliseconds) if row.snake else milliseconds
