"""Payloads of Cline as events (docs/formats/cline.md 3)."""

from __future__ import annotations

import shlex

from hookline.dialects.cline.table import NAME, TABLE
from hookline.errors import CodecError
from hookline.model.event import ToolCall
from hookline.model.tools import list_names
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.event import Event, Json

_KEYS = {"native": "hookName", "session_id": "taskId", "cwd": "cwd"}
# Keys of `tool_call` and `tool_result`, which only the command line program sends -> the extension's.
_SHORT: Mapping[str, str] = {
    "name": "toolName",
    "input": "parameters",
    "output": "result",
    "durationMs": "executionTimeMs",
}
# Keys of a shell tool's input that say what it runs.
_OF_COMMANDS = ("command", "commands", "args")


def decode_event(payload: Json, native: str = "") -> Event:
    """Return a payload of the host as an event.

    Raises:
        CodecError: the payload cannot be understood.
    """
    flat = _flatten(payload, native) if isinstance(payload, dict) else payload
    event = decode(flat, TABLE, native, _KEYS).replace(raw=payload)
    if not isinstance(event.body, ToolCall):
        return event
    given = plain_input(event.tool, event.input)
    return event.replace(body=event.body.replace(input=given))


def plain_input(tool: str, given: Any) -> Any:
    """Return a tool's input as other hosts have it: of a shell tool, all its commands as one text under `command`.

    The command line program takes a list of commands, of texts or of a program with `args`, in seven shapes. A guard
    that looks at the command must see each of them.
    """
    if tool not in list_names("shell", NAME) or not isinstance(given, str | list | dict):
        return given
    fields: dict[str, Any] = given if isinstance(given, dict) else {"commands": given}
    if "commands" not in fields and "args" not in fields:
        return given
    commands = fields.get("commands", fields)
    entries = commands if isinstance(commands, list) else [commands]
    beside = {key: value for key, value in fields.items() if key not in _OF_COMMANDS}
    return {"command": "\n".join(map(_line, entries)), **beside}


def _line(entry: Any) -> str:
    """Return one entry of a list of commands as a line for a shell."""
    if not isinstance(entry, dict):
        return str(entry)
    command, arguments = str(entry.get("command", "")), entry.get("args")
    return shlex.join([command, *map(str, arguments)]) if arguments else command


def _flatten(payload: Mapping[str, Any], native: str) -> dict[str, Any]:
    """Return the payload with the fields of its sections beside the others.

    The section of the command line program counts before the extension's, because it keeps a tool's values as they are.

    Raises:
        CodecError: a section is no object, or the folders are no list of texts.
    """
    roots = payload.get("workspaceRoots") or [""]
    if not isinstance(roots, list) or not isinstance(roots[0], str):
        raise CodecError(f"`workspaceRoots` of a {NAME} payload must be a list of texts")
    flat: dict[str, Any] = {**payload, "cwd": roots[0]}
    row = TABLE.row(str(native or payload.get("hookName")))
    sections = {row.section: {}, row.called: _SHORT} if row is not None else {}
    for key, names in sections.items():
        section = payload.get(key)
        if section is not None and not isinstance(section, dict):
            raise CodecError(f"`{key}` of a {NAME} payload must be an object")
        flat |= {names.get(name, name): value for name, value in (section or {}).items()}
    return flat
