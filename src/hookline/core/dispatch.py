"""Dispatch: the generator that asks for runs, is given their outcomes, and returns the decision.

It knows no process, no clock and no loop. Whoever drives it (synchronously, asynchronously, in a play, in a replay)
performs the runs that it yields, in any order or at once, and sends back their outcomes in the order asked.
"""

from __future__ import annotations

from hookline.core.failure import UNASKED, failed, switch_off
from hookline.core.fit import fit
from hookline.core.fold import fold
from hookline.core.hearing import hear, seen
from hookline.core.match_budget import MatchBudget
from hookline.core.plan import together
from hookline.model.event import changed
from hookline.model.frozen import Frozen
from hookline.model.handler import Broken, Builtin, Command, InProcess
from hookline.model.outcome import Failure, Outcome
from hookline.model.verdict import NO_EFFECTS, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import TypeAlias

    from hookline.core.dialect import Dialect
    from hookline.core.plan import Group, Plan
    from hookline.core.registry import Entry
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision

    Dispatch: TypeAlias = "Generator[tuple[Run, ...], tuple[Outcome, ...], Decision]"
    Identity: TypeAlias = tuple[str, bool, bool]
    _Asking: TypeAlias = "Generator[tuple[Run, ...], tuple[Outcome, ...], Event]"

# Who stands for no owner, and so for the program: what ends for him ends for all.
_EVERYBODY = ""


def _no_clock() -> float:
    return 0.0


class Run(Frozen):
    """One request: perform this hook's handler on this event.

    `payload` is what a process is sent (None for a handler in this process). `detached`: start it, do not wait; the
    outcome sent back is empty, or says why it was not started. `dialect`: whose words the answer of a detached hook is in, or
    of one that may go to the background while it runs.
    `identity`, `content`: of a detached hook, what it was let through as; those of the outcome of its end.
    """

    spec: HookSpec
    event: Event
    payload: str | None = None
    detached: bool = False
    dialect: Dialect | None = None
    identity: str = ""
    content: str = ""


def dispatch(plan: Plan, event: Event, clock: Callable[[], float] = _no_clock) -> Dispatch:
    """Ask every hook of a plan; fold, fit and return what they said. `clock` tells seconds."""
    began = clock()
    verdicts: list[Verdict] = []
    current = event
    budget = MatchBudget(clock)
    for group in plan.groups:
        ask = _at_once if together(group, current, budget) else _in_turn
        current = yield from ask(group, current, verdicts, budget)
    if plan.reexamine and current is not event:
        yield from _reexamine(plan, current, verdicts, budget)
    if plan.detaches:
        yield from _detach(plan, current, verdicts, budget)
    return conclude(plan, event, verdicts, clock() - began)


def conclude_alone(plan: Plan, hook: Entry, outcome: Outcome, event: Event) -> Decision:
    """The decision where one Python hook was all that had to be asked (`plan.solo`)."""
    verdict, _ = _land(hear(hook, outcome, event), event, plan.groups[0], set())
    return conclude(plan, event, [verdict], outcome.seconds)


def conclude(plan: Plan, event: Event, verdicts: list[Verdict], seconds: float) -> Decision:
    """Fold the verdicts, and fit the decision to its host; and once more as if no hook were only observed."""
    decision = _decide(plan, event, verdicts, seconds)
    for verdict in verdicts:
        if verdict.shadow:
            enforced = [verdict.replace(shadow=False) for verdict in verdicts]
            return decision.replace(shadow=_decide(plan, event, enforced, seconds))
    return decision


def _decide(plan: Plan, event: Event, verdicts: list[Verdict], seconds: float) -> Decision:
    decision = fold(verdicts, plan.rule, event, seconds=seconds, redoes=plan.redoes)
    if (
        decision.stance
        or decision.for_agent
        or decision.for_user
        or decision.rewrite
        or decision.effects
        or decision.retry_after is not None
    ):
        return fit(decision, plan.powers, ask_becomes=plan.ask_becomes, redoes=plan.redoes)
    return decision


def _at_once(group: Group, event: Event, verdicts: list[Verdict], budget: MatchBudget) -> _Asking:
    """All hooks of a group see the same event; their rewrites land afterwards, in plan order."""
    seen: set[Identity] = set()
    chosen = [step for step in group.steps if takes_part(step, event, seen, budget)]
    spoken = yield from _ask(chosen, event, budget)
    current = event
    landed: set[str] = set()
    for verdict in spoken:
        before = event if group.dialect.table.fold.lone_patches else current
        settled, after = _land(verdict, before, group, landed)
        current = current if after is before else after
        verdicts.append(settled)
    return current


