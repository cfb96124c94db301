"""Reads Copilot's payloads, whichever spelling of the event's key they follow (docs/formats/copilot.md 3).

A camelCase payload has its arguments as a JSON text, the time in milliseconds, and names no event; VS Code's has an object,
an ISO time and Claude's tool names. Inside, arguments are an object, a result is its text, and the time is an ISO text.
"""

from __future__ import annotations

from hookline.dialects.copilot.table import CONTRACTS, SPELLINGS, TABLE
from hookline.errors import CodecError
from hookline.model.event import ToolCall
from hookline.wire.json_reader import read_json
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.event import Event, Json

_CAMEL = {"native": "hookName", "session_id": "sessionId", "cwd": "cwd"}
_SNAKE = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}
# Keys of a result, by `snake`: its kind, and its text.
RESULT_KEYS = {
    False: ("resultType", "textResultForLlm"),
    True: ("result_type", "text_result_for_llm"),
}
TIME = "timestamp"


def decode_event(payload: Json, native: str) -> Event:
    """A host's payload as an event; what it is of, where nobody says so, is known by its fields.

    Raises:
        CodecError: as `wire.payload.decode`.
    """
    given = payload if isinstance(payload, dict) else {}
    native = native or _told(given)
    row = CONTRACTS.get(native)
    snake = row.snake if row else "session_id" in given
    event = decode(payload, SPELLINGS, native, _SNAKE if snake else _CAMEL)
    facts = event.body.facts
    if isinstance(when := facts.get(TIME), int) and not isinstance(when, bool):
        event = event.replace(body=event.body.replace(facts={**facts, TIME: to_iso_time(when)}))
    return _with_call(event) if isinstance(event.body, ToolCall) else event


def _told(payload: Mapping[str, Any]) -> str:
    """The event that a payload names, or else has the fields of."""
    for key in ("hookName", "hook_event_name"):
        if payload.get(key) and isinstance(payload[key], str):
            return str(payload[key])
    having = [
        (len(fields), -at, row.native)
        for at, row in enumerate(CONTRACTS.values())
        for fields in row.tells
        if not row.snake and row.native in TABLE.rows and all(field in payload for field in fields)
    ]
    return max(having)[2] if having else ""


def _with_call(event: Event) -> Event:
    """The event with arguments as an object where they are one, and with the result's text."""
    body = event.body
    assert isinstance(body, ToolCall)  # noqa: S101 - the caller looked
    return event.replace(
        body=body.replace(input=unpack_object(body.input), result=_text_of(body.result))
    )


def unpack_object(arguments: Json) -> Json:
    """Arguments as they are meant: a JSON text of an object is that object, any other text (a patch) is itself."""
    if not isinstance(arguments, str):
        return arguments
    try:
        read = read_json(arguments)
    except CodecError:
        return arguments
    return read if isinstance(read, dict) else arguments


def _text_of(result: Json) -> Json:
    for _, key in RESULT_KEYS.values():
        if isinstance(result, dict) and isinstance(result.get(key), str):
            return result[key]
    return result


def to_iso_time(milliseconds: int) -> Json:
    """Milliseconds since 1970 as an ISO time; what no calendar has stays a number."""
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415 - few payloads are told in another spelling

    try:
        when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return milliseconds
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
