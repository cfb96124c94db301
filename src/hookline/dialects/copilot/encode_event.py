"""Writes Copilot's payloads in the spelling of the key that a hook stands under (docs/formats/copilot.md 3)."""

from __future__ import annotations

import json

from hookline.dialects.copilot.decode_event import RESULT_KEYS, TIME, to_iso_time, unpack_object
from hookline.dialects.copilot.table import CONTRACTS, NAME, TABLE
from hookline.dialects.copilot.tool_names import claude_name, runtime_name
from hookline.model.event import ToolCall
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event, Json
    from hookline.model.spec import HookSpec

_ARGUMENTS = ("toolArgs", "tool_input", "toolInput")


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """What a hook is sent, in the spelling of the key that it stands under.

    Raises:
        TypeError, ValueError, RecursionError: it holds something that JSON cannot say.
    """
    if row is None:
        return encode(event, TABLE, None, spec.native_event)
    sent = _sent(event, row)
    given = encode(event.replace(raw=sent), TABLE, row, spec.native_event)
    if TIME in given:
        given[TIME] = sent[TIME] if TIME in sent else _time(given[TIME], row)
    if isinstance(event.body, ToolCall):
        _call(given, event.body, row, sent)
    return given


def _sent(event: Event, row: EventRow) -> Mapping[str, Any]:
    """What the host sent, as far as it is in this row's words: neither another host's payload nor one of the other spelling is."""
    if event.dialect != NAME:
        return {}
    source = CONTRACTS.get(event.native_name)
    return event.raw if source is None or source.fields == row.fields else {}


def _call(given: dict[str, Any], body: ToolCall, row: EventRow, sent: Mapping[str, Any]) -> None:
    """Name, arguments and result of a tool call, in the row's words."""
    name = "tool_name" if row.snake else "toolName"
    given[name] = claude_name(body.tool) if row.snake else runtime_name(body.tool)
    for key in _ARGUMENTS:
        if key in given:
            given[key] = _arguments(given[key], sent.get(key), as_text=key == "toolArgs")
    result = "tool_result" if row.snake else "toolResult"
    if result in given:
        given[result] = _result(body.result, sent.get(result), row)


def _arguments(value: Json, sent: Json, *, as_text: bool) -> Json:
    """Arguments as the host writes them: verbatim where nobody changed them, else as a JSON text or an object."""
    if sent is not None and unpack_object(sent) == value:
        return sent
    if not as_text or isinstance(value, str) or isinstance(sent, dict):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _result(value: Json, sent: Json, row: EventRow) -> dict[str, Any]:
    """A result with its kind, success unless the host said otherwise, and with its text; of no text, its JSON."""
    kind, key = RESULT_KEYS[row.snake]
    text = (
        value
        if isinstance(value, str)
        else ""
        if value is None
        else json.dumps(value, ensure_ascii=False, allow_nan=False)
    )
    return {kind: "success", **(sent if isinstance(sent, dict) else {}), key: text}


def _time(value: Json, row: EventRow) -> Json:
    """A time in the row's words: ISO with milliseconds for VS Code's payload, else milliseconds since 1970."""
    if not isinstance(value, str):
        return value
    from datetime import UTC, datetime  # noqa: PLC0415 - as above

    try:
        when = datetime.fromisoformat(value)
    except ValueError:
        return value
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    milliseconds = round(when.timestamp() * 1000)
    return to_iso_time(milliseconds) if row.snake else milliseconds