def _in_turn(group: Group, event: Event, verdicts: list[Verdict], budget: MatchBudget) -> _Asking:
    """Each hook matches and sees the event as the former hooks left it."""
    landed: set[str] = set()
    seen: set[Identity] = set()
    told: list[Verdict] = []
    over: set[str] = set()
    for step in group.steps:
        if step.spec.owner in over:
            continue
        shown = _carried(step, told, event)
        if not takes_part(step, shown, seen, budget):
            continue
        if step.spec.detached:
            verdict = yield from _start(step, shown, budget)
            verdicts.append(verdict)
            continue
        prepared = _prepare(step, shown, budget)
        if isinstance(prepared, Run):
            (prepared,) = yield (prepared,)
        verdict, event = _land(hear(step, prepared, shown), event, group, landed)
        verdicts.append(verdict)
        told.append(verdict)
        over |= _over(step, verdict)
        if _EVERYBODY in over:
            break
    return event


def _over(step: Entry, verdict: Verdict) -> set[str]:
    """Whose remaining hooks of a group are not asked after this verdict.

    Where a hook stands for an owner, that is its own owner's: nobody puts another one's guards aside. What is denied on a gate
    does not happen, so that there is nothing left to guard.
    """
    if not verdict.ends or verdict.shadow:
        return set()
    denied = (
        verdict.stance >= Stance.DENY and step.row is not None and step.row.fails >= Stance.DENY
    )
    return {_EVERYBODY if denied else step.spec.owner}


def _carried(step: Entry, told: list[Verdict], event: Event) -> Event:
    """The event as a hook sees it after those before it in its group: only in its own dialect, and never by the host."""
    carries = step.row.carries if step.row else None
    if carries is not None:
        for verdict in told:
            event = event if verdict.shadow else carries(event, verdict)
    return event


def takes_part(
    step: Entry, event: Event, seen: set[Identity], budget: MatchBudget | None = None
) -> bool:
    """Whether a hook is asked about the event as it stands; of equal hooks (`seen`) only the first that matches is.

    `budget`: the time limit of matchers that backtrack, where the hook may have one.
    """
    spec = step.spec
    # A copy that is only observed, or that nobody approved, must not stand in for the hook that counts.
    identity = (spec.identity, spec.shadow, spec.trusted) if spec.identity else None
    if identity in seen:
        return False
    for holds in step.content:
        if not holds(event):
            return False
    if step.backtracking and budget is not None and not budget.selects(step, event):
        return False
    if identity:
        seen.add(identity)
    return True


def _land(verdict: Verdict, event: Event, group: Group, landed: set[str]) -> tuple[Verdict, Event]:
    """Apply a verdict's rewrite, and complete it: the whole new value, and what changed."""
    rewrite = verdict.rewrite
    if rewrite is None or verdict.shadow:
        return verdict, event
    attribute = type(event.body).rewritable.get(rewrite.target)
    if attribute is None or (
        rewrite.target in group.dialect.table.fold.firsts and rewrite.target in landed
    ):
        return verdict, event
    landed.add(rewrite.target)
    after = event.rewritten(rewrite)
    value = getattr(after.body, attribute)
    patch = changed(getattr(event.body, attribute), value) if rewrite.target == "input" else None
    return verdict.replace(rewrite=rewrite.replace(value=value, merge=False, patch=patch)), after


def _ask(
    steps: Sequence[Entry], event: Event, budget: MatchBudget
) -> Generator[tuple[Run, ...], tuple[Outcome, ...], list[Verdict]]:
    """Yield the runs of some hooks at once, and read their outcomes, in the order of the hooks."""
    if not steps:
        return []
    prepared = [_prepare(step, event, budget) for step in steps]
    runs = tuple(run for run in prepared if isinstance(run, Run))
    outcomes = iter((yield runs) if runs else ())
    return [
        hear(step, next(outcomes) if isinstance(run, Run) else run, event)
        for step, run in zip(steps, prepared, strict=True)
    ]


