"""Fit: lower a decision to what its event and host can express, and say what was lowered."""

from __future__ import annotations

from hookline.model.verdict import NO_EFFECTS, Lowered, Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.verdict import Decision

_POWER_OF = {Stance.ALLOW: "allow", Stance.ASK: "ask", Stance.DENY: "deny", Stance.HALT: "halt"}


def fit(decision: Decision, powers: frozenset[str], *, ask_becomes: Stance = Stance.SILENT) -> Decision:
    """The decision without what `powers` lacks; every loss is an entry of `lowered` (architecture, decision 7).

    Nothing is ever turned into a block that was none, but where the dialect says that an ask which nobody can answer is
    a denial (`ask_becomes`).
    """
    changes: dict[str, Any] = {}
    losses: list[Lowered] = []

    def lose(effect: str, **change: Any) -> None:
        losses.append(_loss(decision, effect))
        changes.update(change)

    stance = decision.stance
    if stance is Stance.HALT and "halt" not in powers:
        stance = Stance.DENY if "deny" in powers else Stance.SILENT
        lose("halt", stance=stance)
    if stance is Stance.ASK and "ask" not in powers:
        stance = ask_becomes if _POWER_OF.get(ask_becomes) in powers else Stance.SILENT
        lose("ask", stance=stance)
    elif stance is not Stance.SILENT and _POWER_OF[stance] not in powers:
        lose(_POWER_OF[stance], stance=Stance.SILENT)
        stance = Stance.SILENT
    if losses and stance is Stance.SILENT:
        changes["reason"] = ""
    if decision.redo and stance is not Stance.DENY:
        changes["redo"] = False
    if decision.rewrite is not None and decision.rewrite.target not in powers:
        lose(decision.rewrite.target, rewrite=None)
    if decision.for_agent and "context" not in powers:
        lose("context", for_agent=())
    if decision.for_user and "note" not in powers:
        lose("note", for_user=())
    if decision.retry_after is not None and "retry" not in powers:
        lose("retry", retry_after=None)
    beyond = [power for power in decision.effects if power not in powers]
    for power in beyond:
        lose(power, effects={k: v for k, v in decision.effects.items() if k not in beyond} or NO_EFFECTS)
    return decision.replace(**changes, lowered=decision.lowered + tuple(losses)) if losses else decision


def _loss(decision: Decision, effect: str) -> Lowered:
    whose = next((verdict.hook_id for verdict in decision.verdicts if not verdict.shadow and _asks(verdict, effect)), "")
    return Lowered(effect=effect, reason=f"`{decision.native_event or decision.kind}` of {decision.dialect} cannot express it", hook=whose)


def _asks(verdict: Any, effect: str) -> bool:
    asked = {
        "context": bool(verdict.for_agent),
        "note": bool(verdict.for_user),
        "retry": verdict.retry_after is not None,
    }
    if effect in asked:
        return asked[effect]
    if verdict.rewrite is not None and verdict.rewrite.target == effect:
        return True
    return _POWER_OF.get(verdict.stance) == effect or effect in verdict.effects
