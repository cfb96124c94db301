"""Payloads of Cline as events (docs/formats/cline.md 3)."""

from __future__ import annotations

from hookline.dialects.cline.table import NAME, TABLE, row_of
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
# Sections that only the command line program sends, and the facts that their keys are: they keep a tool's values as they are.
_WHOLE: Mapping[str, Mapping[str, str]] = {
    "tool_call": {"name": "toolName", "input": "parameters", "id": "call_id"},
    "tool_result": {
        "name": "toolName",
        "input": "parameters",
        "id": "call_id",
        "output": "result",
        "error": "error",
        "durationMs": "executionTimeMs",
    },
}


# Keys of a shell tool's input that say what it runs.
_OF_COMMANDS = ("command", "commands", "args")


def decode_event(payload: Json, native: str = "") -> Event:
    """Return a payload of the host as an event.

    Raises:
        CodecError: the payload cannot be understood.
    """
    if not isinstance(payload, dict):
        return decode(payload, TABLE, native, _KEYS)  # which refuses it
    flat, call = _flattened(payload, native)
    event = decode(flat, TABLE, native, _KEYS)
    changes = {key: call[key] for key in ("call_id", "error") if call.get(key) is not None}
    if isinstance(event.body, ToolCall):
        changes["input"] = plain_input(event.body.tool, event.body.input)
    if changes:
        event = event.replace(body=event.body.replace(**changes))
    return event.replace(raw=payload)


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
    words = [entry.get("command", ""), *(entry.get("args") or [])]
    if len(words) == 1:
        return str(words[0])
    import shlex  # noqa: PLC0415 - few calls name a program with its arguments

    return shlex.join(map(str, words))


def _flattened(payload: Mapping[str, Any], native: str) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return the payload with the fields of its section beside the others, and what belongs to a tool call.

    Raises:
        CodecError: a section is no object, or the folders are no list of texts.
    """
    name = native or payload.get("hookName")
    row = row_of(name) if isinstance(name, str) else None
    roots = payload.get("workspaceRoots") or [""]
    roots = [roots] if isinstance(roots, str) else roots
    if not isinstance(roots, list) or not isinstance(roots[0], str):
        raise CodecError(f"`workspaceRoots` of a {NAME} payload must be a list of texts")
    flat: dict[str, Any] = {**payload, "cwd": roots[0]}
    if row is not None and row.section:
        flat |= _section(payload, row.section)
    call: dict[str, Any] = {}
    for key, facts in _WHOLE.items():
        if row is not None and key == row.called:
            given = _section(payload, key)
            call = {facts[name]: value for name, value in given.items() if name in facts}
    return flat | {key: value for key, value in call.items() if key != "error"}, call


def _section(payload: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = payload.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CodecError(f"`{key}` of a {NAME} payload must be an object")
    return value
