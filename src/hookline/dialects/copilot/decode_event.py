"""Reads Copilot's payloads, whichever spelling of the event's key they follow (docs/formats/copilot.md 3).

A camelCase payload has its arguments as a JSON text, the time in milliseconds, and names no event; VS Code's has an object,
an ISO time and Claude's tool names. Inside, arguments are an object, a result is its text, and the time is an ISO text.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hookline.dialects.copilot.table import CONTRACTS, SPELLINGS, TABLE
from hookline.dialects.kit.json_text import open_json
from hookline.model.event import ToolCall
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.event import Event, Json

_CAMEL = {"native": "hookName", "session_id": "sessionId", "cwd": "cwd"}
_SNAKE = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def decode_event(payload: Json, native: str) -> Event:
    """Return a host's payload as an event.

    Raises:
        CodecError: as `wire.payload.decode`.
    """
    given = payload if isinstance(payload, dict) else {}
    native = native or _find_event(given)
    row = CONTRACTS.get(native)
    snake = row.snake if row else "session_id" in given
    event = decode(payload, SPELLINGS, native, _SNAKE if snake else _CAMEL)
    body = event.body
    time = body.facts.get("timestamp")
    if isinstance(time, int) and not isinstance(time, bool):
        body = body.replace(facts={**body.facts, "timestamp": to_iso_time(time)})
    if isinstance(body, ToolCall):
        body = body.replace(input=open_json(body.input), result=_text_of(body.result))
    return event.replace(body=body)


def _find_event(payload: Mapping[str, Json]) -> str:
    """Return the event that a payload names, or else the one of whose own fields it has most; "" without any."""
    for key in ("hookName", "hook_event_name"):
        if payload.get(key) and isinstance(payload[key], str):
            return str(payload[key])
    sizes = {
        row.native: len(row.tells.split())
        for row in TABLE.rows.values()
        if payload.keys() >= set(row.tells.split())
    }
    return max(sizes, key=sizes.__getitem__, default="")


def _text_of(result: Json) -> Json:
    for key in ("textResultForLlm", "text_result_for_llm"):
        if isinstance(result, dict) and isinstance(result.get(key), str):
            return result[key]
    return result


def to_iso_time(milliseconds: int) -> Json:
    """Return milliseconds since 1970 as an ISO time; a number that no calendar has stays a number."""
    try:
        when = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return milliseconds
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
