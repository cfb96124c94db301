"""Events as the payloads that Cline's scripts read (docs/formats/cline.md 3)."""

from __future__ import annotations

from hookline.dialects.cline.decode_event import plain_input
from hookline.dialects.cline.table import NAME
from hookline.dialects.kit.json_text import close_json
from hookline.model.event import ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload of a script.

    An event of Cline is sent as it came, with a tool's input as it is now. Of another host's event both programs'
    keys are sent, under the event name of the program that would run the script.
    """
    payload = {
        "clineVersion": "",
        "hookName": row.called if row and spec.facts.get("by_program") else spec.native_event,
        "taskId": event.session_id,
        "workspaceRoots": [event.cwd] if event.cwd else [],
        "userId": "",
    }
    if event.dialect == NAME:
        sent = {**event.raw, **(_rewritten_sections(event, row) if row else {})}
        return {**sent, **{key: payload[key] for key in payload if key not in sent}}
    return payload | (_sections(event, row) if row else {})


def _rewritten_sections(event: Event, row: EventRow) -> dict[str, Any]:
    """Return the sections that the host sent, with the new input of a tool that a hook rewrote."""
    keys = [key for key in (row.called, row.section) if isinstance(event.raw.get(key), dict)]
    if not keys or not isinstance(event.body, ToolCall):
        return {}
    first = event.raw[keys[0]]
    if plain_input(event.tool, first.get("input", first.get("parameters"))) == event.input:
        return {}
    new = {row.called: {"input": event.input}, row.section: {"parameters": _as_texts(event.input)}}
    return {key: {**event.raw[key], **new[key]} for key in keys}


def _sections(event: Event, row: EventRow) -> dict[str, Any]:
    """Return the event's own keys: a section of facts, and a tool call whole beside it."""
    body = event.body
    if not isinstance(body, ToolCall):
        values = {field.native: body.value(field.fact) for field in row.fields}
        if "taskMetadata" in values:
            values["taskMetadata"] = values["taskMetadata"] or {"taskId": event.session_id}
        section = {key: value for key, value in values.items() if value is not None}
        return {row.section: section} if row.section else {}
    whole: dict[str, Any] = {"id": body.call_id, "name": body.tool, "input": body.input}
    section = {"toolName": body.tool, "parameters": _as_texts(body.input)}
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


def _as_texts(given: Any) -> dict[str, str]:
    """Return a tool's input as the texts that `parameters` holds."""
    return {key: _text(value) for key, value in given.items()} if isinstance(given, dict) else {}


def _text(value: Any) -> str:
    return "" if value is None else close_json(value)
