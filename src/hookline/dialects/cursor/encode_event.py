"""What a Cursor hook is sent: the host's own text where it is the host's event, its own shapes everywhere."""

from __future__ import annotations

from hookline.dialects.cursor.decode_event import count_loops
from hookline.dialects.cursor.table import MCP, NAME, TABLE
from hookline.dialects.kit.json_text import close_json
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload of a hook (docs/formats/cursor.md 4).

    Raises:
        TypeError, ValueError, RecursionError: JSON cannot express a value that must be sent as text.
    """
    given = encode(event, TABLE, row, spec.native_event)
    if row is None:
        return given
    if isinstance(event.input, dict):
        given |= {key: event.input[key] for key in row.made_of if key in event.input}
    if event.dialect != NAME:
        given |= _translate(event, given)
    sent = event.raw if event.dialect == NAME else {}
    for key in ("tool_input", "tool_output", "result_json"):
        # The host's own event goes as it came. Otherwise an input is text for an MCP server only.
        is_text = key != "tool_input" or row.kind.startswith("mcp.") or event.tool.startswith(MCP)
        if key in given and (isinstance(sent[key], str) if key in sent else is_text):
            given[key] = close_json(given[key], sent.get(key))
    return given


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
