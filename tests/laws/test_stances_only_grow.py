"""Folding verdicts: a denial holds, order does not change the stance, all verdicts fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from hookline.core.fit import fit
from hookline.core.fold import fold
from hookline.model.verdict import Stance
from tests.laws.strategies import LAW, events, powers, rules, verdicts

if TYPE_CHECKING:
    import random

    from hookline.core.dialect import FoldRule
    from hookline.model.event import Event
    from hookline.model.verdict import Decision, Verdict

several = st.lists(verdicts, max_size=6)


@LAW
@given(several, verdicts, st.integers(0, 6), rules, events)
def test_adding_a_verdict_never_lowers_the_stance(
    said: list[Verdict], added: Verdict, at: int, rule: FoldRule, event: Event
) -> None:
    """Wherever another verdict is put in, the decision is at least as strong as before."""
    before = fold(said, rule, event).stance
    after = fold([*said[:at], added, *said[at:]], rule, event).stance

    assert after >= before


@LAW
@given(several, st.randoms(use_true_random=False), rules, events)
def test_permuting_verdicts_never_changes_the_stance(
    said: list[Verdict], chance: random.Random, rule: FoldRule, event: Event
) -> None:
    """The order of hooks decides which reason is given, never how strong the decision is."""
    shuffled = list(said)
    chance.shuffle(shuffled)

    assert fold(shuffled, rule, event).stance is fold(said, rule, event).stance


@LAW
@given(several, verdicts, rules, events)
def test_a_denial_holds(said: list[Verdict], denial: Verdict, rule: FoldRule, event: Event) -> None:
    """With one enforced denial among them, no verdicts before or after it make anything weaker."""
    denied = denial.replace(stance=Stance.DENY, shadow=False)

    assert fold([denied, *said], rule, event).stance >= Stance.DENY
    assert fold([*said, denied], rule, event).stance >= Stance.DENY


@LAW
@given(several, rules, events)
def test_the_stance_is_that_of_the_strongest_or_of_a_clash(
    said: list[Verdict], rule: FoldRule, event: Event
) -> None:
    """Nothing but an enforced verdict, or two values of an exclusive effect, makes a stance."""
    enforced = [verdict.stance for verdict in said if not verdict.shadow]
    strongest = max(enforced, default=Stance.SILENT)
    stance = fold(said, rule, event).stance

    assert stance is strongest or (stance is Stance.DENY and bool(rule.exclusive))


@LAW
@given(several, rules, events)
def test_folding_is_total_and_repeatable(said: list[Verdict], rule: FoldRule, event: Event) -> None:
    """Verdicts under any rule make one decision that lists all of them and can be serialised."""
    decision = fold(said, rule, event)

    assert decision == fold(said, rule, event)
    assert decision.verdicts == tuple(said)
    assert len(decision.to_dict()["verdicts"]) == len(said)


@LAW
@given(several, rules, events)
def test_shadows_change_nothing(said: list[Verdict], rule: FoldRule, event: Event) -> None:
    """The decision is the same without them, but for the list of verdicts."""
    enforced = [verdict for verdict in said if not verdict.shadow]

    assert fold(said, rule, event).replace(verdicts=()) == fold(enforced, rule, event).replace(
        verdicts=()
    )


@LAW
@given(several, rules, events)
def test_what_a_fold_cannot_carry_is_listed(
    said: list[Verdict], rule: FoldRule, event: Event
) -> None:
    """Each enforced rewrite is in the decision or in `lowered`, unless a denial drops it."""
    decision = fold(said, rule, event)
    wanted = {
        verdict.rewrite.target
        for verdict in said
        if verdict.rewrite is not None and not verdict.shadow
    }
    if decision.stance >= Stance.DENY and rule.drops_rewrite_when_denied:
        wanted = set()
    kept = {decision.rewrite.target} if decision.rewrite else set()

    assert wanted <= kept | {entry.effect for entry in decision.lowered}


@LAW
@given(
    said=several,
    rule=rules,
    event=events,
    can=powers,
    becomes=st.sampled_from((Stance.SILENT, Stance.DENY)),
    redoes=st.booleans(),
)
def test_fitting_strengthens_only_an_ask_that_no_user_can_answer(
    said: list[Verdict],
    rule: FoldRule,
    event: Event,
    can: frozenset[str],
    becomes: Stance,
    *,
    redoes: bool,
) -> None:
    """A host that can say less is told less.

    An unanswerable ask becomes what a dialect says, and that of a failed hook a denial.
    """
    decision = fold(said, rule, event)
    fitted = fit(decision, can, ask_becomes=becomes, redoes=redoes)
    failed = any(
        verdict.fault and verdict.stance is Stance.ASK and not verdict.shadow
        for verdict in decision.verdicts
    )
    unanswered = {becomes, Stance.DENY} if failed else {becomes}

    assert fitted.stance <= decision.stance or (
        decision.stance is Stance.ASK and fitted.stance in unanswered
    )


@LAW
@given(said=several, rule=rules, event=events, can=powers, redoes=st.booleans())
def test_everything_lost_in_fitting_is_listed(
    said: list[Verdict], rule: FoldRule, event: Event, can: frozenset[str], *, redoes: bool
) -> None:
    """What the decision carried and the fitted one does not is an entry of `lowered`.

    What it carries, the host can say.
    """
    decision = fold(said, rule, event)
    fitted = fit(decision, can, redoes=redoes)
    carried = _carried(decision)
    lost = carried - _carried(fitted)

    assert lost <= {entry.effect for entry in fitted.lowered}
    assert _carried(fitted) <= can
    assert fitted.lowered[: len(decision.lowered)] == decision.lowered


@LAW
@given(several, rules, events)
def test_a_host_that_can_say_everything_is_told_everything(
    said: list[Verdict], rule: FoldRule, event: Event
) -> None:
    """With all powers, fitting changes nothing."""
    decision = fold(said, rule, event)

    assert fit(decision, frozenset(_carried(decision))) == decision


def _carried(decision: Decision) -> set[str]:
    """The powers that a decision needs."""
    needed = set(decision.effects)
    if decision.stance:
        needed.add(decision.stance.name.lower())
    if decision.rewrite is not None:
        needed.add(decision.rewrite.target)
    if decision.retry_after is not None:
        needed.add("retry")
    return (
        needed
        | ({"context"} if decision.for_agent else set())
        | ({"note"} if decision.for_user else set())
    )
