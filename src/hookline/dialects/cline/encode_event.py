"""Events as the payloads that Cline's scripts read (docs/formats/cline.md 3)."""

from __future__ import annotations

import json

from hookline.dialects.cline.decode_event import plain_input
from hookline.dialects.cline.table import NAME
from hookline.model.event import ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload of a script.

    An event of Cline is sent as it came, with a tool's input as it is now. Of another host's event both programs'
    keys are sent, under the event name of the program that would run the script.
    """
    if event.dialect == NAME:
        sent = _updated(event, row)
        sent.setdefault("hookName", spec.native_event)
        sent.setdefault("taskId", event.session_id)
        sent.setdefault("workspaceRoots", [event.cwd] if event.cwd else [])
        return sent
    payload = {
        "clineVersion": "",
        "hookName": row.called if row and spec.facts.get("by_program") else spec.native_event,
        "taskId": event.session_id,
        "workspaceRoots": [event.cwd] if event.cwd else [],
        "userId": "",
    }
    return payload | (_sections(event, row) if row else {})


def _updated(event: Event, row: EventRow | None) -> dict[str, Any]:
    """Return what the host sent, with a new input where a hook rewrote it."""
    payload = dict(event.raw)
    if row is None or not isinstance(event.body, ToolCall):
        return payload
    tool, now = event.body.tool, event.body.input
    whole, section = payload.get(row.called), payload.get(row.section)
    if isinstance(whole, dict):
        if plain_input(tool, whole.get("input")) == now:
            return payload
        payload[row.called] = {**whole, "input": now}
    elif isinstance(section, dict) and plain_input(tool, section.get("parameters")) == now:
        return payload
    if isinstance(section, dict):
        payload[row.section] = {**section, "parameters": as_texts(now)}
    return payload


def _sections(event: Event, row: EventRow) -> dict[str, Any]:
    """Return the event's own keys: a section of facts, and a tool call whole beside it."""
    body = event.body
    if not isinstance(body, ToolCall):
        fields = {
            field.native: value
            for field in row.fields
            if (value := body.value(field.fact)) is not None
        }
        if "taskMetadata" in (field.native for field in row.fields):
            fields.setdefault("taskMetadata", {"taskId": event.session_id})
        return {row.section: fields} if row.section else {}
    whole: dict[str, Any] = {"id": body.call_id, "name": body.tool, "input": body.input}
    section: dict[str, Any] = {"toolName": body.tool, "parameters": as_texts(body.input)}
    if row.called == "tool_result":
        whole["output"] = body.result
        if body.error is not None:
            whole["error"] = _text(body.error)
        section["result"] = _text(body.result if body.error is None else body.error)
        section["success"] = body.error is None
        section["executionTimeMs"] = body.value("duration_ms") or 0
    return {row.called: whole, row.section: section}


def as_texts(given: Any) -> Mapping[str, str]:
    """Return a tool's input as the texts that `parameters` holds."""
    return {key: _text(value) for key, value in given.items()} if isinstance(given, dict) else {}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
