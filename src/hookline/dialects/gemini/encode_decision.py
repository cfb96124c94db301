"""A decision in the words that Gemini CLI reads from a command hook (docs/formats/gemini.md 4)."""

from __future__ import annotations

from hookline.dialects.gemini.table import ASK, DENY, MODES
from hookline.dialects.kit.encode_decision import ReplyFormat, encode_answer, make_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision, Reply

_FORMAT = ReplyFormat(words={ASK: "ask", DENY: "deny"}, rewrites={})


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """Return the reply of a command hook: exit 0 and one object, or nothing.

    Of a call that does not happen no new input is sent. An allow has no word: silence is allow
    (docs/formats/comparison.md 5).
    """
    top, specific = encode_answer(decision, row, _FORMAT)
    values = _values(decision)
    for key, power in row.reads.items() if row is not None else ():
        if values.get(power):
            specific[key] = values[power]
    return make_reply(top, specific, row)


def _values(decision: Decision) -> dict[str, Any]:
    """Return what the decision carries beside its stance, by the powers that it uses."""
    effects, rewrite = decision.effects, decision.rewrite
    values: dict[str, Any] = dict(effects)
    values["messages"] = dict(effects.get("request") or {})
    values["return"] = to_response(effects.get("return"))
    values["tools"] = _join_tools(effects.get("tools"))
    if rewrite is not None:
        match rewrite.target:
            case "input" if decision.stance < DENY:
                values["input"] = rewrite.patch
            case "messages":
                values["messages"]["messages"] = rewrite.value
            case "text":
                values["text"] = to_response(rewrite.value)
    return values


def _join_tools(chosen: Any) -> dict[str, Any]:
    """Return the union of all hooks, as the host makes it of its own: sorted, and with no names beside the mode that forbids all."""
    if not isinstance(chosen, dict):
        return {}
    mode = chosen.get("mode", MODES[0])
    names = chosen.get("allowedFunctionNames") if mode != MODES[-1] else None
    return {"mode": mode, "allowedFunctionNames": sorted({str(name) for name in names or []})}


def to_response(reply: Any) -> Any:
    """Return a model's reply as an `llm_response`.

    A text becomes its only candidate's only part.
    """
    if not isinstance(reply, str):
        return reply
    candidate = {"content": {"role": "model", "parts": [reply]}, "finishReason": "STOP"}
    return {"text": reply, "candidates": [candidate]}
