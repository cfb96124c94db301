"""The two drivers of a dispatcher, synchronous and asynchronous, and how much time they have."""

from __future__ import annotations

from functools import cache
from math import inf
from time import monotonic, perf_counter

from hookline.core.dispatch import Run, conclude_alone, intercept, is_selected
from hookline.core.fold import make_silent_decision
from hookline.handlers.exceptions import make_failure_outcome
from hookline.handlers.inprocess import call, call_async, finish_coroutine, refuse_late_answer
from hookline.handlers.process_spec import Cancel, Limits
from hookline.handlers.table import perform_all
from hookline.model.frozen import make_constructor
from hookline.model.spec import InProcess
from hookline.model.verdict import TOO_LATE, Failure, Outcome, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor
    from typing import TypeAlias

    from hookline.core.dialect import Table
    from hookline.core.dispatch import Dispatch
    from hookline.core.plan import Plan
    from hookline.handlers.process import BackgroundProgram
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

    # Starts a detached run; an outcome says why it was not started.
    Detach: TypeAlias = Callable[[Run], Outcome | None]
    # Takes over a program that went to the background while it ran.
    Keep: TypeAlias = Callable[[Run, BackgroundProgram], None]


# So many batches of processes may be waited for at the same time; further ones wait for their turn.
_MOST_WAITING = 64
_SHORTEST = 0.001  # seconds, for a run whose time is already over
# Of the host's time limit: what is kept for the answer's way to the host. Seconds.
_PART, _LEAST, _MOST = 0.1, 0.3, 5.0
# Of the time until the deadline: what is kept for hooks to end, and for the decision to be made.
_RESERVE, _SHORTEST_RESERVE, _LONGEST_RESERVE, _LARGEST_RESERVE = 0.25, 0.3, 2.0, 0.5
# The verdict of a hook that was asked and had nothing to say.
_make_verdict = make_constructor(Verdict, "hook_id", "seconds")


def host_deadline(table: Table, native: str) -> float:
    """Return the seconds until the answer to an event has to be written: the host's limit, less a tenth of it."""
    limit = table.host_timeout(native)
    return limit - min(max(limit * _PART, _LEAST), _MOST)


def hooks_seconds(left: float) -> tuple[float, float]:
    """Return the seconds for all hooks of an event, and from the SIGTERM of one that timed out to its SIGKILL.

    Args:
        left: seconds until the deadline.
    """
    left = max(left, 0.0)
    usual = min(max(left * _RESERVE, _SHORTEST_RESERVE), _LONGEST_RESERVE)
    reserve = min(usual, left * _LARGEST_RESERVE)
    return left - reserve, reserve / 2


def drive(
    asked: Dispatch,
    detach: Detach,
    limits: Limits | None,
    environ: Mapping[str, str],
    *,
    seconds: float | None = None,
    keep: Keep | None = None,
) -> Decision:
    """Perform what the dispatcher asks for, in this thread; commands of one batch run at once.

    `seconds`: for everything that is waited for; what is not done by then has timed out. A Python
    function, which cannot be ended, may take longer.
    """
    asked, limits = _limit_time(asked, limits, seconds)
    try:
        runs = next(asked)
        while True:
            runs = _shorten_timeouts(runs, limits.until)
            runs = asked.send(_perform(runs, detach, limits, environ, keep))
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision
    finally:
        asked.close()  # now, and not at garbage collection


def _perform(
    runs: tuple[Run, ...],
    detach: Detach,
    limits: Limits,
    environ: Mapping[str, str],
    keep: Keep | None,
) -> tuple[Outcome, ...]:
    if runs[0].detached:
        return (detach(runs[0]) or Outcome(),)
    here, elsewhere = _split_runs(runs)
    answers = [call(run) for run in here]
    return _join(runs, answers, perform_all(elsewhere, limits=limits, environ=environ, keep=keep))


async def drive_async(
    asked: Dispatch,
    detach: Detach,
    limits: Limits | None,
    environ: Mapping[str, str],
    *,
    seconds: float | None = None,
    keep: Keep | None = None,
) -> Decision:
    """The same on an event loop: coroutines are awaited, processes run in a thread.

    Cancelling ends them all.
    """
    asked, limits = _limit_time(asked, limits, seconds)
    try:
        runs = next(asked)
        while True:
            runs = _shorten_timeouts(runs, limits.until)
            runs = asked.send(await _perform_async(runs, detach, limits, environ, keep))
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision
    finally:
        asked.close()  # as above


