"""Payloads: what a spelling of the key makes of an event, on the way in and on the way out (docs/formats/copilot.md).

A camelCase payload has its arguments as a JSON text, the time in milliseconds, and names no event; VS Code's has an object,
an ISO time and Claude's tool names. Inside, arguments are an object, a result is its text, and the time is an ISO text.
"""

from __future__ import annotations

import json

from hookline.dialects.copilot.table import CONTRACTS, NAME, SPELLINGS, TABLE, contract
from hookline.dialects.copilot.tool_names import claude_name, runtime_name
from hookline.errors import CodecError
from hookline.model.event import ToolCall
from hookline.wire.json_reader import read_json
from hookline.wire.payload import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event, Json
    from hookline.model.spec import HookSpec

_CAMEL = {"native": "hookName", "session_id": "sessionId", "cwd": "cwd"}
_SNAKE = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}
# Keys of a result, by `snake`: its kind, and its text.
_RESULT = {False: ("resultType", "textResultForLlm"), True: ("result_type", "text_result_for_llm")}
_ARGUMENTS = ("toolArgs", "tool_input", "toolInput")
_TIME = "timestamp"


# -- in ------------------------------------------------------------------------------------------------------------------


def event_of(payload: Json, native: str) -> Event:
    """A host's payload as an event; what it is of, where nobody says so, is known by its fields.

    Raises:
        CodecError: as `wire.payload.decode`.
    """
    given = payload if isinstance(payload, dict) else {}
    native = native or _told(given)
    row = contract(native)
    snake = row.snake if row else "session_id" in given
    event = decode(payload, SPELLINGS, native, _SNAKE if snake else _CAMEL)
    facts = event.body.facts
    if isinstance(when := facts.get(_TIME), int) and not isinstance(when, bool):
        event = event.replace(body=event.body.replace(facts={**facts, _TIME: _iso(when)}))
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
    return event.replace(body=body.replace(input=_object(body.input), result=_text_of(body.result)))


def _object(arguments: Json) -> Json:
    """Arguments as they are meant: a JSON text of an object is that object, any other text (a patch) is itself."""
    if not isinstance(arguments, str):
        return arguments
    try:
        read = read_json(arguments)
    except CodecError:
        return arguments
    return read if isinstance(read, dict) else arguments


def _text_of(result: Json) -> Json:
    for _, key in _RESULT.values():
        if isinstance(result, dict) and isinstance(result.get(key), str):
            return result[key]
    return result


# -- out -----------------------------------------------------------------------------------------------------------------


def payload_for(event: Event, spec: HookSpec) -> dict[str, Any]:
    """What a hook is sent, in the spelling of the key that it stands under.

    Raises:
        TypeError, ValueError, RecursionError: it holds something that JSON cannot say.
    """
    row = contract(spec.native_event)
    if row is None:
        return encode(event, TABLE, None, spec.native_event)
    sent = _sent(event, row)
    given = encode(event.replace(raw=sent), TABLE, row, spec.native_event)
    if _TIME in given:
        given[_TIME] = sent[_TIME] if _TIME in sent else _time(given[_TIME], row)
    if isinstance(event.body, ToolCall):
        _call(given, event.body, row, sent)
    return given


def _sent(event: Event, row: EventRow) -> Mapping[str, Any]:
    """What the host sent, as far as it is in this row's words: neither another host's payload nor one of the other spelling is."""
    if event.dialect != NAME:
        return {}
    source = contract(event.native_name)
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
    if sent is not None and _object(sent) == value:
        return sent
    if not as_text or isinstance(value, str) or isinstance(sent, dict):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _result(value: Json, sent: Json, row: EventRow) -> dict[str, Any]:
    """A result with its kind, success unless the host said otherwise, and with its text; of no text, its JSON."""
    kind, key = _RESULT[row.snake]
    text = (
        value
        if isinstance(value, str)
        else ""
        if value is None
        else json.dumps(value, ensure_ascii=False, allow_nan=False)
    )
    return {kind: "success", **(sent if isinstance(sent, dict) else {}), key: text}


# -- time ----------------------------------------------------------------------------------------------------------------


def _iso(milliseconds: int) -> Json:
    """Milliseconds since 1970 as an ISO time; what no calendar has stays a number."""
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415 - few payloads are told in another spelling

    try:
        when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return milliseconds
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


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
    return _iso(milliseconds) if row.snake else milliseconds
