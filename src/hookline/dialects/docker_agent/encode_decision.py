"""A decision in the words that docker-agent's own runtime reads from a hook."""

from __future__ import annotations

from hookline.dialects.docker_agent.table import OUTPUT_KEYS
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


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """Return the reply of a command hook: exit 0 and one object, or nothing at all for a silent decision."""
    top: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    word = _WORDS.get(decision.stance, "")
    # A veto of `before_compaction` is written as a block: as a verdict only hookline reads it (X3).
    if row is not None and row.grouped and word in row.verdicts:
        specific |= {"permission_decision": word, "permission_decision_reason": decision.reason}
    elif decision.stance >= Stance.DENY:
        top |= {"decision": "block", "reason": decision.reason}
    if decision.for_user:
        top["system_message"] = "\n".join(decision.for_user)
    if row is not None:
        effects = _list_effects(decision).items()
        specific |= {OUTPUT_KEYS[power]: value for power, value in effects if power in row.powers}
        if specific:
            top["hook_specific_output"] = {"hook_event_name": row.payload_name, **specific}
    return Reply(stdout=to_json_line(top))


def _list_effects(decision: Decision) -> dict[str, Any]:
    """Return what the decision carries beside its stance, by the power that each uses."""
    effects: dict[str, Any] = {}
    if rewrite := decision.rewrite:
        effects[rewrite.target] = rewrite.patch if rewrite.target == "input" else rewrite.value
    if decision.for_agent:
        effects["context"] = "\n".join(decision.for_agent)
    if evidence := decision.evidence:
        effects["metadata"] = evidence if isinstance(evidence, dict) else {"evidence": evidence}
    if "transition" in decision.effects:
        effects["transition"] = decision.effects["transition"]
    return effects
