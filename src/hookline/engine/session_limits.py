"""Limits by what a session had: hooks that run once, hooks that keep failing, calls of models."""

from __future__ import annotations

from hookline.core.dispatch import Run, intercept
from hookline.core.plan import Plan, list_specs
from hookline.errors import HandlerError
from hookline.model.spec import Builtin, HookSpec, InProcess, Model
from hookline.model.verdict import Failure, Outcome, Stance
from hookline.sessions.memory import Failures, Memory
from hookline.sessions.store import digest
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import Table
    from hookline.core.dispatch import Dispatch
    from hookline.engine.loader import Snapshot
    from hookline.engine.runtime import Runtime
    from hookline.model.event import Event


MOST_CALLS = 200  # model calls of a session, unless the environment says otherwise
CALLS_VARIABLE = "HOOKLINE_MODEL_CALLS"
# The fact that numbers a model call, and the builtin that reads it.
_FACT, _READER = "iteration", "max_iterations"


def limit_hooks(asked: Dispatch, runtime: Runtime, plan: Plan, event: Event) -> Dispatch:
    """Return the dispatch in which these limits answer for some hooks."""
    specs = list_specs(plan)
    if any(spec.once for spec in specs):
        asked = _claim_hooks(asked, runtime.sessions, event)
    if any(type(spec.handler) is Model for spec in specs):
        asked = _limit_model_calls(asked, runtime.sessions, event, runtime.environ)
    if any(group.dialect.table.suspends_after for group in plan.groups):
        asked = _break_circuit(asked, runtime, plan, event)
    return asked


# -- once --------------------------------------------------------------------------------------


def make_mark(spec: HookSpec) -> str:
    """Return the key of a hook in other processes: its id and a checksum of what it does."""
    does = spec.name if isinstance(spec.handler, InProcess) else spec.identity or repr(spec.handler)
    return f"{spec.id} {sha256(does.encode('utf-8', 'surrogatepass'))[:8]}"


def drop_spent_hooks(runtime: Runtime, snapshot: Snapshot, plan: Plan, event: Event) -> Plan:
    """Return the plan without the hooks that run once and ran already in this session."""
    marks = runtime.sessions.spent(event)
    specs = list_specs(plan) if marks else ()
    spent = frozenset(spec.id for spec in specs if spec.once and make_mark(spec) in marks)
    if spent:
        plan = runtime.make_plan(event, snapshot.registry.without(spent))
    return plan.replace(solo=None) if plan.solo is not None and plan.solo.spec.once else plan


def _claim_hooks(asked: Dispatch, sessions: Memory, event: Event) -> Dispatch:
    """Return the dispatch that claims a hook which runs once before it runs.

    A failed or cancelled hook is released.

    Where another process was faster, its outcome is `spent`.
    """
    claimed: dict[str, str] = {}

    def claim(run: Run) -> Run | Outcome:
        if not run.spec.once or run.spec.id in claimed:
            return run
        mark = make_mark(run.spec)
        if not sessions.claim(event, mark):
            return Outcome(spent=True)
        claimed[run.spec.id] = mark
        return run

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


def _limit_model_calls(
    asked: Dispatch, sessions: Memory, event: Event, environ: Mapping[str, str]
) -> Dispatch:
    """Return the dispatch that asks a model only while the session has calls left.

    Each call is counted before it begins.

    An event without a session is not limited, nor is one whose call cannot be written down.
    """

    def refuse(run: Run) -> Run | Outcome:
        if not isinstance(run.spec.handler, Model):
            return run
        try:
            most = read_call_limit(environ)
        except HandlerError as error:
            return Outcome(failure=Failure.NOT_STARTED, detail=str(error))
        if sessions.spend(event, "model_calls", most):
            return run
        detail = f"this session has had its {most} model calls (`{CALLS_VARIABLE}` says how many)"
        return Outcome(failure=Failure.NOT_STARTED, detail=detail)

    return intercept(asked, refuse)


