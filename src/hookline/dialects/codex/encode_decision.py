"""A decision in the words that Codex reads from a command hook (docs/formats/codex.md 5)."""

from __future__ import annotations

from hookline.dialects.codex.table import ALLOW, DENY, HALT
from hookline.model.reply import Reply
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """The reply of a command hook: always exit 0, and one object, or nothing at all where there is nothing to say.

    A denial is JSON, never exit 2, which a PowerShell wrapper turns into 1. A reason is never empty, because Codex takes
    a denial without one for a failed hook.
    """
    top: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    if row is not None:
        _stance(decision, row, top, specific)
        if decision.for_agent and "additionalContext" in row.reads:
            specific["additionalContext"] = "\n".join(decision.for_agent)
        if specific:
            top["hookSpecificOutput"] = {"hookEventName": row.native, **specific}
    if decision.for_user and (row is None or "systemMessage" in row.accepts):
        top["systemMessage"] = "\n".join(decision.for_user)
    return Reply(stdout=to_json_line(top))


def _stance(
    decision: Decision, row: EventRow, top: dict[str, Any], specific: dict[str, Any]
) -> None:
    stance = decision.stance
    if stance is HALT and "halt" in row.powers:
        top |= {"continue": False, "stopReason": _reason(decision)}
    elif "decision" in row.reads:
        if stance >= DENY:
            specific["decision"] = {"behavior": "deny", "message": _reason(decision)}
        elif stance is ALLOW:
            specific["decision"] = {"behavior": "allow"}
    elif "permissionDecision" in row.reads:
        _permission(decision, specific)
    elif stance >= DENY and row.words:
        top |= {"decision": "block", "reason": _reason(decision)}


def _permission(decision: Decision, specific: dict[str, Any]) -> None:
    """`PreToolUse`: a denial, or a new input, which an allow must carry."""
    rewrite = decision.rewrite
    if decision.stance >= DENY:
        specific |= {"permissionDecision": "deny", "permissionDecisionReason": _reason(decision)}
    elif rewrite is not None and rewrite.target == "input" and isinstance(rewrite.value, dict):
        specific |= {"permissionDecision": "allow", "updatedInput": rewrite.value}


def _reason(decision: Decision) -> str:
    """The reason of a refusal; without one the first note to the user, or else that there is none (22, rule 4)."""
    given = (text for text in (decision.reason, *decision.for_user) if text.strip())
    return next(given, "refused by a hook that gave no reason")