def _prepare(
    step: Entry, event: Event, budget: MatchBudget, *, detached: bool = False
) -> Run | Outcome:
    """A run; or at once an outcome, where the hook cannot be run at all."""
    spec = step.spec
    handler = spec.handler
    event = seen(spec, event)
    if type(handler) is InProcess and not step.backtracking:
        return Run(spec=spec, event=event, detached=detached)
    if spec.off is not None:
        return switch_off(spec)
    if not spec.trusted and not spec.gated:
        return Outcome(failure=Failure.UNTRUSTED, detail=UNASKED)
    if type(handler) is Broken:
        return Outcome(failure=Failure.UNLOADABLE, detail=handler.reason)
    if (undecided := budget.failure(step)) is not None:
        return undecided
    if type(handler) in (Builtin, InProcess):
        return Run(spec=spec, event=event, detached=detached)
    try:
        payload = step.dialect.encode_event(event, spec)
    except (TypeError, ValueError, RecursionError) as error:
        return Outcome(failure=Failure.UNSERIALISABLE, detail=str(error))
    may_leave = step.dialect.table.background_line and type(handler) is Command
    dialect = step.dialect if may_leave else None
    return Run(spec=spec, event=event, payload=payload, detached=detached, dialect=dialect)


def _reexamine(
    plan: Plan, final: Event, verdicts: list[Verdict], budget: MatchBudget
) -> Generator[tuple[Run, ...], tuple[Outcome, ...], None]:
    """Ask once more, about the final input, whoever spoke before it was final; only stances count (decision 5)."""
    heard_final = _heard_final(plan, final, verdicts, budget)
    asked = [step for group in plan.groups for step in _asked(group, final, verdicts, budget)]
    again = [step for step in asked if step.spec.id not in heard_final]
    spoken = yield from _ask(again, final, budget)
    verdicts.extend(
        _stance_only(verdict)
        for verdict in spoken
        if verdict.stance > Stance.ALLOW or verdict.fault
    )


def _asked(group: Group, event: Event, verdicts: list[Verdict], budget: MatchBudget) -> list[Entry]:
    """The strict hooks of a group that are waited for and take part; where one ended it for them, only those that spoke."""
    said = {verdict.hook_id: verdict for verdict in verdicts}
    in_turn = not together(group, event, budget)
    over = {
        owner
        for step in group.steps
        if in_turn and step.spec.id in said
        for owner in _over(step, said[step.spec.id])
    }
    seen: set[Identity] = set()
    strict = [step for step in group.steps if step.spec.strict and not step.spec.detached]
    steps = [step for step in strict if takes_part(step, event, seen, budget)]
    return [
        step for step in steps if step.spec.id in said or not over & {_EVERYBODY, step.spec.owner}
    ]


def _heard_final(
    plan: Plan, final: Event, verdicts: list[Verdict], budget: MatchBudget
) -> set[str]:
    """The hooks that spoke after the last rewrite, and not beside it."""
    last = max(
        at
        for at, verdict in enumerate(verdicts)
        if verdict.rewrite is not None and not verdict.shadow
    )
    after = {verdict.hook_id for verdict in verdicts[last + 1 :]}
    beside = next(
        (
            {step.spec.id for step in group.steps}
            for group in plan.groups
            if together(group, final, budget) and _has(group, verdicts[last])
        ),
        set(),
    )
    return after - beside


def _has(group: Group, verdict: Verdict) -> bool:
    return any(step.spec.id == verdict.hook_id for step in group.steps)


def _stance_only(verdict: Verdict) -> Verdict:
    return verdict.replace(
        rewrite=None, for_agent="", effects=NO_EFFECTS, retry_after=None, evidence=None
    )


def _detach(
    plan: Plan, event: Event, verdicts: list[Verdict], budget: MatchBudget
) -> Generator[tuple[Run, ...], tuple[Outcome, ...], None]:
    """Start what is not waited for, after everything that is."""
    denied = any(verdict.stance >= Stance.DENY and not verdict.shadow for verdict in verdicts)
    for group in plan.groups:
        if not group.detached or (denied and not group.dialect.table.detached_after_denial):
            continue
        seen: set[Identity] = set()
        for step in group.detached:
            if not takes_part(step, event, seen, budget):
                continue
            verdict = yield from _start(step, event, budget)
            verdicts.append(verdict)


def _start(
    step: Entry, event: Event, budget: MatchBudget
) -> Generator[tuple[Run, ...], tuple[Outcome, ...], Verdict]:
    """Start one hook that is not waited for."""
    prepared = _prepare(step, event, budget, detached=True)
    if not isinstance(prepared, Run):
        return (
            failed(step.spec, prepared) if prepared.means is None else hear(step, prepared, event)
        )
    (outcome,) = yield (prepared.replace(dialect=step.dialect),)
    if outcome.failure is not None:
        return hear(step, outcome, event)
    return Verdict(
        hook_id=step.spec.id,
        shadow=step.spec.shadow,
        identity=outcome.identity,
        content=outcome.content,
    )
