"""Decisions in the words that a Starchild host reads from a shell hook: exit 0, and one object or nothing."""

from __future__ import annotations

from hookline.dialects.starchild.decode_outcome import EVIDENCE, NOTE_GAP
from hookline.model.reply import Reply
from hookline.model.verdict import Stance
from hookline.text.masking import mask_text, mask_value
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision


def encode_decision(decision: Decision, event: Event, row: EventRow | None) -> Reply:
    """Return the reply of a shell hook; no opinion is empty stdout."""
    document = _encode_stance(decision)
    if row is not None:
        document |= _encode_rewrite(decision, row, event)
        if decision.for_agent and "context" in row.powers:
            document["context"] = "\n".join(decision.for_agent)
    if decision.for_user:
        document["systemMessage"] = "\n".join(decision.for_user)
    return Reply(stdout=to_json_line(document))


def _encode_stance(decision: Decision) -> dict[str, Any]:
    """Return a block or an ask. The host shows its reason and evidence, so they carry no secret (docs/formats/starchild.md 5.3)."""
    if decision.stance < Stance.ASK:
        return {}
    reason = mask_text(decision.reason)
    if decision.stance is Stance.ASK:
        specific = {"permissionDecision": "ask", "permissionDecisionReason": reason}
        return {"hookSpecificOutput": specific}
    block = {"decision": "block", "reason": reason}
    if decision.evidence is None:
        return block
    evidence = mask_value(decision.evidence)
    is_ours = isinstance(evidence, dict) and evidence and set(evidence) <= set(EVIDENCE)
    return {**block, **(evidence if is_ours else {"evidence": evidence})}


def _encode_rewrite(decision: Decision, row: EventRow, event: Event) -> dict[str, Any]:
    """Return a rewrite under the key that the event has for it."""
    rewrite = decision.rewrite
    if rewrite is None or rewrite.target not in row.powers:
        return {}
    value = rewrite.value
    if rewrite.target == "input":
        return {"tool_input": rewrite.patch} if rewrite.patch else {}
    if rewrite.target == "text":
        return {row.rewrites: _to_text(value)}
    if isinstance(value, str):
        # The host itself appends the notes that it is sent.
        for note in reversed(decision.for_user):
            value = "" if value == note else value.removesuffix(NOTE_GAP + note)
    return {} if value == event.body.value("result") else {"tool_result": value}


def _to_text(value: Any) -> Any:
    """Return the text of a model's reply, which some hosts put into an object; any other value as it is."""
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return value["text"]
    try:
        parts = value["candidates"][0]["content"]["parts"]
        return "".join(part if isinstance(part, str) else part["text"] for part in parts)
    except (LookupError, TypeError):
        return value
