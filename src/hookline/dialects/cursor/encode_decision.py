"""A decision in the words that Cursor reads from a command hook (docs/formats/cursor.md 5)."""

from __future__ import annotations

from hookline.dialects.cursor.table import ASK, DENY, POWERS, WORDS
from hookline.model.verdict import Reply
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

_GO_ON = "a hook wants the work to go on"


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """Return the reply of a command hook: exit 0 and one object, or nothing.

    A denial after a tool is its context.
    """
    if row is None:
        return Reply()
    denies, rewrite = decision.stance >= DENY, decision.rewrite
    words: dict[str, Any] = {}
    if permission := next(
        (word for word, stance in WORDS.items() if stance is decision.stance), ""
    ):
        words["permission"] = permission
    if denies:
        words |= {"continue": False, "followup_message": decision.reason or _GO_ON}
    if rewrite is not None and rewrite.target == "output":
        words["updated_mcp_tool_output"] = rewrite.value
    elif rewrite is not None and rewrite.target == "input" and not denies:
        words["updated_input"] = rewrite.value
    words |= _messages(decision)
    effects = decision.effects
    words |= {key: effects[power] for key, power in POWERS.items() if power in effects}
    return Reply(stdout=to_json_line({key: words[key] for key in words if key in row.reads}))


def _messages(decision: Decision) -> dict[str, str]:
    """Return the messages.

    Of a denial the user and the agent learn the reason, of a question the user.

    A hook that refused with a message of its own for the user gave the reason to the agent alone.
    """
    stance, reason = decision.stance, decision.reason
    leading = [v for v in decision.verdicts if v.stance is stance and v.reason == reason]
    alone = stance >= DENY and any(v.for_user for v in leading if not v.shadow)
    for_user = [reason] if stance >= ASK and reason and not alone else []
    for_agent = [reason] if stance >= DENY and reason else []
    user = "\n".join(dict.fromkeys([*for_user, *decision.for_user]))
    agent = "\n".join(dict.fromkeys([*for_agent, *decision.for_agent]))
    texts = {"user_message": user, "agent_message": agent, "additional_context": agent}
    return {key: text for key, text in texts.items() if text}