async def _perform_async(
    runs: tuple[Run, ...],
    detach: Detach,
    limits: Limits,
    environ: Mapping[str, str],
    keep: Keep | None,
) -> tuple[Outcome, ...]:
    if runs[0].detached:
        return (detach(runs[0]) or Outcome(),)
    here, elsewhere = _split_runs(runs)
    if len(runs) == len(here) == 1:
        return (await call_async(runs[0]),)
    import asyncio  # noqa: PLC0415 - the caller has it; the synchronous path must not

    answers, outcomes = await asyncio.gather(
        asyncio.gather(*map(call_async, here)), _perform_in_thread(elsewhere, limits, environ, keep)
    )
    return _join(runs, answers, outcomes)


def _split_runs(runs: tuple[Run, ...]) -> tuple[list[Run], list[Run]]:
    """Return the runs of Python functions, and all others."""
    here = [run for run in runs if type(run.spec.handler) is InProcess]
    return here, [run for run in runs if type(run.spec.handler) is not InProcess]


def _join(
    runs: tuple[Run, ...], answers: list[Outcome], outcomes: list[Outcome]
) -> tuple[Outcome, ...]:
    """Return the outcomes of Python functions and of all others in the order of the runs."""
    here, elsewhere = iter(answers), iter(outcomes)
    return tuple(next(here if type(run.spec.handler) is InProcess else elsewhere) for run in runs)


def _limit_time(
    asked: Dispatch, limits: Limits | None, seconds: float | None
) -> tuple[Dispatch, Limits]:
    """Return the dispatch in which a run that begins too late has timed out, and the limits of the others."""
    limits = limits or Limits()
    if seconds is None:
        return asked, limits
    until = monotonic() + seconds
    late = Outcome(failure=Failure.TIMED_OUT, detail=TOO_LATE)
    timed = intercept(asked, lambda run: None if run.detached or monotonic() < until else late)
    return timed, limits.replace(until=until)


def _shorten_timeouts(runs: tuple[Run, ...], until: float) -> tuple[Run, ...]:
    """Return the runs, each with a time limit that ends by then."""
    if until == inf:
        return runs
    left = max(round(until - monotonic(), 3), _SHORTEST)
    return tuple(
        run
        if run.detached or run.spec.timeout <= left
        else run.replace(spec=run.spec.replace(timeout=left))
        for run in runs
    )


@cache
def _threads() -> Executor:
    """Threads for waiting on processes: not the loop's own, of which a few slow hooks would leave the host none."""
    # Only the asynchronous driver needs it.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    return ThreadPoolExecutor(_MOST_WAITING, thread_name_prefix="hookline wait")


async def _perform_in_thread(
    runs: list[Run], limits: Limits, environ: Mapping[str, str], keep: Keep | None
) -> list[Outcome]:
    """Run processes in a thread that is not left behind when the caller is cancelled."""
    if not runs:
        return []
    import asyncio  # noqa: PLC0415 - as above

    cancel = Cancel()
    work = asyncio.get_running_loop().run_in_executor(
        _threads(),
        lambda: perform_all(runs, limits=limits, cancel=cancel, environ=environ, keep=keep),
    )
    # Also if the waiting task is cancelled a second time.
    work.add_done_callback(lambda _: cancel.close())
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        cancel.set()
        await asyncio.wait([work])
        raise


def ask_alone(plan: Plan, event: Event) -> Decision:
    """Return what `drive` would for a plan with one Python hook, without a generator between."""
    hook = plan.solo
    assert hook is not None  # noqa: S101 - the caller looked
    if not is_selected(hook, event, set()):
        return make_silent_decision(event)
    return conclude_alone(plan, hook, call(Run(spec=hook.spec, event=event)), event)


async def ask_alone_async(plan: Plan, event: Event) -> Decision:
    """Return what `drive_async` would for a plan with one Python hook; it costs a third of it."""
    hook = plan.solo
    assert hook is not None  # noqa: S101 - the caller looked
    for holds in hook.content:
        if not holds(event):
            return make_silent_decision(event)
    spec = hook.spec
    began = perf_counter()
    try:
        answer = spec.handler.call(event)  # type: ignore[union-attr]  # `plan.solo` is an in-process hook
        if answer is not None and hasattr(answer, "send"):
            try:
                waiting = answer.send(None)
            except StopIteration as done:
                answer = done.value
            else:
                answer = await finish_coroutine(answer, waiting, spec.timeout)
            refuse_late_answer(began, spec.timeout)
    except BaseException as error:  # noqa: BLE001 - what is not the hook's is raised again
        outcome = make_failure_outcome(error, spec.timeout, began)
    else:
        seconds = perf_counter() - began
        if answer is None:
            return make_silent_decision(event, (_make_verdict(spec.id, seconds),), seconds=seconds)
        outcome = Outcome(answer=answer, seconds=seconds)
    return conclude_alone(plan, hook, outcome, event)
