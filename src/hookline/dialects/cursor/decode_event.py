"""What Cursor sends, as an event: JSON in strings is opened, and what a command or a file event is about is a tool call."""

from __future__ import annotations

from hookline.dialects.cursor.table import TABLE
from hookline.dialects.kit.json_text import open_json
from hookline.model.event import Stop, ToolCall
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Body, Event, Json


def decode_event(payload: Json, native: str) -> Event:
    """Return a payload as an event.

    Where the payload names no folder, the event happens in the first of the workspace's roots.

    Raises:
        CodecError: the payload cannot be understood.
    """
    event = decode(payload, TABLE, native, TABLE.attribute_keys())
    roots, session = payload.get("workspace_roots"), payload.get("session_id")
    root = roots[0] if isinstance(roots, list) and roots else ""
    row = TABLE.row(event.native_name)
    return event.replace(
        cwd=event.cwd or (root if isinstance(root, str) else ""),
        session_id=event.session_id or (session if isinstance(session, str) else ""),
        body=_body(event.body, row) if row is not None else event.body,
    )


def _body(body: Body, row: EventRow) -> Body:
    facts = body.facts
    if row.tool:
        about = [field for field in row.fields if field.native in row.made_of]
        given = {field.native: facts[field.fact] for field in about if field.fact in facts}
        return ToolCall(tool=row.tool, input=given, result=facts.get("result"), facts=facts)
    if isinstance(body, Stop):
        return body.replace(stop_hook_active=count_loops(facts) > 0)
    if not isinstance(body, ToolCall):
        return body
    arguments = open_json(body.input)
    server = facts.get("url") or facts.get("command")
    return body.replace(
        input=arguments if isinstance(arguments, dict) else None,
        result=open_json(body.result),
        facts={**facts, "server": server} if server else facts,
    )


def count_loops(facts: Any) -> int:
    """Return how often a stop gate sent the agent back already: as the host counts it, or as our engine does."""
    counts = [facts.get(name) for name in ("loop_count", "stop_block_count")]
    return max((count for count in counts if isinstance(count, int)), default=0)
