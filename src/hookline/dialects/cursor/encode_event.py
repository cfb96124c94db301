"""What a Cursor hook is sent: the host's own text where it is the host's event, its own shapes everywhere."""

from __future__ import annotations

from hookline.dialects.cursor.decode_event import close_json, loops
from hookline.dialects.cursor.table import MCP, NAME, TABLE
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

_PACKED = ("tool_input", "tool_output", "result_json")


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """The payload of a hook that is declared under `native` (docs/formats/cursor.md 4).

    Raises:
        TypeError, ValueError, RecursionError: JSON cannot say a value that must be sent as text.
    """
    given = encode(event, TABLE, row, spec.native_event)
    if row is None:
        return given
    if isinstance(event.input, dict):
        given |= {key: event.input[key] for key in row.made_of if key in event.input}
    if event.dialect != NAME:
        given |= _of_another_host(event, given)
    return given | {
        key: close_json(given[key], event.raw.get(key))
        for key in _PACKED
        if key in given and _as_text(key, event, row)
    }


def _as_text(key: str, event: Event, row: EventRow) -> bool:
    """Whether a field goes as text: as the host sent it, and for the event of another host as this one would."""
    if event.dialect == NAME and key in event.raw:
        return isinstance(event.raw[key], str)
    return key in row.texts or (key == "tool_input" and event.tool.startswith(MCP))


def _of_another_host(event: Event, given: dict[str, Any]) -> dict[str, Any]:
    """What the facts of another host's event are called here."""
    filled: dict[str, Any] = {}
    if event.cwd and not given["workspace_roots"]:
        filled["workspace_roots"] = [event.cwd]
    if "session_id" in given:
        filled["session_id"] = event.session_id
    if "loop_count" in given:
        filled["loop_count"] = loops(event.body.facts)
    server = event.body.facts.get("server")
    if isinstance(server, str) and event.kind.startswith("mcp."):
        filled["url" if "://" in server else "command"] = server
    return filled
