"""Cursor: hooks in its `hooks.json`, of the organisation, the user and the project (docs/formats/cursor.md)."""

from __future__ import annotations

from hookline.dialects.cursor.table import MCP, NAME, TABLE, count_loops
from hookline.dialects.kit.dialect import FolderDialect
from hookline.dialects.kit.json_text import close_json, open_json
from hookline.model.event import Stop, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Body, Event, Json
    from hookline.model.spec import HookSpec

__all__ = ["NAME", "OPTIONS", "Cursor"]

OPTIONS: tuple[str, ...] = ()


class Cursor(FolderDialect):
    """The dialect of Cursor. It has no options."""

    def __init__(self) -> None:
        super().__init__(__name__, TABLE)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        """Return a payload as an event.

        Where it names no folder, that is the first of the workspace's roots.
        """
        event = super().decode_event(payload, native)
        roots, session = payload.get("workspace_roots"), payload.get("session_id")
        if not event.cwd and isinstance(roots, list) and roots and isinstance(roots[0], str):
            event = event.replace(cwd=roots[0])
        if not event.session_id and isinstance(session, str):
            event = event.replace(session_id=session)
        row = TABLE.row(event.native_name)
        return event.replace(body=_open_body(event.body, row)) if row is not None else event

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a hook: the host's own text where it is the host's event, its own shapes everywhere."""
        given = super().encode_payload(event, spec, row)
        if row is None:
            return given
        if isinstance(event.input, dict):
            given |= {key: event.input[key] for key in row.made_of if key in event.input}
        sent = event.raw if event.dialect == NAME else {}
        if event.dialect != NAME:
            given |= _translate(event, given)
        for key in ("tool_input", "tool_output", "result_json"):
            # The host's own event goes as it came. Otherwise an input is text for an MCP server
            # only.
            is_text = (
                key != "tool_input" or row.kind.startswith("mcp.") or event.tool.startswith(MCP)
            )
            if key in given and (isinstance(sent[key], str) if key in sent else is_text):
                given[key] = close_json(given[key], sent.get(key))
        return given


def _open_body(body: Body, row: EventRow) -> Body:
    """Return what an event carries: JSON in texts is opened, and an event about a command or a file is a tool call."""
    facts = body.facts
    if row.tool:
        about = [field for field in row.fields if field.native in row.made_of]
        given = {field.native: facts[field.fact] for field in about if field.fact in facts}
        return ToolCall(tool=row.tool, input=given, result=facts.get("result"), facts=facts)
    if isinstance(body, Stop):
        return body.replace(stop_hook_active=count_loops(facts) > 0)
    if not isinstance(body, ToolCall):
        return body
    arguments, result = open_json(body.input), open_json(body.result)
    if server := facts.get("url") or facts.get("command"):
        facts = {**facts, "server": server}
    arguments = arguments if isinstance(arguments, dict) else None
    return body.replace(input=arguments, result=result, facts=facts)


def _translate(event: Event, given: dict[str, Any]) -> dict[str, Any]:
    """Return what the facts of another host's event are called here."""
    words: dict[str, Any] = {}
    if event.cwd:
        words["workspace_roots"] = given["workspace_roots"] or [event.cwd]
    if "session_id" in given:
        words["session_id"] = event.session_id
    if "loop_count" in given:
        words["loop_count"] = count_loops(event.body.facts)
    server = event.body.facts.get("server")
    if isinstance(server, str) and event.kind.startswith("mcp."):
        words["url" if "://" in server else "command"] = server
    return words
