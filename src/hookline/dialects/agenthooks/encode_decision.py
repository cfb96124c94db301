"""Decisions as a host of the format reads them from a hook: exit 2 and a sentence to deny, one JSON object for the rest."""

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


def encode_decision(decision: Decision, _event: Event, _row: EventRow | None) -> Reply:
    """Return the reply of a command hook; no opinion is exit 0 and no output.

    A denial is the exit code, which no host can misread; stdout does not count beside it
    (docs/formats/agenthooks.md 8).
    """
    if decision.stance >= Stance.DENY:
        return Reply(stderr=f"{decision.reason}\n", exit_code=2)
    document: dict[str, Any] = {}
    if decision.stance is Stance.ASK:
        document["decision"] = "ask"
        if decision.reason:
            document["reason"] = decision.reason
    if decision.rewrite is not None and decision.rewrite.patch:
        document.setdefault("decision", "allow")
        document["modified_input"] = decision.rewrite.patch
    if decision.for_agent:
        document["additional_context"] = "\n".join(decision.for_agent)
    log = [*decision.effects.get("log", ()), *decision.for_user]
    if log:
        document["log"] = "\n".join(log)
    return Reply(stdout=to_json_line(document))