def read_call_limit(environ: Mapping[str, str]) -> int:
    """Return how many model calls a session may make.

    Raises:
        HandlerError: the variable is not a number.
    """
    text = environ.get(CALLS_VARIABLE, "").strip()
    if not text:
        return MOST_CALLS
    if not text.isascii() or not text.isdigit():
        raise HandlerError(f"`{CALLS_VARIABLE}={text:.40}` is no number of calls")
    return int(text[:9])


def number_call(event: Event, plan: Plan, sessions: Memory) -> Event:
    """Return a model call with its number in the session, if a hook reads it and none is there."""
    handlers = [spec.handler for spec in list_specs(plan)]
    reads = any(type(each) is Builtin and each.name == _READER for each in handlers)
    if not reads or event.body.value(_FACT) is not None:
        return event
    number = sessions.count(event, "model_requests")
    if not number:
        return event
    return event.replace(body=event.body.replace(facts={**event.body.facts, _FACT: number}))


PAUSE = 600.0  # seconds after a failure until a suspended hook is asked again
_NONE = Failures()


def make_key(spec: HookSpec) -> str:
    """Return the key of a hook for its failures: its file, its place in it, and what it runs."""
    return digest(f"{spec.origin.file}\0{make_mark(spec)}")[:16]


def find_failures(runtime: Runtime, spec: HookSpec) -> Failures:
    """Return the failures of a hook in a row."""
    return runtime.sessions.failures().get(make_key(spec), _NONE)


def is_suspended(spec: HookSpec, table: Table, failures: Failures, now: float) -> bool:
    """Return whether a hook is not asked now.

    `table` is that of its own dialect, `now` in seconds since 1970.
    """
    return (
        spec.on_failure is Stance.SILENT
        and 0 < table.suspends_after <= failures.count
        and 0 <= now - failures.at < PAUSE
    )


def describe_failures(spec: HookSpec, table: Table, failures: Failures, now: float) -> str:
    """Return how often a hook failed, and whether it is suspended, in words.

    It is empty where it did not fail.
    """
    if not failures.count:
        return ""
    times = "once" if failures.count == 1 else f"{failures.count} times in a row"
    if not is_suspended(spec, table, failures, now):
        return f"it failed {times}"
    minutes = max(1, round((PAUSE - (now - failures.at)) / 60))
    return f"it failed {times}, and is suspended for {minutes} more min"


def _break_circuit(asked: Dispatch, runtime: Runtime, plan: Plan, event: Event) -> Dispatch:
    """Return the dispatch without suspended hooks, which counts the failures of the others."""
    tables = {
        step.spec.id: group.dialect.table
        for group in plan.groups
        if group.dialect.table.suspends_after
        for step in group.steps
    }
    ran: dict[str, str] = {}

    def suspend(run: Run) -> Run | Outcome:
        spec = run.spec
        if spec.id not in tables:
            return run
        failures = find_failures(runtime, spec)
        if not is_suspended(spec, tables[spec.id], failures, runtime.clock()):
            ran[spec.id] = make_key(spec)
            return run
        detail = f"suspended after {failures.count} failures in a row"
        is_known = runtime.was_told(event, f"{make_key(spec)} is suspended")
        name = spec.name or spec.id
        note = f"hook `{name}` is {detail}; to see why and to run it again: hookline doctor"
        return Outcome(
            failure=Failure.SWITCHED_OFF,
            detail=detail,
            means=Stance.SILENT,
            note="" if is_known else note,
            told=is_known,
        )

    decision = yield from intercept(asked, suspend)
    faults = {verdict.hook_id for verdict in decision.verdicts if verdict.fault is not None}
    runtime.sessions.record_failures(
        [key for hook, key in ran.items() if hook in faults],
        [key for hook, key in ran.items() if hook not in faults],
    )
    return decision
