"""Encodes a decision as the object that a hook of Claude Code's family prints: its top, and its `hookSpecificOutput`."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.verdict import Reply, Stance
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.verdict import Decision

_INPUT: Mapping[str, str] = {"input": "updatedInput"}


class ReplyFormat(Frozen):
    """How a host reads a decision. A column is one way in which the hosts of the family differ.

    `permissions`: stance -> the word of a `permissionDecision`. `words`: stance -> the word of a
    `decision`. `rewrites`: target of a rewrite -> its key. `interrupts`: a denied
    `PermissionRequest` can end the run. `explains_allow`: an allowed one has a message.
    """

    permissions: Mapping[Stance, str] = {}
    words: Mapping[Stance, str] = {Stance.DENY: "block"}
    rewrites: Mapping[str, str] = _INPUT
    interrupts: bool = False
    explains_allow: bool = True


def encode_answer(
    decision: Decision, row: EventRow | None, form: ReplyFormat
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the top of the object and its `hookSpecificOutput`: the stance, a rewrite, context and notes."""
    top: dict[str, Any] = (
        {"systemMessage": "\n".join(decision.for_user)} if decision.for_user else {}
    )
    specific: dict[str, Any] = {}
    if row is None:
        return top, specific
    stance, reason, rewrite = decision.stance, decision.reason, decision.rewrite
    is_request = "decision" in row.reads
    if stance is Stance.HALT and not (is_request and form.interrupts):
        top |= {"continue": False, "stopReason": reason}
    elif is_request:
        specific |= _encode_request(decision, form)
    elif "permissionDecision" in row.reads:
        if stance in form.permissions:
            specific["permissionDecision"] = form.permissions[stance]
            specific |= {"permissionDecisionReason": reason} if reason else {}
    elif stance in form.words and row.words:
        top |= {"decision": form.words[stance], "reason": reason}
    # The input of a call that does not happen is not sent.
    is_sent = rewrite is not None and (rewrite.target != "input" or stance < Stance.DENY)
    if rewrite is not None and is_sent and not is_request and rewrite.target in form.rewrites:
        specific[form.rewrites[rewrite.target]] = rewrite.value
    if decision.for_agent and "additionalContext" in row.reads:
        specific["additionalContext"] = "\n".join(decision.for_agent)
    return top, specific


def _encode_request(decision: Decision, form: ReplyFormat) -> dict[str, Any]:
    """Return the `decision` of `PermissionRequest`: a new input, and a grant, travel with an allow only."""
    if decision.stance >= Stance.DENY:
        denial: dict[str, Any] = {"behavior": "deny", "message": decision.reason}
        return {
            "decision": denial | ({"interrupt": True} if decision.stance is Stance.HALT else {})
        }
    if decision.stance is not Stance.ALLOW:
        return {}
    allowed: dict[str, Any] = {"behavior": "allow"}
    if decision.reason and form.explains_allow:
        allowed["message"] = decision.reason
    if decision.rewrite is not None:
        allowed["updatedInput"] = decision.rewrite.value
    if decision.effects.get("grant"):
        allowed["updatedPermissions"] = decision.effects["grant"]
    return {"decision": allowed}


def make_reply(top: dict[str, Any], specific: dict[str, Any], row: EventRow | None) -> Reply:
    """Return the reply that exits with 0: one object, or nothing where there is nothing to say."""
    if specific and row is not None:
        top["hookSpecificOutput"] = {"hookEventName": row.native, **specific}
    return Reply(stdout=to_json_line(top))
