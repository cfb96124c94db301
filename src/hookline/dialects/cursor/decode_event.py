"""What Cursor sends, as an event: JSON in strings is opened, and what a command or a file event is about is a tool call."""

from __future__ import annotations

import json

from hookline.dialects.cursor.table import TABLE
from hookline.errors import CodecError
from hookline.model.event import Stop, ToolCall
from hookline.wire.json_reader import read_json
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Body, Event, Json

_KEYS = {"native": "hook_event_name", "session_id": "conversation_id", "cwd": "cwd"}


def decode_event(payload: Json, native: str) -> Event:
    """The event that a payload is.

    Where the payload names no folder, the event happens in the first of the workspace's roots.

    Raises:
        CodecError: the payload cannot be understood.
    """
    event = decode(payload, TABLE, native, _KEYS)
    changes: dict[str, Any] = {}
    if not event.cwd:
        changes["cwd"] = _first_text(payload.get("workspace_roots"))
    if not event.session_id and isinstance(payload.get("session_id"), str):
        changes["session_id"] = payload["session_id"]
    row = TABLE.row(event.native_name)
    if row is not None:
        changes["body"] = _body(event.body, row)
    return event.replace(**changes)


def _first_text(roots: Json) -> str:
    return roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""


def _body(body: Body, row: EventRow) -> Body:
    if row.tool:
        facts = body.facts
        given = {
            field.native: facts[field.fact]
            for field in row.fields
            if field.native in row.made_of and field.fact in facts
        }
        return ToolCall(tool=row.tool, input=given, result=facts.get("result"), facts=facts)
    if isinstance(body, ToolCall):
        return _call(body)
    if isinstance(body, Stop):
        return body.replace(stop_hook_active=loops(body.facts) > 0)
    return body


def _call(body: ToolCall) -> ToolCall:
    """A call whose arguments are an object, or nothing where their text holds none; an MCP server is a fact."""
    changes: dict[str, Any] = {}
    if isinstance(body.input, str):
        arguments = open_json(body.input)
        changes["input"] = arguments if isinstance(arguments, dict) else None
    if isinstance(body.result, str):
        changes["result"] = open_json(body.result)
    server = body.facts.get("url") or body.facts.get("command")
    if server:
        changes["facts"] = {**body.facts, "server": server}
    return body.replace(**changes) if changes else body


def loops(facts: Any) -> int:
    """How often a stop gate sent the agent back already: as the host counts it, or as our engine does."""
    counts = [facts.get(name) for name in ("loop_count", "stop_block_count")]
    return max((count for count in counts if isinstance(count, int)), default=0)


def open_json(text: str) -> Any:
    """The object or list that a text holds; the text itself where it holds neither, as the output of a program does."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = read_json(text)
    except CodecError:
        return text
    return value if isinstance(value, dict | list) else text


def close_json(value: Any, sent: Any) -> str:
    """A value as text: what the host sent where that still says the same, else JSON without blanks.

    Raises:
        TypeError, ValueError, RecursionError: JSON cannot say it.
    """
    if isinstance(value, str):
        return value
    if isinstance(sent, str) and open_json(sent) == value:
        return sent
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
