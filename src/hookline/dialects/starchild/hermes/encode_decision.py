"""A decision in the words that Hermes reads from a shell hook."""

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
    """The reply of a shell hook; no opinion is empty stdout. Notes for the user have no key, and go to its log by stderr."""
    said: dict[str, Any] = {}
    if decision.stance >= Stance.DENY:
        said = {
            "action": "continue" if row and row.output == "redo" else "block",
            "message": decision.reason,
        }
    elif decision.stance is Stance.ASK:
        said = {"action": "approve", "message": decision.reason}
    elif decision.rewrite is not None and row is not None and decision.rewrite.target in row.powers:
        patch = decision.rewrite.patch
        said = (
            {row.rewrites: decision.rewrite.value}
            if row.rewrites
            else {"action": "modify", "args": patch}
            if patch
            else {}
        )
    if decision.for_agent and row is not None and "context" in row.powers:
        said["context"] = "\n".join(decision.for_agent)
    return Reply(
        stdout=to_json_line(said), stderr="".join(f"{note}\n" for note in decision.for_user)
    )
