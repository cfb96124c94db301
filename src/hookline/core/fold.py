"""Fold: combines verdicts, in plan order, into one decision."""

from __future__ import annotations

from itertools import pairwise

from hookline.model.event import Event, Rewrite, diff_inputs
from hookline.model.frozen import make_constructor
from hookline.model.kinds import kind
from hookline.model.verdict import NO_EFFECTS, Decision, Lowered, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from hookline.core.dialect import FoldRule


_silent = make_constructor(Decision, "kind", "dialect", "native_event", "seconds", "verdicts")


def fold(
    verdicts: Sequence[Verdict],
    rule: FoldRule,
    event: Event,
    *,
    seconds: float = 0.0,
    redoes: bool | None = None,
) -> Decision:
    """Return the decision for the verdicts of one event; `seconds` is how long the hooks took.

    Total, deterministic.

    `redoes`: a denial sends the agent back to work (by default as the kind says).

    The strongest stance wins; among equals, the first in plan order gives the reason. So adding a
    verdict never lowers the stance, and permuting verdicts never changes it. Shadow verdicts are
    listed without effect.
    """
    counted = [verdict for verdict in verdicts if not (verdict.shadow or verdict.is_silent)]
    if not counted:
        return make_silent_decision(event, verdicts, seconds=seconds)
    counted += _find_clashes(counted, rule)
    leader = max(counted, key=lambda verdict: verdict.stance)
    stance = leader.stance
    dropped = stance >= Stance.DENY and rule.drops_rewrite_when_denied
    rewrite, lost = (
        (None, _list_dropped_rewrites(counted)) if dropped else _rewrite(counted, rule, event)
    )
    return Decision(
        kind=event.kind,
        dialect=event.dialect,
        native_event=event.native_name or event.kind,
        stance=stance,
        decider=leader.hook_id if stance else "",
        reason=_reason(counted, stance, rule),
        evidence=_evidence(counted),
        rewrite=rewrite,
        for_agent=tuple(verdict.for_agent for verdict in counted if verdict.for_agent),
        for_user=tuple(dict.fromkeys(text for verdict in counted for text in _notes(verdict))),
        retry_after=next(
            (verdict.retry_after for verdict in counted if verdict.retry_after is not None), None
        ),
        redo=stance is Stance.DENY and (kind(event.kind).redo if redoes is None else redoes),
        effects=_effects(counted, rule, denied=stance >= Stance.DENY),
        lowered=(
            *(lowered for verdict in counted for lowered in _unsupported(verdict)),
            *lost,
            *_list_replaced_effects(counted, rule),
        ),
        seconds=seconds,
        verdicts=tuple(verdicts),
    )


def _notes(verdict: Verdict) -> tuple[str, ...]:
    """Return a verdict's texts for the user: its note, and its warnings."""
    return (verdict.for_user, *verdict.warnings) if verdict.for_user else verdict.warnings


def _list_dropped_rewrites(verdicts: list[Verdict]) -> list[Lowered]:
    why = "what was denied keeps its original input"
    return [
        Lowered(effect=v.rewrite.target, reason=why, hook=v.hook_id)
        for v in verdicts
        if v.rewrite is not None
    ]


def _list_replaced_effects(verdicts: list[Verdict], rule: FoldRule) -> list[Lowered]:
    """Return a loss for each effect that a later hook replaced by another value."""
    lost: list[Lowered] = []
    for effect in sorted(rule.lasts):
        gave = [verdict for verdict in verdicts if effect in verdict.effects]
        lost += [
            Lowered(
                effect=effect,
                reason=f"a later hook, `{later.hook_id}`, replaced it",
                hook=verdict.hook_id,
            )
            for verdict, later in pairwise(gave)
            if verdict.effects[effect] != later.effects[effect]
        ]
    return lost


def make_silent_decision(
    event: Event, verdicts: Sequence[Verdict] = (), *, seconds: float = 0.0
) -> Decision:
    """Return the decision without any request, as for most events."""
    kind = event.kind
    return _silent(kind, event.dialect, event.native_name or kind, seconds, tuple(verdicts))


def _find_clashes(verdicts: list[Verdict], rule: FoldRule) -> list[Verdict]:
    """Return a denial for each exclusive effect to which two hooks gave different values."""
    values = {
        effect: [verdict.effects[effect] for verdict in verdicts if effect in verdict.effects]
        for effect in rule.exclusive
    }
    return [
        Verdict(stance=Stance.DENY, reason=rule.exclusive[effect])
        for effect, given in values.items()
        if any(value != given[0] for value in given)
    ]


def _reason(verdicts: list[Verdict], stance: Stance, rule: FoldRule) -> str:
    if stance is Stance.SILENT:
        return ""
    reasons = [
        verdict.reason for verdict in verdicts if verdict.stance is stance and verdict.reason
    ]
    if rule.joins_reasons and stance >= Stance.DENY:
        return "\n".join(reasons)
    return reasons[0] if reasons else ""


