"""Decisions in the words that Qwen Code reads from a hook (docs/formats/qwen.md 5)."""

from __future__ import annotations

from hookline.dialects.qwen.table import ALLOW, ASK, DENY, HALT, SILENT
from hookline.model.reply import Reply
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

_WORDS = {ALLOW: "allow", ASK: "ask", DENY: "deny"}


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """Return the reply: exit 0 and one object, or nothing."""
    top: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    if row is not None and not row.unread:
        _stance(decision, row, top, specific)
        rewrite = decision.rewrite
        if rewrite is not None and "updatedInput" in row.reads and decision.stance < DENY:
            specific["updatedInput"] = rewrite.value
        if decision.for_agent and "additionalContext" in row.reads:
            specific["additionalContext"] = "\n".join(decision.for_agent)
        if specific:
            top["hookSpecificOutput"] = {"hookEventName": row.native, **specific}
        if decision.for_user:
            top["systemMessage"] = "\n".join(decision.for_user)
    return Reply(stdout=to_json_line(top))


def _stance(
    decision: Decision, row: EventRow, top: dict[str, Any], specific: dict[str, Any]
) -> None:
    stance, reason = decision.stance, decision.reason
    if "decision" in row.reads:
        _request(decision, specific)
    elif stance is HALT:
        top |= {"continue": False, "stopReason": reason}
    elif "permissionDecision" in row.reads and stance is not SILENT:
        specific["permissionDecision"] = _WORDS[stance]
        specific["permissionDecisionReason"] = reason or f"the hooks say `{_WORDS[stance]}`"
    elif stance is DENY:
        top |= {"decision": "block", "reason": reason}


def _request(decision: Decision, specific: dict[str, Any]) -> None:
    """The decision object of `PermissionRequest`: a new input, and a grant, travel with an allow only."""
    if decision.stance >= DENY:
        interrupts = {"interrupt": True} if decision.stance is HALT else {}
        specific["decision"] = {"behavior": "deny", "message": decision.reason, **interrupts}
    elif decision.stance is ALLOW:
        said: dict[str, Any] = {"behavior": "allow"}
        if decision.reason:
            said["message"] = decision.reason
        if decision.rewrite is not None:
            said["updatedInput"] = decision.rewrite.value
        if decision.effects.get("grant"):
            said["updatedPermissions"] = decision.effects["grant"]
        specific["decision"] = said
