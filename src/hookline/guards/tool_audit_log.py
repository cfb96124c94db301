"""The guard `tool_audit_log`: writes one JSON line for each call of a tool, without its secrets."""

from __future__ import annotations

import datetime as dt
import json

from hookline.guards.finding import Answer, Append
from hookline.model.event import ToolCall
from hookline.text.masking import mask_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.guards.world import World
    from hookline.model.event import Event

_FILE = "tool-calls.jsonl"
_LARGEST_MIB = 16
_LONGEST_LINE = 64 << 10  # characters
_LONGEST = 2_000  # characters of a text
_READ = 8_000  # characters of a text in which secrets are looked for
_MOST = 50  # entries of a list or an object
_DEEPEST = 8


def judge(event: Event, options: Mapping[str, Any], world: World) -> Answer | None:
    """Return the line about a call; None for an event without a tool."""
    body = event.body
    if not isinstance(body, ToolCall):
        return None
    has_failed = event.kind == "tool.failure" or body.error is not None
    record: dict[str, Any] = {
        "time": _format_time(world.now),
        "host": event.dialect,
        "session": event.session_id,
        "cwd": event.cwd,
        "tool": body.tool,
        "outcome": "failed" if has_failed else "done",
        "input": _prepare(body.input),
    }
    if body.call_id:
        record["call"] = body.call_id
    if has_failed:
        record["error"] = _prepare(body.error)
    if options.get("results"):
        record["result"] = _prepare(body.result)
    append = Append(
        path=options.get("file") or _FILE,
        line=_write_line(record),
        largest=(options.get("largest_mib") or _LARGEST_MIB) << 20,
    )
    return Answer(appends=(append,))


def _write_line(record: dict[str, Any]) -> str:
    """Return a record as one line; of a record that is too long, without its values."""
    line = json.dumps(record)
    if len(line) <= _LONGEST_LINE:
        return line
    kept = {key: value for key, value in record.items() if key not in ("input", "result", "error")}
    return json.dumps({**kept, "left_out": f"values of {len(line)} characters"})


def _prepare(value: Any) -> Any:
    """Return a value masked and shortened; secrets are looked for beyond what is kept."""
    return _shorten(mask_value(_shorten(value, _READ)), _LONGEST)


def _shorten(value: Any, longest: int, depth: int = 0) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else _cut(value, longest)
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        return "[deeper values]"
    if isinstance(value, dict):
        items = list(value.items())[:_MOST]
        return {str(key)[:longest]: _shorten(each, longest, depth + 1) for key, each in items}
    if isinstance(value, list):
        return [_shorten(each, longest, depth + 1) for each in value[:_MOST]]
    return value


def _cut(text: str, longest: int) -> str:
    """Return the start of a text, up to a blank, so that no half of a secret stays unmasked."""
    start = text[:longest].rpartition(" ")[0] or text[:longest]
    return f"{start} [{len(text) - len(start)} more characters]"


def _format_time(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat(timespec="milliseconds")