def _rewrite(
    verdicts: list[Verdict], rule: FoldRule, event: Event
) -> tuple[Rewrite | None, list[Lowered]]:
    """Return the effective value after every rewrite, in plan order.

    An input's patch is relative to the original event.

    A decision carries one target: the last one that the event's kind has. Rewrites of other targets
    are lost.
    """
    rewritable = type(event.body).rewritable
    current = event
    landed: dict[str, str] = {}
    lost: list[Lowered] = []
    for verdict in verdicts:
        rewrite = verdict.rewrite
        if rewrite is None or (rewrite.target in rule.firsts and rewrite.target in landed):
            continue
        if rewrite.target not in rewritable:
            lost.append(
                Lowered(
                    effect=rewrite.target,
                    reason=f"`{event.kind}` carries nothing of the kind",
                    hook=verdict.hook_id,
                )
            )
            continue
        current = current.apply_rewrite(rewrite)
        landed.pop(rewrite.target, None)
        landed[rewrite.target] = verdict.hook_id
    if not landed:
        return None, lost
    target = next(
        (target for target in reversed(landed) if target in kind(event.kind).powers),
        next(reversed(landed)),
    )
    beside = f"the {target} is rewritten too, and a decision carries one rewrite"
    lost += [
        Lowered(effect=other, reason=beside, hook=whose)
        for other, whose in landed.items()
        if other != target
    ]
    before, after = (
        getattr(event.body, rewritable[target]),
        getattr(current.body, rewritable[target]),
    )
    if target != "input":
        return Rewrite(target=target, value=after), lost
    after, beyond = _limit_keys(before, after, rule.input_keys)
    lost += [Lowered(effect="input", reason=why, hook=landed[target]) for why in beyond]
    patch = diff_inputs(before, after)
    return (Rewrite(target=target, value=after, patch=patch) if patch or not beyond else None), lost


def _limit_keys(before: Any, after: Any, may: frozenset[str]) -> tuple[Any, list[str]]:
    """Return the new input as far as the host can apply it, and which keys it cannot change."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after, []
    beyond = []
    if "remove" not in may and (kept := before.keys() - after.keys()):
        beyond.append(f"the host cannot take {_keys(kept)} away from the input")
        after = {**{key: before[key] for key in before if key in kept}, **after}
    if "add" not in may and (new := after.keys() - before.keys()):
        beyond.append(f"the host cannot add {_keys(new)} to the input")
        after = {key: value for key, value in after.items() if key not in new}
    return after, beyond


def _keys(names: AbstractSet[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _evidence(verdicts: list[Verdict]) -> Any:
    """Merge evidence objects by key, the last value winning.

    Of other evidence, return the strongest verdict's.
    """
    given = [verdict.evidence for verdict in verdicts if verdict.evidence is not None]
    if not given:
        return None
    if all(isinstance(evidence, dict) for evidence in given):
        return {key: value for evidence in given for key, value in evidence.items()}
    return max(
        (v for v in verdicts if v.evidence is not None), key=lambda verdict: verdict.stance
    ).evidence


def _effects(verdicts: list[Verdict], rule: FoldRule, *, denied: bool) -> Mapping[str, Any]:
    merged: dict[str, Any] = {}
    for verdict in verdicts:
        for power, value in verdict.effects.items():
            if power not in merged or power in rule.lasts:
                merged[power] = value
            elif power in rule.unions:
                merged[power] = _merge_ranked(merged[power], value, rule.unions[power])
            else:
                merged[power] = _join(merged[power], value)
    if denied:
        without = {*rule.exclusive, *(rule.lasts if rule.drops_rewrite_when_denied else ())}
        merged = {power: value for power, value in merged.items() if power not in without}
    return merged or NO_EFFECTS


def _join(former: Any, latter: Any) -> Any:
    """Join two values: lists add up, objects merge, and the later one replaces anything else."""
    if isinstance(former, list) and isinstance(latter, list):
        return former + [item for item in latter if item not in former]
    if isinstance(former, dict) and isinstance(latter, dict):
        return former | latter
    return latter


def _merge_ranked(former: Any, latter: Any, ranks: Mapping[str, tuple[str, ...]]) -> Any:
    """Merge two objects by part: of ranked words the strongest wins, other parts are joined."""
    if not isinstance(former, dict) or not isinstance(latter, dict):
        return _join(former, latter)
    united = former | latter
    for part in former.keys() & latter.keys():
        words = ranks.get(part, ())
        both = (former[part], latter[part])
        united[part] = (
            max(both, key=words.index)
            if words and all(word in words for word in both)
            else _join(*both)
        )
    return united


def _unsupported(verdict: Verdict) -> list[Lowered]:
    why = "the hook's own dialect does not honour it on this event"
    told = (entry.partition(": ") for entry in verdict.unsupported)
    return [
        Lowered(effect=effect, reason=own or why, hook=verdict.hook_id) for effect, _, own in told
    ]
