"""A decision in the words that Cursor reads from a command hook (docs/formats/cursor.md 5)."""

from __future__ import annotations

from hookline.dialects.cursor.table import ALLOW, ASK, DENY, POWERS
from hookline.model.reply import Reply
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

    Object: TypeAlias = dict[str, Any]

_WORDS = {ALLOW: "allow", ASK: "ask"}
_REWRITES = {"input": "updated_input", "output": "updated_mcp_tool_output"}
_GO_ON = "a hook wants the work to go on"


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """The reply of a command hook: exit 0 and one object, nothing at all where there is nothing to say."""
    if row is None:
        return Reply()
    said = _stance(decision, row) | _rewrite(decision) | _messages(decision, row)
    said |= {
        key: decision.effects[power] for key, power in POWERS.items() if power in decision.effects
    }
    return Reply(
        stdout=to_json_line({key: value for key, value in said.items() if key in row.reads})
    )


def _stance(decision: Decision, row: EventRow) -> Object:
    """The stance, in the way of the event; a denial after a tool is its context."""
    if decision.stance < DENY:
        word = _WORDS.get(decision.stance, "")
        return {"permission": word} if word in row.verdicts else {}
    return {"permission": "deny", "continue": False, "followup_message": decision.reason or _GO_ON}


def _rewrite(decision: Decision) -> Object:
    """The new value, whole; the input of a call that does not happen is not sent."""
    rewrite = decision.rewrite
    if (
        rewrite is None
        or rewrite.target not in _REWRITES
        or (rewrite.target == "input" and decision.stance >= DENY)
    ):
        return {}
    return {_REWRITES[rewrite.target]: rewrite.value}


def _messages(decision: Decision, row: EventRow) -> Object:
    """What the user and the agent are told: of a denial both, of a question the user, and who else was spoken to."""
    reason = [decision.reason] if decision.reason else []
    refused = reason if decision.stance >= DENY else []
    told = () if _told_apart(decision) or decision.stance < ASK else reason
    user = "\n".join(dict.fromkeys([*told, *decision.for_user]))
    agent = "\n".join(dict.fromkeys([*refused, *decision.for_agent]))
    texts = {"user_message": user, "agent_message": agent, "additional_context": agent}
    return {key: text for key, text in texts.items() if text and key in row.reads}


def _told_apart(decision: Decision) -> bool:
    """Whether the hook that refused had a message of its own for the user, beside the reason."""
    leader = next(
        (
            v
            for v in decision.verdicts
            if not v.shadow and v.stance is decision.stance and v.reason == decision.reason
        ),
        None,
    )
    return decision.stance >= DENY and leader is not None and bool(leader.for_user)
