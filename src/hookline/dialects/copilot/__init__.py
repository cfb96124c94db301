"""GitHub Copilot, its CLI and its cloud agent: hook files, policies and settings files.

A camelCase key speaks Copilot's own words, a PascalCase key VS Code's (docs/formats/copilot.md 3,
4). A camelCase payload has its arguments as a JSON text, the time in milliseconds, and names no
event; VS Code's has an object, an ISO time and Claude's tool names. Inside, arguments are an
object, a result is its text, and the time is an ISO text.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from hookline.dialects.copilot.table import (
    CLAUDE_NAMES,
    CONTRACTS,
    NAME,
    SPELLINGS,
    TABLE,
    runtime_names,
    to_snake_case,
)
from hookline.dialects.kit.answer import collect_values
from hookline.dialects.kit.dialect import CallingDialect
from hookline.model.event import Event, ToolCall
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.disable_flags import apply_flags, find_all_off, spares_policy
from hookline.wire.hookoutput import to_json_line
from hookline.wire.json_reader import close_json, open_json
from hookline.wire.payload import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded
    from hookline.model.event import Json
    from hookline.model.spec import HookSpec

OPTIONS = ("allow_local",)
_CAMEL = {"native": "hookName", "session_id": "sessionId", "cwd": "cwd"}
_SNAKE = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}
# The most of context that the model is given, in bytes (docs/formats/copilot.md 5).
_CONTEXT_LIMIT = 10 << 10
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Copilot(CallingDialect):
    """The dialect of Copilot."""

    table = TABLE

    def row(self, native: str) -> EventRow | None:
        """Return the row of an event by the spelling of its key."""
        return CONTRACTS.get(native)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        """Return the hooks that are left when `disableAllHooks` of settings files is applied."""
        return apply_flags(specs, find_all_off(specs), spares_policy)

    def encode_reply(self, decision: Decision, _event: Event, row: EventRow | None) -> Reply:
        """Return the reply of a command hook: progress lines, then one object, and exit 0.

        The host would read an exit code instead of the answer. A progress line is for the user; the
        host takes it out of the output before it reads the rest (docs/formats/copilot.md 5).
        """
        reads = row.reads if row is not None else {}
        notes, values = list(decision.for_user), collect_values(decision)
        values["context"] = _join_context(decision, notes)
        if decision.stance >= Stance.DENY:
            values.pop("response", None)  # an agent that goes on has no last word
        if not isinstance(values.get("text"), str):
            values.pop("text", None)
        if "output" in values:
            text = values["output"]
            text = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
            kind = decision.effects.get("result_type", "success")
            values["output"] = {"resultType": kind, "textResultForLlm": text}
        words = _encode_stance(decision)
        words |= {key: values.get(power) for key, power in reads.items() if power}
        words = {key: words[key] for key in words if key in reads and words[key] not in ("", None)}
        if "modifiedTransformedPrompt" in reads and decision.rewrite is not None and not words:
            notes.append(
                "a hook gave the model an empty prompt, which Copilot refuses;"
                " the model gets the prompt as it was"
            )
        progress = [to_json_line({"type": "progress", "message": note}) for note in notes]
        return Reply(stdout="".join(progress) + to_json_line(words))

    def decode_event(self, payload: Json, native: str = "") -> Event:
        """Return a host's payload as an event, whichever spelling of the event's key it follows."""
        given = payload if isinstance(payload, dict) else {}
        native = native or _find_event(given)
        row = CONTRACTS.get(native)
        snake = row.snake if row else "session_id" in given
        event = decode(payload, SPELLINGS, native, _SNAKE if snake else _CAMEL)
        body = event.body
        time = body.facts.get("timestamp")
        if isinstance(time, int) and not isinstance(time, bool):
            body = body.replace(facts={**body.facts, "timestamp": _to_iso_time(time)})
        if isinstance(body, ToolCall):
            body = body.replace(input=open_json(body.input), result=_text_of(body.result))
        return event.replace(body=body)

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return what a hook is sent, in the spelling of the key that it stands under."""
        if row is None:
            return encode(event, TABLE, None, spec.native_event)
        # A payload of another host, or of the other spelling, has other keys.
        source = CONTRACTS.get(event.native_name, row)
        sent = event.raw if event.dialect == NAME and source.fields == row.fields else {}
        given = encode(event.replace(raw=sent), TABLE, row, spec.native_event)
        if "timestamp" in given:
            given["timestamp"] = sent.get("timestamp", _to_time(given["timestamp"], row))
        if not isinstance(event.body, ToolCall):
            return given
        keys = {field.fact: field.native for field in row.fields}
        tool, names = event.body.tool, runtime_names(event.body.tool)
        given[keys["tool"]] = CLAUDE_NAMES.get(tool, tool) if row.snake else (*names, tool)[0]
        if keys["input"] == "toolArgs" and not isinstance(sent.get("toolArgs"), dict):
            given["toolArgs"] = close_json(given["toolArgs"], sent.get("toolArgs"))
        if "result" in keys:
            given[keys["result"]] = _to_result(event.body.result, sent.get(keys["result"]), row)
        return given


def _find_event(payload: Mapping[str, Json]) -> str:
    """Return the event that a payload names, or else the one of whose own fields it has most.

    "" without any.
    """
    for key in TABLE.names_event:
        if payload.get(key) and isinstance(payload[key], str):
            return str(payload[key])
    found = [row for row in TABLE.rows.values() if payload.keys() >= set(row.tells.split())]
    return max(found, key=lambda row: len(row.tells.split())).native if found else ""


def _text_of(result: Json) -> Json:
    for key in ("textResultForLlm", "text_result_for_llm"):
        if isinstance(result, dict) and isinstance(result.get(key), str):
            return result[key]
    return result


def _to_result(value: Json, sent: Json, row: EventRow) -> dict[str, Any]:
    """Return a result with its text, or its JSON, and its kind: success unless the host said."""
    kind, key = "resultType", "textResultForLlm"
    if row.snake:
        kind, key = to_snake_case(kind), to_snake_case(key)
    text = "" if value is None else value
    if not isinstance(text, str):
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return {kind: "success", **(sent if isinstance(sent, dict) else {}), key: text}


def _to_iso_time(milliseconds: int) -> Json:
    """Return milliseconds since 1970 as an ISO time.

    A number that no calendar has stays a number.
    """
    try:
        when = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return milliseconds
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _to_time(value: Json, row: EventRow) -> Json:
    """Return a time in the row's unit: ISO for VS Code's payload, else milliseconds since 1970."""
    try:
        when = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return value
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    milliseconds = round(when.timestamp() * 1000)
    return _to_iso_time(milliseconds) if row.snake else milliseconds


def _encode_stance(decision: Decision) -> dict[str, Any]:
    """Return the stance by the keys of all events."""
    stance, reason = decision.stance, decision.reason
    words: dict[str, Any] = {}
    if Stance.SILENT < stance < Stance.HALT:
        words = {"permissionDecision": stance.word, "permissionDecisionReason": reason}
    if stance is Stance.ALLOW:
        words["behavior"] = "allow"
    if stance >= Stance.DENY:
        words |= {"behavior": "deny", "message": reason, "decision": "block", "reason": reason}
    if stance is Stance.HALT:
        words["interrupt"] = True
    return words


def _join_context(decision: Decision, notes: list[str]) -> str:
    """Return the context for the model, joined and cut as the host would."""
    raw = "\n\n".join(decision.for_agent).encode("utf-8", "replace")
    if len(raw) > _CONTEXT_LIMIT:
        notes.append(
            f"hooks gave {len(raw)} bytes of context, of which the model is given {_CONTEXT_LIMIT}"
        )
    return raw[:_CONTEXT_LIMIT].decode("utf-8", "ignore")
