"""Delivers late answers of detached hooks, limits redos, and leaves out hooks that ran once in a session."""

from __future__ import annotations

from hookline.core.deferred_results import (
    add_deferred,
    can_deliver_all,
    can_deliver_wakes,
    make_deferred,
    report_dropped,
)
from hookline.core.dispatch import Run
from hookline.core.guardrails import cap_redo, follows_redo, is_sent_back, is_spent, redo_limit
from hookline.engine.once import find_spent, make_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.core.deferred_results import DeferredResult
    from hookline.core.dialect import EventRow, Table
    from hookline.core.plan import Plan
    from hookline.engine.detached import Finished
    from hookline.engine.runtime import Runtime
    from hookline.engine.snapshot import Snapshot
    from hookline.model.event import Event
    from hookline.model.verdict import Decision


def conclude_turn(
    runtime: Runtime, event: Event, decision: Decision, chosen: Plan | None
) -> Decision:
    """Return the decision at the begin of a turn or at a stop: with late answers, and within the limit of redos.

    Without a `chosen` plan no hook was asked.
    """
    table = runtime.host(event.dialect).table
    if event.session_id and event.kind in table.ends_session:
        for ended in {
            enlisted.ended for enlisted in runtime.snapshot.enlisted.values() if enlisted.ended
        }:
            ended(event.session_id)
    row, follows = table.row(event.native_name), follows_redo(event, table)
    if is_sent_back(decision, row):
        sent = _limit_redo(runtime, event, decision, row, follows=follows)
        return (
            add_late_results(runtime, event, decision, chosen, table)[0]
            if sent is decision and chosen is not None
            else sent
        )
    if is_spent(decision):
        return decision  # a hook would have sent the agent back again, so this is no new turn
    with_late, lates = (
        add_late_results(runtime, event, decision, chosen, table)
        if chosen is not None
        else (decision, ())
    )
    if not is_sent_back(with_late, row):
        runtime.sessions.settle(
            event, follows=follows, lasted=decision.seconds, ends=event.kind in table.ends_session
        )
        return with_late
    sent = _limit_redo(runtime, event, with_late, row, follows=follows)
    if sent is with_late:
        return with_late
    for late in lates:  # another process used up the limit meanwhile: deliver it at the next turn
        runtime.sessions.keep(event, late)
    return decision


def _limit_redo(
    runtime: Runtime,
    event: Event,
    decision: Decision,
    row: EventRow | None,
    *,
    follows: bool | None,
) -> Decision:
    """Count a redo and return the decision; if the limit is reached, return one that lets the agent stop."""
    usual = runtime.find_redo_limit(event)
    limit = redo_limit(decision, usual) if runtime.redo_limit is None else usual
    had = runtime.sessions.send_back(event, limit, follows=follows, lasted=decision.seconds)
    return decision if had is None and follows is False else cap_redo(decision, had, limit, row)


def add_late_results(
    runtime: Runtime, event: Event, decision: Decision, chosen: Plan, table: Table
) -> tuple[Decision, Sequence[DeferredResult]]:
    """Return the decision with the late answers of detached hooks, and these answers."""
    everything = can_deliver_all(event, decision, chosen, table)
    if not everything and not (
        can_deliver_wakes(event, decision, chosen)
        and _can_continue(runtime, event, decision, table)
    ):
        return decision, ()
    lates, dropped = runtime.sessions.take(event, wakes=not everything)
    wanted = (
        [late for late in lates if not _is_silenced(runtime, event, late.hook_id)]
        if lates and runtime.gate is not None
        else lates
    )
    return report_dropped(
        add_deferred(decision, event, chosen, wanted) if wanted else decision, dropped
    ), lates


def _can_continue(runtime: Runtime, event: Event, decision: Decision, table: Table) -> bool:
    """Whether the agent continues anyway, or may be sent back once more."""
    limit = runtime.find_redo_limit(event)
    return (
        is_sent_back(decision, table.row(event.native_name))
        or limit <= 0
        or runtime.count_redos(event) < limit
    )


def _is_silenced(runtime: Runtime, event: Event, hook_id: str) -> bool:
    """Whether a hook was switched off or revoked since it was started, so that its answer does not count."""
    spec = runtime.find_spec(hook_id)
    return (
        spec is not None
        and runtime.gate is not None
        and runtime.gate.is_withdrawn(Run(spec=spec, event=event))
    )


def add_session_problems(runtime: Runtime, decision: Decision, chosen: Plan | None) -> Decision:
    """Return the decision with notices on problems of the session store, each once."""
    new = [
        problem
        for problem in runtime.sessions.problems
        if problem.name not in runtime.told_problems
    ]
    if not new or chosen is None or "note" not in chosen.powers:
        return decision
    runtime.told_problems |= {problem.name for problem in new}
    return decision.replace(for_user=(*decision.for_user, *map(str, new)))


def drop_spent_hooks(runtime: Runtime, snapshot: Snapshot, chosen: Plan, event: Event) -> Plan:
    """Return the plan without the hooks that run once and ran already in this session."""
    here = [step.spec for group in chosen.groups for step in group.steps + group.detached]
    spent = find_spent(runtime.session_store, event, here) if runtime.session_store else None
    if spent:
        chosen = runtime.make_plan(event, snapshot.registry.without(spent))
    return (
        chosen.replace(solo=None) if chosen.solo is not None and chosen.solo.spec.once else chosen
    )


def finish_detached(runtime: Runtime, run: Run, finished: Finished) -> None:
    """Keep the answer of a finished detached hook for the next turn, and report its end to the observers."""
    if run.spec.once and runtime.session_store is not None and finished.verdict.fault is not None:
        runtime.session_store.release(run.event, make_mark(run.spec))
    late = make_deferred(finished.verdict, run.dialect.table) if run.dialect is not None else None
    try:
        if late is not None and late.wake and runtime.wake is not None:
            runtime.wake(run.event.session_id, late.wake)
            late = late.replace(wake="")
    finally:  # also if the callback raises
        if late is not None and late.has_content:
            runtime.sessions.keep(run.event, late)
        runtime.sessions.over(run.event, run.spec.id)
        if runtime.journal is not None:
            runtime.journal.finished(
                run.event, run.spec, finished.verdict, finished.outcome, finished.ended
            )
        if runtime.finished is not None:
            runtime.finished(finished)
