"""Dispatch: a generator that yields runs of hooks, takes their outcomes, and returns the decision.

It uses no process, no clock and no loop. Its driver (synchronous, asynchronous, a test, a replay)
performs the runs that it yields, in any order or concurrently, and sends their outcomes back in the
order of the runs.
"""

from __future__ import annotations

from hookline.core.failure import UNASKED, make_failed_verdict, switch_off
from hookline.core.fit import fit
from hookline.core.fold import fold
from hookline.core.interpretation import interpret, make_hook_event
from hookline.core.plan import Group, Plan, should_run_parallel
from hookline.core.registry import Entry, MatchBudget
from hookline.model.event import Event, diff_inputs
from hookline.model.frozen import Frozen
from hookline.model.spec import Broken, Builtin, Command, HookSpec, InProcess
from hookline.model.verdict import NO_EFFECTS, Decision, Failure, Outcome, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import TypeAlias, TypeVar

    from hookline.core.dialect import Dialect

    _T = TypeVar("_T")
    # Yields runs, is sent their outcomes, and returns something.
    _Asking: TypeAlias = Generator["tuple[Run, ...]", tuple[Outcome, ...], _T]
    Dispatch: TypeAlias = _Asking[Decision]
    Identity: TypeAlias = tuple[str, bool, bool]

# No owner: a hook of the program itself. What it ends, it ends for all hooks.
_NO_OWNER = ""


def _no_clock() -> float:
    return 0.0


class Run(Frozen):
    """A request to perform a hook's handler on an event.

    `payload` is the text for a process (None for a handler in this process). `detached`: start it
    without waiting; the outcome is then empty, or says why it did not start. `dialect`: the dialect
    of a builtin, and of the answer of a hook that is detached or may go to the background.
    `identity`, `content`: the approval of a detached hook, for the outcome of its end.
    """

    spec: HookSpec
    event: Event
    payload: str | None = None
    detached: bool = False
    dialect: Dialect | None = None
    identity: str = ""
    content: str = ""


def dispatch(plan: Plan, event: Event, clock: Callable[[], float] = _no_clock) -> Dispatch:
    """Run every hook of a plan, then fold and fit their verdicts. `clock` returns seconds."""
    began = clock()
    verdicts: list[Verdict] = []
    current = event
    budget = MatchBudget(clock)
    for group in plan.groups:
        ask = _ask_in_parallel if should_run_parallel(group, current, budget) else _ask_in_turn
        current = yield from ask(group, current, verdicts, budget)
    if plan.reexamine and current is not event:
        yield from _reexamine(plan, current, verdicts, budget)
    if plan.detaches:
        yield from _detach(plan, current, verdicts, budget)
    return conclude(plan, event, verdicts, clock() - began)


def conclude_alone(plan: Plan, hook: Entry, outcome: Outcome, event: Event) -> Decision:
    """Return the decision where one Python hook was the only one to run (`plan.solo`)."""
    verdict, _ = _land(interpret(hook, outcome, event), event, plan.groups[0], set())
    return conclude(plan, event, [verdict], outcome.seconds)


def conclude(plan: Plan, event: Event, verdicts: list[Verdict], seconds: float) -> Decision:
    """Fold the verdicts and fit the decision to its host.

    With shadow hooks, also compute the decision as if they counted.
    """
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


def _ask_in_parallel(
    group: Group, event: Event, verdicts: list[Verdict], budget: MatchBudget
) -> _Asking[Event]:
    """Run all hooks of a group on the same event.

    Apply their rewrites afterwards, in plan order.
    """
    seen: set[Identity] = set()
    chosen = [step for step in group.steps if is_selected(step, event, seen, budget)]
    spoken = yield from _run_hooks(chosen, event, budget)
    current = event
    landed: set[str] = set()
    for verdict in spoken:
        before = event if group.dialect.table.fold.lone_patches else current
        settled, after = _land(verdict, before, group, landed)
        current = current if after is before else after
        verdicts.append(settled)
    return current


