"""Asks one hook alone about an event, through the usual dispatch."""

from __future__ import annotations

from time import perf_counter

from hookline.core.dispatch import Run, dispatch
from hookline.core.failure import judge_unrun
from hookline.core.plan import Group, Plan
from hookline.engine.drive import drive
from hookline.model.kinds import kind
from hookline.model.outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from hookline.core.dispatch import Dispatch
    from hookline.core.registry import Entry
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision, Verdict
    from hookline.trust.gate import Gate

# Tells a hook that this is a test: the variable is set to 1.
VARIABLE = "HOOKLINE_DOCTOR"


def ask_hook(
    engine: Engine, entry: Entry, event: Event, gate: Gate | None, seconds: float
) -> tuple[Outcome | None, Verdict]:
    """Ask one hook about an event regardless of its conditions; return its outcome (None: it was not reached) and verdict.

    All else is as in production: payload, process, limits, trust, reading.
    """
    if gate is not None:
        stopped = gate.check_before(Run(spec=entry.spec, event=event))
        if isinstance(stopped, Outcome):
            return stopped, judge_unrun(entry.spec, stopped)
    # Its conditions stay, so that messages describe it as declared. Its predicates are what is
    # asked.
    spec = entry.spec.replace(detached=False, once=False, timeout=min(entry.spec.timeout, seconds))
    bare = entry.replace(spec=spec, tools=None, on_tool=(), content=())
    group = Group(dialect=entry.dialect, steps=(bare,), detached=(), parallel=False)
    powers = entry.row.powers if entry.row else kind(spec.kind).powers
    seen: list[Outcome] = []
    asked = _record_outcomes(
        dispatch(
            Plan(groups=(group,), rule=entry.dialect.table.fold, powers=powers), event, perf_counter
        ),
        seen,
    )
    decision = drive(
        asked, engine.firing.detach, engine.runtime.limits, {**engine.environ, VARIABLE: "1"}
    )
    return (seen[0] if seen else None), decision.verdicts[0]


def _record_outcomes(
    asked: Dispatch, seen: list[Outcome]
) -> Generator[tuple[Run, ...], tuple[Outcome, ...], Decision]:
    """Return the dispatch, and keep the outcomes of its runs in `seen`, a gate's included."""
    try:
        runs = next(asked)
        while True:
            outcomes = yield runs
            seen += outcomes
            runs = asked.send(outcomes)
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision
