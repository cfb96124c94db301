"""A decision in the words that Gemini CLI reads from a command hook (docs/formats/gemini.md 4)."""

from __future__ import annotations

from hookline.dialects.gemini.encode_event import response
from hookline.dialects.gemini.table import ASK, DENY, HALT, MODES
from hookline.model.reply import Reply
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

_WORDS = {ASK: "ask", DENY: "deny"}


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """The reply of a command hook: exit 0 and one object, nothing at all where there is nothing to say.

    Of a call that does not happen no new input is sent. An allow has no word: silence is allow (docs/formats/comparison.md 5).
    """
    said = _stance(decision)
    specific = dict(_specific(decision, row)) if row is not None else {}
    if row is not None and specific:
        said["hookSpecificOutput"] = {"hookEventName": row.native, **specific}
    if decision.for_user:
        said["systemMessage"] = "\n".join(decision.for_user)
    return Reply(stdout=to_json_line(said))


def _stance(decision: Decision) -> dict[str, Any]:
    if decision.stance is HALT:
        return {"continue": False, "stopReason": decision.reason}
    word = _WORDS.get(decision.stance)
    return {"decision": word, "reason": decision.reason} if word else {}


def _specific(decision: Decision, row: EventRow) -> Iterator[tuple[str, Any]]:
    """What the decision carries beside its stance, by the keys that the event has for it."""
    for key, power in row.reads.items():
        value = _carried(decision, power)
        if value is not None:
            yield key, value


def _carried(decision: Decision, power: str) -> Any:
    """The value of one key; None where there is nothing to say."""
    rewrite = (
        decision.rewrite
        if decision.rewrite is not None and decision.rewrite.target == power
        else None
    )
    match power:
        case "context":
            return "\n".join(decision.for_agent) or None
        case "input":
            return rewrite.patch or None if rewrite is not None and decision.stance < DENY else None
        case "messages":
            request = dict(decision.effects.get("request") or {}) | (
                {"messages": rewrite.value} if rewrite is not None else {}
            )
            return request or None
        case "text":
            return response(rewrite.value) if rewrite is not None else None
        case "return":
            return response(decision.effects.get("return"))
        case "tools":
            return _tools(decision.effects.get("tools"))
    return decision.effects.get(power)


def _tools(chosen: Any) -> Any:
    """The union of all hooks, as the host makes it of its own: sorted, and nothing beside the mode that forbids all."""
    if not isinstance(chosen, dict):
        return None
    mode = chosen.get("mode", MODES[0])
    names = chosen.get("allowedFunctionNames") if mode != MODES[-1] else None
    return {"mode": mode, "allowedFunctionNames": sorted({str(name) for name in names or []})}