def _ask_in_turn(
    group: Group, event: Event, verdicts: list[Verdict], budget: MatchBudget
) -> _Asking[Event]:
    """Run hooks one by one; each sees the event as the previous ones left it."""
    landed: set[str] = set()
    seen: set[Identity] = set()
    told: list[Verdict] = []
    over: set[str] = set()
    for step in group.steps:
        if step.spec.owner in over:
            continue
        shown = _carry_over(step, told, event)
        if not is_selected(step, shown, seen, budget):
            continue
        if step.spec.detached:
            verdict = yield from _start(step, shown, budget)
            verdicts.append(verdict)
            continue
        prepared = _prepare(step, shown, budget)
        if isinstance(prepared, Run):
            (prepared,) = yield (prepared,)
        verdict, event = _land(interpret(step, prepared, shown), event, group, landed)
        verdicts.append(verdict)
        told.append(verdict)
        over |= _find_skipped(step, verdict)
        if _NO_OWNER in over:
            break
    return event


def _find_skipped(step: Entry, verdict: Verdict) -> set[str]:
    """Return the owners whose remaining hooks of the group do not run after this verdict.

    A hook with an owner ends only the hooks of that owner, so that it cannot disable the guards of
    others. An action that is denied on a gate does not happen, so nothing is left to guard.
    """
    if not verdict.ends or verdict.shadow:
        return set()
    denied = (
        verdict.stance >= Stance.DENY and step.row is not None and step.row.fails >= Stance.DENY
    )
    return {_NO_OWNER if denied else step.spec.owner}


def _carry_over(step: Entry, told: list[Verdict], event: Event) -> Event:
    """Return the event as later hooks of the group see it; the host's own never changes."""
    carries = step.row.carries if step.row else None
    if carries is not None:
        for verdict in told:
            event = event if verdict.shadow else carries(event, verdict)
    return event


def is_selected(
    step: Entry, event: Event, seen: set[Identity], budget: MatchBudget | None = None
) -> bool:
    """Return whether a hook runs for the event as it stands.

    Of equal hooks (`seen`), only the first match runs.

    `budget`: the time limit of matchers that backtrack, if the hook may have one.
    """
    spec = step.spec
    # A shadow or unapproved copy must not replace the hook that counts.
    identity = (spec.identity, spec.shadow, spec.trusted) if spec.identity else None
    if identity in seen:
        return False
    for holds in step.content:
        if not holds(event):
            return False
    if step.backtracking and budget is not None and not budget.is_selected(step, event):
        return False
    if identity:
        seen.add(identity)
    return True


def _land(verdict: Verdict, event: Event, group: Group, landed: set[str]) -> tuple[Verdict, Event]:
    """Apply a verdict's rewrite, and complete it with the whole new value and what changed."""
    rewrite = verdict.rewrite
    if rewrite is None or verdict.shadow:
        return verdict, event
    attribute = type(event.body).rewritable.get(rewrite.target)
    if attribute is None or (
        rewrite.target in group.dialect.table.fold.firsts and rewrite.target in landed
    ):
        return verdict, event
    landed.add(rewrite.target)
    after = event.apply_rewrite(rewrite)
    value = getattr(after.body, attribute)
    patch = (
        diff_inputs(getattr(event.body, attribute), value) if rewrite.target == "input" else None
    )
    return verdict.replace(rewrite=rewrite.replace(value=value, merge=False, patch=patch)), after


def _run_hooks(steps: Sequence[Entry], event: Event, budget: MatchBudget) -> _Asking[list[Verdict]]:
    """Yield the runs of some hooks together, and read their outcomes in the order of the hooks."""
    if not steps:
        return []
    prepared = [_prepare(step, event, budget) for step in steps]
    runs = tuple(run for run in prepared if isinstance(run, Run))
    outcomes = iter((yield runs) if runs else ())
    return [
        interpret(step, next(outcomes) if isinstance(run, Run) else run, event)
        for step, run in zip(steps, prepared, strict=True)
    ]


