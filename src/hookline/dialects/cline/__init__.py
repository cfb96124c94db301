"""Cline: hook scripts in folders, where the name of a file is its event (docs/formats/cline.md).

Two programs run such files: the VS Code extension, and the newer command line program, which sends
more in its payload and reads more from an answer. One dialect serves both.
"""

from __future__ import annotations

from hookline.dialects.cline.table import NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect
from hookline.errors import CodecError
from hookline.model.event import Event, ToolCall
from hookline.model.tools import list_names
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.hookoutput import to_json_line
from hookline.wire.json_reader import close_json
from hookline.wire.payload import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Json
    from hookline.model.spec import HookSpec

_KEYS = {"native": "hookName", "session_id": "taskId", "cwd": "cwd"}
# Keys of `tool_call` and `tool_result`, which only the command line program sends -> the
# extension's.
_SHORT = {
    "name": "toolName",
    "input": "parameters",
    "output": "result",
    "durationMs": "executionTimeMs",
}
# Keys of a shell tool's input that say what it runs.
_OF_COMMANDS = ("command", "commands", "args")


class Cline(FolderDialect):
    """The dialect of Cline. It has no options."""

    table = TABLE
    export_file = "export"

    def decode_event(self, payload: Json, native: str = "") -> Event:
        """Return a payload of the host as an event."""
        flat = _flatten(payload, native) if isinstance(payload, dict) else payload
        event = decode(flat, TABLE, native, _KEYS).replace(raw=payload)
        if not isinstance(event.body, ToolCall):
            return event
        given = plain_input(event.tool, event.input)
        return event.replace(body=event.body.replace(input=given))

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a script.

        An event of Cline is sent as it came, with a tool's input as it is now. Of any other event
        both programs' keys are sent, under the event name of the program that would run the script.
        """
        usual = {
            "clineVersion": "",
            "hookName": row.called if row and spec.facts.get("by_program") else spec.native_event,
            "taskId": event.session_id,
            "workspaceRoots": [event.cwd] if event.cwd else [],
            "userId": "",
        }
        if event.dialect != NAME or not event.raw:
            return usual | (_sections(event, row) if row else {})
        sent = dict(event.raw)
        before = self.decode_event(event.raw, event.native_name).body
        if row and isinstance(before, ToolCall) and before.input != event.input:
            for key, section in _sections(event, row).items():
                if isinstance(sent.get(key), dict):
                    sent[key] = sent[key] | section
        return sent | {key: usual[key] for key in usual if key not in sent}

    def encode_reply(self, decision: Decision, _event: Event, row: EventRow | None) -> Reply:
        """Return the reply of a script: one JSON object, or nothing (docs/formats/cline.md 4).

        Context has two keys, one for each program of the host.
        """
        document: dict[str, Any] = {}
        powers = row.powers if row is not None else ()
        rewrite = decision.rewrite
        if decision.stance >= Stance.DENY:
            return Reply(stdout=to_json_line({"cancel": True, "errorMessage": decision.reason}))
        if rewrite is not None and rewrite.target == "input" and "input" in powers:
            document["overrideInput"] = rewrite.value
        if decision.for_agent and "context" in powers:
            context = "\n".join(decision.for_agent)
            document |= {"context": context, "contextModification": context}
        return Reply(stdout=to_json_line(document))


def plain_input(tool: str, given: Any) -> Any:
    """Return a tool's input as other hosts have it.

    All commands of a shell tool are one text under `command`. The command line program takes a list
    of commands, of texts or of a program with `args`, in
    seven shapes. A guard that looks at the command must see each of them.
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
    import shlex  # noqa: PLC0415 - few events of Cline name a program with arguments

    command, arguments = str(entry.get("command", "")), entry.get("args")
    return shlex.join([command, *map(str, arguments)]) if arguments else command


def _flatten(payload: Mapping[str, Any], native: str) -> dict[str, Any]:
    """Return the payload with the fields of its sections beside the others.

    The section of the command line program counts before the extension's, because it keeps a tool's
    values as they are.

    Raises:
        CodecError: a section is no object, or the folders are no list of texts.
    """
    roots = payload.get("workspaceRoots") or [""]
    roots = [roots] if isinstance(roots, str) else roots
    if not isinstance(roots, list) or not isinstance(roots[0], str):
        raise CodecError(f"`workspaceRoots` of a {NAME} payload must be a list of texts")
    flat: dict[str, Any] = {**payload, "cwd": roots[0]}
    row = TABLE.row(str(native or payload.get("hookName")))
    short: dict[str, dict[str, str]] = {row.section: {}, row.called: _SHORT} if row else {}
    for key, names in short.items():
        section: Any = payload.get(key) or {}
        if not isinstance(section, dict):
            raise CodecError(f"`{key}` of a {NAME} payload must be an object")
        flat |= {names.get(name) or name: value for name, value in section.items()}
    return flat


def _sections(event: Event, row: EventRow) -> dict[str, Any]:
    """Return the event's own keys: a section of facts, and a tool call whole beside it."""
    body = event.body
    if not isinstance(body, ToolCall):
        values = {field.native: body.value(field.fact) for field in row.fields}
        if "taskMetadata" in values:
            values["taskMetadata"] = values["taskMetadata"] or {"taskId": event.session_id}
        section = {key: value for key, value in values.items() if value is not None}
        return {row.section: section} if row.section else {}
    given = body.input if isinstance(body.input, dict) else {}
    whole: dict[str, Any] = {"id": body.call_id, "name": body.tool, "input": body.input}
    section = {
        "toolName": body.tool,
        "parameters": {key: _text(value) for key, value in given.items()},
    }
    if row.called == "tool_result":
        failed = body.error is not None
        whole["output"] = body.result
        if failed:
            whole["error"] = _text(body.error)
        section |= {
            "result": _text(body.error if failed else body.result),
            "success": not failed,
            "executionTimeMs": body.value("duration_ms") or 0,
        }
    return {row.called: whole, row.section: section}


def _text(value: Any) -> str:
    return "" if value is None else close_json(value)
