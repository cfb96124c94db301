"""Limits by what a session has had: hooks that run once, and calls of language models."""

from __future__ import annotations

from zlib import crc32

from hookline.core.dispatch import intercept
from hookline.core.plan import list_specs
from hookline.errors import HandlerError
from hookline.model.handler import Builtin, InProcess, Model
from hookline.model.outcome import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dispatch import Dispatch, Run
    from hookline.core.plan import Plan
    from hookline.engine.runtime import Runtime
    from hookline.engine.snapshot import Snapshot
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.sessions.memory import Memory

# The fact that numbers a model call, and the builtin that reads it.
_FACT, _READER = "iteration", "max_iterations"


# -- once --------------------------------------------------------------------------------------


def make_mark(spec: HookSpec) -> str:
    """Return the key of a hook in other processes: its id and a checksum of what it does."""
    does = spec.name if isinstance(spec.handler, InProcess) else spec.identity or repr(spec.handler)
    return f"{spec.id} {crc32(does.encode('utf-8', 'surrogatepass')):08x}"


def drop_spent_hooks(runtime: Runtime, snapshot: Snapshot, plan: Plan, event: Event) -> Plan:
    """Return the plan without the hooks that run once and ran already in this session."""
    marks = runtime.sessions.spent(event)
    specs = list_specs(plan) if marks else ()
    spent = frozenset(spec.id for spec in specs if spec.once and make_mark(spec) in marks)
    if spent:
        plan = runtime.make_plan(event, snapshot.registry.without(spent))
    return plan.replace(solo=None) if plan.solo is not None and plan.solo.spec.once else plan


def claim_hooks(asked: Dispatch, sessions: Memory, event: Event) -> Dispatch:
    """Return the dispatch that claims a hook which runs once before it runs.

    A failed or cancelled hook is released.

    Where another process was faster, its outcome is `spent`.
    """
    claimed: dict[str, str] = {}

    def claim(run: Run) -> Outcome | None:
        if not run.spec.once or run.spec.id in claimed:
            return None
        mark = make_mark(run.spec)
        if not sessions.claim(event, mark):
            return Outcome(spent=True)
        claimed[run.spec.id] = mark
        return None

    kept: set[str] = set()
    try:
        decision = yield from intercept(asked, claim)
        kept = {verdict.hook_id for verdict in decision.verdicts if verdict.fault is None}
    finally:
        for hook, mark in claimed.items():
            if hook not in kept:
                sessions.release(event, mark)
    return decision


# -- calls of language models ------------------------------------------------------------------


def limit_model_calls(
    asked: Dispatch, sessions: Memory, event: Event, environ: Mapping[str, str]
) -> Dispatch:
    """Return the dispatch that asks a model only while the session has calls left.

    Each call is counted before it begins.

    Where that cannot be written down, or the event has no session, each process counts alone.
    """
    # Sockets.
    from hookline.handlers.model_hook import make_budget_error, read_call_limit  # noqa: PLC0415

    def refuse(run: Run) -> Outcome | None:
        if not isinstance(run.spec.handler, Model):
            return None
        try:
            most = read_call_limit(environ)
        except HandlerError:
            return None  # the hook itself says what is wrong with the number
        if sessions.spend(event, "model_calls", most):
            return None
        return Outcome(failure=Failure.NOT_STARTED, detail=str(make_budget_error(most)))

    return intercept(asked, refuse)


def number_call(event: Event, plan: Plan, sessions: Memory) -> Event:
    """Return a model call with its number in the session, if a hook reads one and the host sent none."""
    handlers = [spec.handler for spec in list_specs(plan)]
    reads = any(type(each) is Builtin and each.name == _READER for each in handlers)
    if not reads or event.body.value(_FACT) is not None:
        return event
    number = sessions.count(event, "model_requests")
    if not number:
        return event
    return event.replace(body=event.body.replace(facts={**event.body.facts, _FACT: number}))
