"""A decision in the words that Copilot reads from a command hook: progress lines, then one object, and exit 0 (docs/formats/copilot.md 5)."""

from __future__ import annotations

import json

from hookline.dialects.copilot.table import ALLOW, ASK, DENY, HALT
from hookline.model.verdict import Reply
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

_WORDS = {ALLOW: "allow", ASK: "ask", DENY: "deny"}
# The most of context that the model is given, in bytes (docs/formats/copilot.md 5).
_CONTEXT_LIMIT = 10 << 10


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """Return the reply of a command hook.

    The host would read an exit code instead of the answer, so it is 0.

    A progress line is for the user; the host takes it out of the output before it reads the rest.
    """
    notes = list(decision.for_user)
    words = {
        **_stance(decision),
        **_rewrite(decision),
        "additionalContext": _context(decision, notes),
    }
    reads = row.reads if row is not None else {}
    words = {key: value for key, value in words.items() if key in reads and value not in ("", None)}
    if "modifiedTransformedPrompt" in reads and decision.rewrite is not None and not words:
        notes.append(
            "a hook gave the model an empty prompt, which Copilot refuses; the model gets the prompt as it was"
        )
    progress = [to_json_line({"type": "progress", "message": note}) for note in notes]
    return Reply(stdout="".join(progress) + to_json_line(words))


def _stance(decision: Decision) -> dict[str, Any]:
    """Return the stance by the keys of all events."""
    stance, reason = decision.stance, decision.reason
    words: dict[str, Any] = {}
    if word := _WORDS.get(stance):
        words = {"permissionDecision": word, "permissionDecisionReason": reason}
    if stance is ALLOW:
        words["behavior"] = "allow"
    if stance >= DENY:
        words |= {"behavior": "deny", "message": reason, "decision": "block", "reason": reason}
    if stance is HALT:
        words["interrupt"] = True
    return words


def _rewrite(decision: Decision) -> dict[str, Any]:
    """Return what is new.

    There are no arguments of a call that does not happen, and no last word of an agent that goes
    on.
    """
    words: dict[str, Any] = {}
    rewrite = decision.rewrite
    target, value = (rewrite.target, rewrite.value) if rewrite is not None else ("", None)
    if decision.stance < DENY:
        words["modifiedResponse"] = decision.effects.get("response")
        if target == "input":
            words["modifiedArgs"] = value
    if target == "output":
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        kind = decision.effects.get("result_type", "success")
        words["modifiedResult"] = {"resultType": kind, "textResultForLlm": text}
    if target == "text" and isinstance(value, str):
        words["modifiedTransformedPrompt"] = value
    return words


def _context(decision: Decision, notes: list[str]) -> str:
    """Return the context for the model, joined as the host joins it, and cut where the host would cut it."""
    raw = "\n\n".join(decision.for_agent).encode("utf-8", "replace")
    if len(raw) > _CONTEXT_LIMIT:
        notes.append(
            f"hooks gave {len(raw)} bytes of context, of which the model is given {_CONTEXT_LIMIT}"
        )
    return raw[:_CONTEXT_LIMIT].decode("utf-8", "ignore")
