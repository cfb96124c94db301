"""Decisions in the words that OpenHands reads from a command hook (docs/formats/openhands.md 6)."""

from __future__ import annotations

from hookline.dialects.openhands.table import DENY
from hookline.model.reply import Reply
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

_BLOCKED = 2


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """Return the reply: one JSON object, or nothing. A denial also exits with 2, because both block."""
    document: dict[str, Any] = {}
    denied = decision.stance >= DENY
    if denied:
        document |= {"decision": "deny", "reason": decision.reason}
    if decision.for_agent and row is not None and "context" in row.powers:
        document["additionalContext"] = "\n".join(decision.for_agent)
    return Reply(
        stdout=to_json_line(document),
        stderr=f"{decision.reason}\n" if denied else "",
        exit_code=_BLOCKED if denied else 0,
    )
