"""Asks one hook alone about an event, through the usual dispatch."""

from __future__ import annotations

from time import perf_counter

from hookline.core.dispatch import Run, dispatch
from hookline.core.failure import judge_unrun
from hookline.core.interpretation import interpret
from hookline.core.plan import Group, Plan
from hookline.handlers.inprocess import call
from hookline.handlers.table import perform_all
from hookline.model.handler import InProcess
from hookline.model.kinds import kind
from hookline.model.outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.registry import Entry
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Verdict
    from hookline.trust.gate import Gate

# Tells a hook that this is a test: the variable is set to 1.
VARIABLE = "HOOKLINE_DOCTOR"


def ask_hook(
    engine: Engine, entry: Entry, event: Event, gate: Gate | None, seconds: float
) -> tuple[Outcome | None, Verdict]:
    """Ask one hook about an event regardless of its conditions.

    All else is as in production: payload, process, limits, trust, reading.

    Returns:
        Its outcome, None if it was not reached; and its verdict.
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
    plan = Plan(groups=(group,), rule=entry.dialect.table.fold, powers=powers)
    try:
        runs = next(dispatch(plan, event, perf_counter))
    except StopIteration as unasked:
        return None, unasked.value.verdicts[0]
    if isinstance(spec.handler, InProcess):
        outcome = call(runs[0])
    else:
        environ = {**engine.environ, VARIABLE: "1"}
        (outcome,) = perform_all(runs, limits=engine.runtime.limits, environ=environ)
    return outcome, interpret(bare, outcome, event)
