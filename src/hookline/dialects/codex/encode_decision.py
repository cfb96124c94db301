"""Decisions in the words that Codex reads from a command hook (docs/formats/codex.md 5)."""

from __future__ import annotations

from hookline.dialects.codex.table import DENY
from hookline.dialects.kit.encode_decision import ReplyFormat, encode_answer, make_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.reply import Reply
    from hookline.model.verdict import Decision

_FORMAT = ReplyFormat(permissions={DENY: "deny"}, explains_allow=False)


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """Return the reply: always exit 0, and one object, or nothing at all where there is nothing to say.

    A denial is JSON, never exit 2, which a PowerShell wrapper turns into 1. A reason is never empty, because Codex takes
    a denial without one for a failed hook.
    """
    if decision.stance >= DENY and not decision.reason.strip():
        notes = (text for text in decision.for_user if text.strip())
        decision = decision.replace(reason=next(notes, "refused by a hook that gave no reason"))
    top, specific = encode_answer(decision, row, _FORMAT)
    if row is not None and "systemMessage" not in row.accepts:
        top.pop("systemMessage", None)
    if "updatedInput" in specific:
        specific["permissionDecision"] = "allow"  # which must carry it
    return make_reply(top, specific, row)