def _prepare(
    step: Entry, event: Event, budget: MatchBudget, *, detached: bool = False
) -> Run | Outcome:
    """Return the run of a hook; or an outcome, if the hook cannot run."""
    spec = step.spec
    handler = spec.handler
    event = make_hook_event(spec, event)
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
    if type(handler) is Builtin:
        return Run(spec=spec, event=event, detached=detached, dialect=step.dialect)
    if type(handler) is InProcess:
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
) -> _Asking[None]:
    """Run hooks again on the final input if it changed after their verdict.

    Only their stances count (decision 5).
    """
    heard_final = _find_final(plan, final, verdicts, budget)
    asked = [
        step for group in plan.groups for step in _select_again(group, final, verdicts, budget)
    ]
    again = [step for step in asked if step.spec.id not in heard_final]
    spoken = yield from _run_hooks(again, final, budget)
    verdicts.extend(
        _stance_only(verdict)
        for verdict in spoken
        if verdict.stance > Stance.ALLOW or verdict.fault
    )


def _select_again(
    group: Group, event: Event, verdicts: list[Verdict], budget: MatchBudget
) -> list[Entry]:
    """Return the strict hooks of a group to run again.

    If a verdict ended the group, only those that ran.
    """
    said = {verdict.hook_id: verdict for verdict in verdicts}
    in_turn = not should_run_parallel(group, event, budget)
    over = {
        owner
        for step in group.steps
        if in_turn and step.spec.id in said
        for owner in _find_skipped(step, said[step.spec.id])
    }
    seen: set[Identity] = set()
    strict = [step for step in group.steps if step.spec.strict and not step.spec.detached]
    steps = [step for step in strict if is_selected(step, event, seen, budget)]
    return [
        step for step in steps if step.spec.id in said or not over & {_NO_OWNER, step.spec.owner}
    ]


def _find_final(plan: Plan, final: Event, verdicts: list[Verdict], budget: MatchBudget) -> set[str]:
    """Return the hooks that ran after the last rewrite, and not in parallel with it."""
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
            if should_run_parallel(group, final, budget) and _has(group, verdicts[last])
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
) -> _Asking[None]:
    """Start the detached hooks, after all others."""
    denied = any(verdict.stance >= Stance.DENY and not verdict.shadow for verdict in verdicts)
    for group in plan.groups:
        if not group.detached or (denied and not group.dialect.table.detached_after_denial):
            continue
        seen: set[Identity] = set()
        for step in group.detached:
            if not is_selected(step, event, seen, budget):
                continue
            verdict = yield from _start(step, event, budget)
            verdicts.append(verdict)


def _start(step: Entry, event: Event, budget: MatchBudget) -> _Asking[Verdict]:
    """Start one detached hook."""
    prepared = _prepare(step, event, budget, detached=True)
    if not isinstance(prepared, Run):
        return (
            make_failed_verdict(step.spec, prepared)
            if prepared.means is None
            else interpret(step, prepared, event)
        )
    (outcome,) = yield (prepared.replace(dialect=step.dialect),)
    return interpret(step, outcome.replace(background=outcome.failure is None), event)


def intercept(
    asked: Dispatch,
    prepare: Callable[[Run], Run | Outcome],
    finish: Callable[[Run, Outcome], Outcome] = lambda _run, outcome: outcome,
) -> Dispatch:
    """Return the dispatch in which `prepare` replaces each run, or has the outcome of it at once.

    `finish` returns the outcome of what was performed.
    """
    try:
        runs = next(asked)
        while True:
            given = [prepare(run) for run in runs]
            free = tuple(each for each in given if isinstance(each, Run))
            done = iter((yield free) if free else ())
            runs = asked.send(
                tuple(finish(each, next(done)) if isinstance(each, Run) else each for each in given)
            )
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision
    finally:
        # Now, and not at garbage collection: it may have claimed hooks that did not run.
        asked.close()
