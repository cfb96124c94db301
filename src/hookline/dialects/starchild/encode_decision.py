"""A decision in the words that a Starchild host reads from a shell hook: exit 0, and one object or nothing at all."""

from __future__ import annotations

from hookline.dialects.starchild.result_notes import bare
from hookline.model.reply import Reply
from hookline.model.verdict import Stance
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision


def encode_decision(decision: Decision, event: Event, row: EventRow | None) -> Reply:
    """The reply of a shell hook; no opinion is empty stdout."""
    said: dict[str, Any] = _stance(decision)
    if row is not None:
        said |= _rewrite(decision, row, event)
        if decision.for_agent and "context" in row.powers:
            said["context"] = "\n".join(decision.for_agent)
    if decision.for_user:
        said["systemMessage"] = "\n".join(decision.for_user)
    return Reply(stdout=to_json_line(said))


def _stance(decision: Decision) -> dict[str, Any]:
    """A block or an ask. Its reason and evidence carry no secret, because the host shows them (docs/formats/starchild.md 5.3)."""
    if decision.stance < Stance.ASK:
        return {}
    from hookline.text.masking import mask_text  # noqa: PLC0415 - most decisions block nothing

    reason = mask_text(decision.reason)
    if decision.stance >= Stance.DENY:
        return {"decision": "block", "reason": reason} | _evidence(decision.evidence)
    return {"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": reason}}


def _evidence(given: Any) -> dict[str, Any]:
    """The evidence of a block, masked, by the keys that the format has for it."""
    if given is None:
        return {}
    from hookline.text.masking import mask_value  # noqa: PLC0415 - few hooks give evidence

    evidence = mask_value(given)
    known = ("evidence", "tag", "code")
    if isinstance(evidence, dict) and evidence and set(evidence) <= set(known):
        return {key: evidence[key] for key in known if key in evidence}
    return {"evidence": evidence}


def _plain_text(value: Any) -> Any:
    """The text of a model's reply, which some hosts put into an object; any other value as it is."""
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("text"), str):
        return value["text"]
    parts = [part for content in _contents(value) for part in content.get("parts") or ()]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join(text for text in texts if isinstance(text, str)) or value


def _contents(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The content of each candidate of a reply."""
    candidates = reply.get("candidates")
    for candidate in candidates if isinstance(candidates, list) else ():
        content = candidate.get("content") if isinstance(candidate, dict) else None
        if isinstance(content, dict):
            yield content


def _rewrite(decision: Decision, row: EventRow, event: Event) -> dict[str, Any]:
    """A rewrite by the key that the event has for it; notes that the host itself appends are not told twice."""
    rewrite = decision.rewrite
    if rewrite is None or rewrite.target not in row.powers:
        return {}
    if rewrite.target == "input":
        return {"tool_input": rewrite.patch} if rewrite.patch else {}
    if rewrite.target == "text":
        return {row.rewrites: _plain_text(rewrite.value)}
    value = (
        bare(rewrite.value, decision.for_user) if isinstance(rewrite.value, str) else rewrite.value
    )
    return {} if value == event.body.value("result") else {"tool_result": value}
