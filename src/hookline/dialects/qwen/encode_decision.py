"""Decisions in the words that Qwen Code reads from a hook (docs/formats/qwen.md 5)."""

from __future__ import annotations

from hookline.dialects.kit.encode_decision import ReplyFormat, encode_answer, make_reply
from hookline.dialects.qwen.table import ALLOW, ASK, DENY
from hookline.model.reply import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

_FORMAT = ReplyFormat(permissions={ALLOW: "allow", ASK: "ask", DENY: "deny"}, interrupts=True)


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """Return the reply: exit 0 and one object, or nothing."""
    if row is not None and row.unread:
        return Reply()
    top, specific = encode_answer(decision, row, _FORMAT)
    word = specific.get("permissionDecision")
    if word:
        specific.setdefault("permissionDecisionReason", f"the hooks say `{word}`")
    return make_reply(top, specific, row)
