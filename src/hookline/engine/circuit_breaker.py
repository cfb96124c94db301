"""Circuit breaker: counts the failures of a hook in a row, and suspends a hook that fails open and keeps failing.

A hook that fails closed, or that asks, is never suspended (docs/formats/starchild.md 7).
"""

from __future__ import annotations

from hookline.core.dispatch import intercept
from hookline.engine.session_limits import make_mark
from hookline.model.outcome import Failure, Outcome
from hookline.model.verdict import Stance
from hookline.sessions.memory import Failures
from hookline.sessions.store import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Table
    from hookline.core.dispatch import Dispatch, Run
    from hookline.core.plan import Plan
    from hookline.engine.runtime import Runtime
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

PAUSE = 600.0  # seconds after a failure until a suspended hook is asked again
_NONE = Failures()


def make_key(spec: HookSpec) -> str:
    """Return the name under which the failures of a hook are counted: by its file, its place in it, and what it runs."""
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


def break_circuit(asked: Dispatch, runtime: Runtime, plan: Plan, event: Event) -> Dispatch:
    """Dispatch without the suspended hooks, and count the failures of all others whose format has a circuit breaker."""
    tables = {
        step.spec.id: group.dialect.table
        for group in plan.groups
        if group.dialect.table.suspends_after
        for step in group.steps
    }
    ran: dict[str, str] = {}

    def suspend(run: Run) -> Outcome | None:
        spec = run.spec
        if spec.id not in tables:
            return None
        failures = find_failures(runtime, spec)
        if not is_suspended(spec, tables[spec.id], failures, runtime.clock()):
            ran[spec.id] = make_key(spec)
            return None
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
