"""A decision in the words that Kimi reads from a hook: exit 0, and a deny or nothing at all (docs/formats/kimi.md 5)."""

from __future__ import annotations

from hookline.dialects.kimi.table import UNEXPLAINED
from hookline.model.reply import Reply
from hookline.model.verdict import Stance
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """The reply of a command hook; JSON rather than exit 2, because a wrapper may change an exit code."""
    if row is None or row.blocks is Stance.SILENT or decision.stance < Stance.DENY:
        return Reply()
    said = {
        "hookEventName": row.native,
        "permissionDecision": "deny",
        "permissionDecisionReason": decision.reason or UNEXPLAINED,
    }
    return Reply(stdout=to_json_line({"hookSpecificOutput": said}))
