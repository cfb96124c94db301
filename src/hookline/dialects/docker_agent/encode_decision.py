"""A decision in the words that docker-agent's own runtime reads from a hook."""

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

_WORDS = {Stance.ALLOW: "allow", Stance.ASK: "ask", Stance.DENY: "deny"}
# What a rewrite changes -> output key.
_REWRITES = {
    "input": "updated_input",
    "messages": "updated_messages",
    "output": "updated_tool_response",
    "summary": "summary",
}


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """The reply of a command hook: exit 0 and one object, or nothing at all when there is nothing to say."""
    top: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    word = _WORDS.get(decision.stance, "")
    # A veto of `before_compaction` is said as a block: as a verdict only hookline reads it (X3).
    if row is not None and row.grouped and word in row.verdicts:
        specific |= {"permission_decision": word, "permission_decision_reason": decision.reason}
    elif decision.stance >= Stance.DENY:
        top |= {"decision": "block", "reason": decision.reason}
    if row is not None:
        specific |= _effects(decision, row.powers)
    if decision.for_user:
        top["system_message"] = "\n".join(decision.for_user)
    if row is not None and specific:
        top["hook_specific_output"] = {"hook_event_name": row.payload_name, **specific}
    return Reply(stdout=to_json_line(top))


def _effects(decision: Decision, powers: frozenset[str]) -> dict[str, Any]:
    """What the decision carries beside its stance, as far as the event has a key for it."""
    said: dict[str, Any] = {}
    rewrite = decision.rewrite
    if rewrite is not None and rewrite.target in powers and rewrite.target in _REWRITES:
        said[_REWRITES[rewrite.target]] = (
            rewrite.patch if rewrite.target == "input" else rewrite.value
        )
    if decision.for_agent and "context" in powers:
        said["additional_context"] = "\n".join(decision.for_agent)
    if decision.evidence and "metadata" in powers:
        said["metadata"] = (
            decision.evidence
            if isinstance(decision.evidence, dict)
            else {"evidence": decision.evidence}
        )
    if "transition" in decision.effects and "transition" in powers:
        said["transition"] = decision.effects["transition"]
    return said
