"""Decisions in the words that Hermes reads from a shell hook."""

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
    """Return the reply of a shell hook; no opinion is empty stdout. Notes for the user have no key, so they go to stderr."""
    document: dict[str, Any] = {}
    rewrite, powers = decision.rewrite, row.powers if row else frozenset[str]()
    if decision.stance >= Stance.DENY:
        action = "continue" if row and row.output == "redo" else "block"
        document = {"action": action, "message": decision.reason}
    elif decision.stance is Stance.ASK:
        document = {"action": "approve", "message": decision.reason}
    elif rewrite is not None and row is not None and rewrite.target in powers:
        if row.rewrites:
            document = {row.rewrites: rewrite.value}
        elif rewrite.patch:
            document = {"action": "modify", "args": rewrite.patch}
    if decision.for_agent and "context" in powers:
        document["context"] = "\n".join(decision.for_agent)
    notes = "".join(f"{note}\n" for note in decision.for_user)
    return Reply(stdout=to_json_line(document), stderr=notes)
