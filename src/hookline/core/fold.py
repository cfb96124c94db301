"""Fold: many verdicts, in plan order, become one decision."""

from __future__ import annotations

from hookline.model.event import Rewrite, changed
from hookline.model.kinds import kind
from hookline.model.verdict import NO_EFFECTS, Decision, Lowered, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any

    from hookline.core.dialect import FoldRule
    from hookline.model.event import Event


def fold(verdicts: Sequence[Verdict], rule: FoldRule, event: Event, *, seconds: float = 0.0) -> Decision:
    """The decision that follows from the verdicts of one event; `seconds` is how long asking took. Total, deterministic.

    The strongest stance wins and, among equals, the first in plan order gives the reason; so adding a verdict never
    lowers the stance, and permuting verdicts never changes it. Shadow verdicts are listed and count for nothing.
    """
    counted = [verdict for verdict in verdicts if not verdict.shadow]
    if not counted:
        return Decision(kind=event.kind, dialect=event.dialect, native_event=event.native_name or event.kind, verdicts=tuple(verdicts))
    counted += _clashes(counted, rule)
    leader = max(counted, key=lambda verdict: verdict.stance)
    stance = leader.stance
    return Decision(
        kind=event.kind,
        dialect=event.dialect,
        native_event=event.native_name or event.kind,
        stance=stance,
        reason=_reason(counted, stance, rule),
        evidence=_evidence(counted),
        rewrite=None if stance >= Stance.DENY and rule.drops_rewrite_when_denied else _rewrite(counted, rule, event),
        for_agent=tuple(verdict.for_agent for verdict in counted if verdict.for_agent),
        for_user=tuple(verdict.for_user for verdict in counted if verdict.for_user),
        retry_after=next((verdict.retry_after for verdict in counted if verdict.retry_after is not None), None),
        redo=stance is Stance.DENY and kind(event.kind).redo,
        effects=_effects(counted, without=rule.exclusive if stance >= Stance.DENY else ()),
        lowered=tuple(lowered for verdict in counted for lowered in _unsupported(verdict)),
        seconds=seconds,
        verdicts=tuple(verdicts),
    )


def _clashes(verdicts: list[Verdict], rule: FoldRule) -> list[Verdict]:
    """A denial for each exclusive effect to which two hooks gave different values."""
    values = {effect: [verdict.effects[effect] for verdict in verdicts if effect in verdict.effects] for effect in rule.exclusive}
    return [
        Verdict(stance=Stance.DENY, reason=rule.exclusive[effect])
        for effect, given in values.items()
        if any(value != given[0] for value in given)
    ]


def _reason(verdicts: list[Verdict], stance: Stance, rule: FoldRule) -> str:
    if stance is Stance.SILENT:
        return ""
    reasons = [verdict.reason for verdict in verdicts if verdict.stance is stance and verdict.reason]
    if rule.joins_reasons and stance >= Stance.DENY:
        return "\n".join(reasons)
    return reasons[0] if reasons else ""


def _rewrite(verdicts: list[Verdict], rule: FoldRule, event: Event) -> Rewrite | None:
    """The effective value after every rewrite, in plan order; an input's patch is against the original event."""
    current, target = event, ""
    landed: set[str] = set()
    for verdict in verdicts:
        rewrite = verdict.rewrite
        if rewrite is None or (rewrite.target in rule.firsts and rewrite.target in landed):
            continue
        attribute = type(event.body).rewritable.get(rewrite.target)
        if attribute is None:
            continue
        current, target = current.rewritten(rewrite), rewrite.target
        landed.add(target)
    if not target:
        return None
    attribute = type(event.body).rewritable[target]
    before, after = getattr(event.body, attribute), getattr(current.body, attribute)
    return Rewrite(target=target, value=after, patch=changed(before, after) if target == "input" else None)


def _evidence(verdicts: list[Verdict]) -> Any:
    """Evidence objects are merged key by key, the last one winning; other evidence is the strongest verdict's."""
    given = [verdict.evidence for verdict in verdicts if verdict.evidence is not None]
    if not given:
        return None
    if all(isinstance(evidence, dict) for evidence in given):
        return {key: value for evidence in given for key, value in evidence.items()}
    return max((v for v in verdicts if v.evidence is not None), key=lambda verdict: verdict.stance).evidence


def _effects(verdicts: list[Verdict], *, without: Container[str]) -> Mapping[str, Any]:
    merged: dict[str, Any] = {}
    for verdict in verdicts:
        for power, value in verdict.effects.items():
            merged[power] = _joined(merged[power], value) if power in merged else value
    return {power: value for power, value in merged.items() if power not in without} or NO_EFFECTS


def _joined(former: Any, latter: Any) -> Any:
    """Lists add up, objects are merged, anything else is replaced by the later one."""
    if isinstance(former, list) and isinstance(latter, list):
        return former + [item for item in latter if item not in former]
    if isinstance(former, dict) and isinstance(latter, dict):
        return former | latter
    return latter


def _unsupported(verdict: Verdict) -> list[Lowered]:
    why = "the hook's own dialect does not honour it on this event"
    return [Lowered(effect=effect, reason=why, hook=verdict.hook_id) for effect in verdict.unsupported]
