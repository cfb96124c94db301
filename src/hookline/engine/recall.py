"""Recall: what an engine knows of a session, brought to bear on an event: late answers, what ran once, what cannot be kept."""

from __future__ import annotations

from hookline.core.late import fell_out, late_of, tells_all, tells_wakes, told
from hookline.core.plan import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Table
    from hookline.core.dispatch import Run
    from hookline.core.plan import Plan
    from hookline.engine.detached import Finished
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision
    from hookline.sessions.store import Sessions


def with_late(engine: Engine, event: Event, decision: Decision, chosen: Plan, table: Table) -> Decision:
    """The decision with what detached hooks said since the last one that could tell it."""
    everything = tells_all(event, decision, chosen, table)
    if not everything and not (tells_wakes(event, decision, chosen) and _may_go_on(engine, event, decision)):
        return decision
    lates, dropped = engine.sessions.take(event, wakes=not everything)
    return fell_out(told(decision, event, chosen, lates) if lates else decision, dropped)


def _may_go_on(engine: Engine, event: Event, decision: Decision) -> bool:
    """Whether the agent may be sent back once more for this; if not, it stops, and is told at the next turn."""
    limit = engine._limit(event)
    return decision.redo or limit <= 0 or engine.sessions.redos(event) < limit


def aloud(engine: Engine, decision: Decision, chosen: Plan | None) -> Decision:
    """The decision with a note on what is wrong with the state of sessions; each is said once."""
    new = [problem for problem in engine.sessions.problems if problem.name not in engine._told]
    if not new or chosen is None or "note" not in chosen.powers:
        return decision
    engine._told |= {problem.name for problem in new}
    return decision.replace(for_user=(*decision.for_user, *map(str, new)))


def unspent(engine: Engine, sessions: Sessions, chosen: Plan, event: Event) -> Plan:
    """The plan less the hooks that ran already in this session, and were to do so once; whatever may be one has to be claimed."""
    from hookline.engine.once import spent_ids  # noqa: PLC0415 - few hooks run once

    here = [step.spec for group in chosen.groups for step in group.steps + group.detached]
    spent = spent_ids(sessions, event, here)
    chosen = plan(engine.registry.without(spent), event, engine.host(event.dialect)) if spent else chosen
    return chosen.replace(solo=None) if chosen.solo is not None and chosen.solo.spec.once else chosen


def ended(engine: Engine, run: Run, finished: Finished) -> None:
    """A detached hook came to its end: keep what it said for the next turn, and tell whoever wants to know."""
    if run.spec.once and engine._lasting is not None and finished.verdict.fault is not None:
        from hookline.engine.once import mark_of  # noqa: PLC0415 - as above

        engine._lasting.release(run.event, mark_of(run.spec))
    late = late_of(finished.verdict, run.dialect.table) if run.dialect is not None else None
    try:
        if late is not None and late.wake and engine.wake is not None:
            engine.wake(run.event.session_id, late.wake)
            late = late.replace(wake="")
    finally:  # also where whoever is to be told raises
        if late is not None and late.says:
            engine.sessions.keep(run.event, late)
        if engine.journal is not None:
            engine.journal.finished(finished, engine._spec_of, run.event)
        if engine.finished is not None:
            engine.finished(finished)
