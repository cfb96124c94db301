"""Delivers late answers of detached hooks, and limits redos."""

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
from hookline.engine.session_limits import make_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.core.deferred_results import DeferredResult
    from hookline.core.dialect import EventRow
    from hookline.core.plan import Plan
    from hookline.engine.detached import Finished
    from hookline.engine.runtime import Runtime
    from hookline.model.event import Event
    from hookline.model.verdict import Decision


def conclude_turn(runtime: Runtime, event: Event, decision: Decision, plan: Plan) -> Decision:
    """Return the decision at the begin of a turn or at a stop: with late answers, and within the limit of redos."""
    table = runtime.host(event.dialect).table
    ends = event.kind in table.ends_session
    if event.session_id and ends:
        for told in {each.ended for each in runtime.snapshot.enlisted.values() if each.ended}:
            told(event.session_id)
    row, follows = table.row(event.native_name), follows_redo(event, table)
    if is_sent_back(decision, row):
        capped = _limit_redo(runtime, event, decision, row, follows=follows)
        return capped if capped is not decision else _add_late(runtime, event, decision, plan)[0]
    if is_spent(decision):
        return decision  # a hook would have sent the agent back again, so this is no new turn
    with_late, lates = _add_late(runtime, event, decision, plan)
    if not is_sent_back(with_late, row):
        runtime.sessions.settle(event, follows=follows, lasted=decision.seconds, ends=ends)
        return with_late
    capped = _limit_redo(runtime, event, with_late, row, follows=follows)
    if capped is with_late:
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
    """Count a redo and return the decision.

    If the limit is reached, return one that lets the agent stop.
    """
    usual = runtime.find_redo_limit(event)
    limit = redo_limit(decision, usual) if runtime.redo_limit is None else usual
    had = runtime.sessions.send_back(event, limit, follows=follows, lasted=decision.seconds)
    return decision if had is None and follows is False else cap_redo(decision, had, limit, row)


def _add_late(
    runtime: Runtime, event: Event, decision: Decision, plan: Plan
) -> tuple[Decision, Sequence[DeferredResult]]:
    """Return the decision with the late answers of detached hooks, and these answers."""
    table = runtime.host(event.dialect).table
    everything = can_deliver_all(event, decision, plan, table)
    if not everything:
        # A wake is delivered where the agent continues anyway, or may be sent back once more.
        limit = runtime.find_redo_limit(event)
        if not can_deliver_wakes(event, decision, plan) or not (
            is_sent_back(decision, table.row(event.native_name))
            or limit <= 0
            or runtime.count_redos(event) < limit
        ):
            return decision, ()
    lates, dropped = runtime.sessions.take(event, wakes=not everything)
    wanted = [late for late in lates if not _is_silenced(runtime, event, late.hook_id)]
    told = add_deferred(decision, event, plan, wanted) if wanted else decision
    return report_dropped(told, dropped), lates


def _is_silenced(runtime: Runtime, event: Event, hook_id: str) -> bool:
    """Whether a hook was switched off or revoked since it was started, so that its answer does not count."""
    spec = runtime.find_spec(hook_id)
    if spec is None or runtime.gate is None:
        return False
    return runtime.gate.is_withdrawn(Run(spec=spec, event=event))


def add_session_problems(runtime: Runtime, decision: Decision, plan: Plan) -> Decision:
    """Return the decision with notices on problems of the session store, each once."""
    new = [each for each in runtime.sessions.problems if each.name not in runtime.told]
    if not new or "note" not in plan.powers:
        return decision
    runtime.told |= {problem.name for problem in new}
    return decision.replace(for_user=(*decision.for_user, *map(str, new)))


def finish_detached(runtime: Runtime, run: Run, finished: Finished) -> None:
    """Keep the answer of a finished detached hook for the next turn, and report its end to the observers."""
    if run.spec.once and finished.verdict.fault is not None:
        runtime.sessions.release(run.event, make_mark(run.spec))
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
