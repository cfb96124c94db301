"""Fit: reduces a decision to what its event and host can express, and lists what was lost."""

from __future__ import annotations

from hookline.model.kinds import kind
from hookline.model.verdict import NO_EFFECTS, Decision, Lowered, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def fit(
    decision: Decision,
    powers: frozenset[str],
    *,
    ask_becomes: Stance = Stance.SILENT,
    redoes: bool = False,
) -> Decision:
    """Return the decision without what `powers` lacks.

    Each loss is an entry of `lowered` (docs/architecture.md 4.7).

    Only an ask can become a denial that no hook gave: if the host cannot ask and `ask_becomes` says
    so, as before an action, and if a guard asks because it failed. `redoes`: a denial sends the
    agent back to work, which is the opposite of a halt.
    """
    failure = _failed_ask(decision) if "deny" in powers else None
    stance, lost = _stance(
        decision.stance,
        powers - {"deny"} if redoes and decision.stance is Stance.HALT else powers,
        Stance.DENY if failure else ask_becomes,
    )
    changes: dict[str, Any] = {"stance": stance}
    refuses = decision.stance is Stance.ASK and stance is Stance.DENY
    if failure and refuses:
        changes |= {"reason": failure.reason, "redo": redoes, "decider": failure.hook_id}
    elif refuses and not decision.reason:
        changes["reason"] = (
            f"a hook wants a person to decide, and {decision.dialect} cannot ask one here"
        )
    if stance is Stance.SILENT:
        changes["decider"] = ""
        changes["reason"] = ""
    if stance is not Stance.DENY:
        changes["redo"] = False
    for effect, field, nothing in _carried(decision):
        if effect not in powers:
            lost.append(effect)
            changes[field] = nothing
    beyond = [power for power in decision.effects if power not in powers]
    if beyond:
        lost += beyond
        changes["effects"] = {
            power: value for power, value in decision.effects.items() if power in powers
        } or NO_EFFECTS
    if not lost:
        return decision
    unsaid = stance < Stance.DENY <= decision.stance
    if unsaid and decision.reason and "context" in powers and kind(decision.kind).feedback:
        # The model can still be told what such a denial wants.
        changes["for_agent"] = (decision.reason, *decision.for_agent)
    entries = tuple(_list_losses(decision, lost, refuses=refuses))
    return decision.replace(**changes, lowered=decision.lowered + entries)


def _stance(
    stance: Stance, powers: frozenset[str], ask_becomes: Stance
) -> tuple[Stance, list[str]]:
    """Return the strongest stance that can be expressed, no stronger, and those lost on the way."""
    lost: list[str] = []
    while stance is not Stance.SILENT and stance.word not in powers:
        lost.append(stance.word)
        if stance is Stance.HALT:
            stance = Stance.DENY if "deny" in powers else Stance.SILENT
        elif stance is Stance.ASK and ask_becomes.word in powers:
            stance = ask_becomes
        else:
            stance = Stance.SILENT
    return stance, lost


def _failed_ask(decision: Decision) -> Verdict | None:
    """Return the verdict that asks because its hook failed, if the decision is an ask."""
    if decision.stance is not Stance.ASK:
        return None
    asking = (
        verdict
        for verdict in decision.verdicts
        if verdict.stance is Stance.ASK and not verdict.shadow
    )
    return next((verdict for verdict in asking if verdict.fault is not None), None)


def _carried(decision: Decision) -> Iterator[tuple[str, str, Any]]:
    """Yield the parts of a decision besides its stance: power needed, field, empty value."""
    if decision.rewrite is not None:
        yield decision.rewrite.target, "rewrite", None
    if decision.for_agent:
        yield "context", "for_agent", ()
    if decision.for_user:
        yield "note", "for_user", ()
    if decision.retry_after is not None:
        yield "retry", "retry_after", None


def _list_losses(decision: Decision, lost: list[str], *, refuses: bool) -> Iterator[Lowered]:
    """Yield each lost effect, once for every hook that asked for it.

    `refuses`: an ask is a denial now.
    """
    event = f"`{decision.native_event or decision.kind}` of {decision.dialect}"
    for effect in lost:
        reason = (
            f"ask -> deny: {event} cannot ask a person here"
            if refuses and effect == "ask"
            else f"{event} cannot express it"
        )
        asking = dict.fromkeys(
            verdict.hook_id
            for verdict in decision.verdicts
            if not verdict.shadow and _has_effect(verdict, effect)
        )
        for hook in asking or ("",):
            yield Lowered(effect=effect, reason=reason, hook=hook)


def _has_effect(verdict: Verdict, effect: str) -> bool:
    """Return whether a verdict contributed to an effect."""
    carried = {
        "context": bool(verdict.for_agent),
        "note": bool(verdict.for_user),
        "retry": verdict.retry_after is not None,
    }
    if carried.get(effect):
        return True
    if verdict.rewrite is not None and verdict.rewrite.target == effect:
        return True
    return verdict.stance.word == effect or effect in verdict.effects
