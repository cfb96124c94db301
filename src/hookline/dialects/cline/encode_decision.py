"""Decisions in the words that Cline reads from a script (docs/formats/cline.md 4)."""

from __future__ import annotations

from hookline.model.reply import Reply
from hookline.model.verdict import Stance
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """Return the reply: one JSON object at exit 0, or nothing.

    Context has two keys, one for each program of the host.
    """
    document: dict[str, Any] = {}
    powers = row.powers if row is not None else frozenset()
    rewrite = decision.rewrite
    if decision.stance >= Stance.DENY:
        document |= {"cancel": True, "errorMessage": decision.reason}
    elif rewrite is not None and rewrite.target == "input" and "input" in powers:
        document["overrideInput"] = rewrite.value
    if decision.for_agent and "context" in powers and decision.stance < Stance.DENY:
        context = "\n".join(decision.for_agent)
        document |= {"context": context, "contextModification": context}
    return Reply(stdout=to_json_line(document))
