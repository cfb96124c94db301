"""The two drivers of a dispatcher, synchronous and asynchronous, and how much time they have."""

from __future__ import annotations

from functools import cache
from math import inf
from time import monotonic, perf_counter

from hookline.core.dispatch import Run, conclude_alone, intercept, is_selected
from hookline.core.fold import make_silent_decision
from hookline.handlers.process_spec import Cancel, Limits
from hookline.handlers.table import (
    call,
    call_async,
    finish_coroutine,
    make_failure_outcome,
    perform_all,
    refuse_late_answer,
)
from hookline.model.frozen import make_constructor
from hookline.model.spec import InProcess
from hookline.model.verdict import TOO_LATE, Decision, Failure, Outcome, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor

    from hookline.core.dialect import Table
    from hookline.core.dispatch import Dispatch
    from hookline.core.plan import Plan
    from hookline.handlers.process import BackgroundProgram
    from hookline.model.event import Event

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
    """Return the seconds until the answer to an event is due: a tenth less than the host waits."""
    limit = table.host_timeout(native)
    return limit - min(max(limit * _PART, _LEAST), _MOST)


def hooks_seconds(left: float) -> tuple[float, float]:
    """Return the seconds for all hooks of an event, and those from SIGTERM to SIGKILL.

    Args:
        left: seconds until the deadline.
    """
    left = max(left, 0.0)
    usual = min(max(left * _RESERVE, _SHORTEST_RESERVE), _LONGEST_RESERVE)
    reserve = min(usual, left * _LARGEST_RESERVE)
    return left - reserve, reserve / 2


class Driver:
    """Performs what a dispatcher asks for.

    Args:
        limits: bounds of programs.
        environ: the environment that programs inherit.
        detach: starts a detached run; an outcome says why it was not started.
        keep: takes over a program that went to the background while it ran.
    """

    def __init__(
        self,
        limits: Limits,
        environ: Mapping[str, str],
        detach: Callable[[Run], Outcome | None],
        keep: Callable[[Run, BackgroundProgram], None] | None = None,
    ) -> None:
        self._limits = limits
        self._environ = environ
        self._detach = detach
        self._keep = keep

    def drive(self, asked: Dispatch, seconds: float | None) -> Decision:
        """Perform the runs in this thread; commands of one batch run at once.

        `seconds`: for everything that is waited for; what is not done by then has timed out. A
        Python function, which cannot be ended, may take longer.
        """
        asked = self._limit_time(asked, seconds)
        try:
            runs = next(asked)
            while True:
                runs = asked.send(self._perform(_shorten_timeouts(runs, self._limits.until)))
        except StopIteration as stop:
            decision: Decision = stop.value
            return decision
        finally:
            asked.close()  # now, and not at garbage collection

    def _perform(self, runs: tuple[Run, ...]) -> tuple[Outcome, ...]:
        if runs[0].detached:
            return (self._detach(runs[0]) or Outcome(),)
        answers = [call(run) if _is_function(run) else None for run in runs]
        done = iter(self._perform_programs(runs))
        return tuple(next(done) if answer is None else answer for answer in answers)

    def _perform_programs(
        self, runs: tuple[Run, ...], cancel: Cancel | None = None
    ) -> list[Outcome]:
        """Return the outcomes of the runs that are no Python functions."""
        others = [run for run in runs if not _is_function(run)]
        return perform_all(
            others, limits=self._limits, cancel=cancel, environ=self._environ, keep=self._keep
        )

    async def drive_async(self, asked: Dispatch, seconds: float | None) -> Decision:
        """The same on an event loop: coroutines are awaited, processes run in a thread.

        Cancelling ends them all.
        """
        asked = self._limit_time(asked, seconds)
        try:
            runs = next(asked)
            while True:
                runs = _shorten_timeouts(runs, self._limits.until)
                runs = asked.send(await self._perform_async(runs))
        except StopIteration as stop:
            decision: Decision = stop.value
            return decision
        finally:
            asked.close()  # as above

    async def _perform_async(self, runs: tuple[Run, ...]) -> tuple[Outcome, ...]:
        if runs[0].detached:
            return (self._detach(runs[0]) or Outcome(),)
        functions = [run for run in runs if _is_function(run)]
        if len(functions) == len(runs) == 1:
            return (await call_async(runs[0]),)
        import asyncio  # noqa: PLC0415 - the caller has it; the synchronous path must not

        answers, outcomes = await asyncio.gather(
            asyncio.gather(*map(call_async, functions)), self._perform_in_thread(runs)
        )
        done, answered = iter(outcomes), iter(answers)
        return tuple(next(answered if _is_function(run) else done) for run in runs)

    async def _perform_in_thread(self, runs: tuple[Run, ...]) -> list[Outcome]:
        """Run programs in a thread that is not left behind when the caller is cancelled."""
        if all(map(_is_function, runs)):
            return []
        import asyncio  # noqa: PLC0415 - as above

        cancel = Cancel()
        work = asyncio.get_running_loop().run_in_executor(
            _make_threads(), self._perform_programs, runs, cancel
        )
        # Also if the waiting task is cancelled a second time.
        work.add_done_callback(lambda _: cancel.close())
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            cancel.set()
            await asyncio.wait([work])
            raise

    def _limit_time(self, asked: Dispatch, seconds: float | None) -> Dispatch:
        """Set the end of all runs; return the dispatch in which one that begins later timed out."""
        if seconds is None:
            return asked
        until = monotonic() + seconds
        self._limits = self._limits.replace(until=until)
        late = Outcome(failure=Failure.TIMED_OUT, detail=TOO_LATE)
        return intercept(asked, lambda run: run if run.detached or monotonic() < until else late)


def _is_function(run: Run) -> bool:
    return type(run.spec.handler) is InProcess


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
def _make_threads() -> Executor:
    """Return the threads that wait for processes.

    Of the loop's own, a few slow hooks would leave the host none.
    """
    # Only the asynchronous driver needs it.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    return ThreadPoolExecutor(_MOST_WAITING, thread_name_prefix="hookline wait")


def ask_alone(plan: Plan, event: Event) -> Decision:
    """Return what a driver would for a plan with one Python hook, without a generator between."""
    hook = plan.solo
    assert hook is not None  # noqa: S101 - the caller looked
    if not is_selected(hook, event, set()):
        return make_silent_decision(event)
    return conclude_alone(plan, hook, call(Run(spec=hook.spec, event=event)), event)


async def ask_alone_async(plan: Plan, event: Event) -> Decision:
    """Return what a driver would for a plan with one Python hook, at a third of the time."""
    hook = plan.solo
    assert hook is not None  # noqa: S101 - the caller looked
    for holds in hook.content:
        if not holds(event):
            return make_silent_decision(event)
    spec = hook.spec
    began = perf_counter()
    try:
        answer = spec.handler.call(event)  # type: ignore[union-attr]  # a Python hook
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
