"""The two drivers of a dispatcher, a synchronous and an asynchronous one."""

from __future__ import annotations

from functools import cache
from time import monotonic, perf_counter

from hookline.core.dispatch import Run, conclude_alone, is_selected
from hookline.core.fold import make_silent_decision
from hookline.handlers.exceptions import make_failure_outcome
from hookline.handlers.inprocess import call, call_async, finish_coroutine, refuse_late_answer
from hookline.handlers.process_spec import Cancel
from hookline.handlers.process_spec import Limits as _Limits
from hookline.handlers.table import perform_all
from hookline.model.frozen import make_constructor
from hookline.model.handler import InProcess
from hookline.model.outcome import TOO_LATE, Failure, Outcome
from hookline.model.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from concurrent.futures import Executor
    from typing import TypeAlias

    from hookline.core.dispatch import Dispatch
    from hookline.core.plan import Plan
    from hookline.core.registry import Entry
    from hookline.handlers.process import BackgroundProgram
    from hookline.handlers.process_spec import Limits
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

    # Starts a detached run; an outcome says why it was not started.
    Detach: TypeAlias = Callable[[Run], Outcome | None]
    # Takes over a program that went to the background while it ran.
    Keep: TypeAlias = Callable[[Run, BackgroundProgram], None]


# So many batches of processes may be waited for at the same time; further ones wait for their turn.
_MOST_WAITING = 64
_SHORTEST = 0.001  # seconds, for a run whose time is already over
# The verdict of a hook that was asked and had nothing to say.
_make_verdict = make_constructor(Verdict, "hook_id", "seconds")


def drive(
    dispatch: Dispatch,
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
    until = None if seconds is None else monotonic() + seconds
    limits = _limit_until(limits, until)
    try:
        runs = next(dispatch)
        while True:
            if (late := _time_out(runs, until)) is not None:
                runs = dispatch.send(late)
                continue
            runs = runs if until is None else tuple(_shorten_timeout(run, until) for run in runs)
            runs = dispatch.send(_perform(runs, detach, limits, environ, keep))
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision
    except BaseException:
        dispatch.close()  # now, and not at garbage collection
        raise


def _perform(
    runs: tuple[Run, ...],
    detach: Detach,
    limits: Limits | None,
    environ: Mapping[str, str],
    keep: Keep | None,
) -> tuple[Outcome, ...]:
    if runs[0].detached:
        return (detach(runs[0]) or Outcome(),)
    here = {at: call(run) for at, run in enumerate(runs) if type(run.spec.handler) is InProcess}
    elsewhere = [run for at, run in enumerate(runs) if at not in here]
    done = iter(
        perform_all(elsewhere, limits=limits, environ=environ, keep=keep) if elsewhere else ()
    )
    return tuple(here[at] if at in here else next(done) for at in range(len(runs)))


async def drive_async(
    dispatch: Dispatch,
    detach: Detach,
    limits: Limits | None,
    environ: Mapping[str, str],
    *,
    seconds: float | None = None,
    keep: Keep | None = None,
) -> Decision:
    """The same on an event loop: coroutines are awaited, processes run in a thread; cancelling ends them all.

    `seconds`: for everything that is waited for; what would take longer has a time limit that ends
    then.
    """
    until = None if seconds is None else monotonic() + seconds
    limits = _limit_until(limits, until)
    try:
        runs = next(dispatch)
        while True:
            if (late := _time_out(runs, until)) is not None:
                runs = dispatch.send(late)
                continue
            if until is not None:
                runs = tuple(_shorten_timeout(run, until) for run in runs)
            if len(runs) == 1 and type(runs[0].spec.handler) is InProcess and not runs[0].detached:
                outcomes: tuple[Outcome, ...] = (await call_async(runs[0]),)
            else:
                outcomes = await _perform_async(runs, detach, limits, environ, keep)
            runs = dispatch.send(outcomes)
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision
    except BaseException:
        dispatch.close()  # as above
        raise


def _limit_until(limits: Limits | None, until: float | None) -> Limits | None:
    """The limits of an event that ends at a time."""
    if until is None:
        return limits

    return (limits or _Limits()).replace(until=until)


def _time_out(runs: tuple[Run, ...], until: float | None) -> tuple[Outcome, ...] | None:
    """The outcomes of runs that begin after the end of the event's time; None where there is time left."""
    if until is None or monotonic() < until or runs[0].detached:
        return None
    return tuple(Outcome(failure=Failure.TIMED_OUT, detail=TOO_LATE) for _ in runs)


def _shorten_timeout(run: Run, until: float) -> Run:
    """The run, with a time limit that ends by then."""
    left = max(round(until - monotonic(), 3), _SHORTEST)
    return (
        run
        if run.detached or run.spec.timeout <= left
        else run.replace(spec=run.spec.replace(timeout=left))
    )


async def _perform_async(
    runs: tuple[Run, ...],
    detach: Detach,
    limits: Limits | None,
    environ: Mapping[str, str],
    keep: Keep | None,
) -> tuple[Outcome, ...]:
    if runs[0].detached:
        return (detach(runs[0]) or Outcome(),)
    import asyncio  # noqa: PLC0415 - the caller has it; the synchronous path must not

    here = [at for at, run in enumerate(runs) if type(run.spec.handler) is InProcess]
    elsewhere = [at for at in range(len(runs)) if at not in here]
    waits: list[Awaitable[list[Outcome]]] = [asyncio.gather(*(call_async(runs[at]) for at in here))]
    if elsewhere:
        waits.append(_in_thread([runs[at] for at in elsewhere], limits, environ, keep))
    outcomes: dict[int, Outcome] = {}
    for places, done in zip((here, elsewhere), await asyncio.gather(*waits), strict=False):
        outcomes |= zip(places, done, strict=True)
    return tuple(outcomes[at] for at in range(len(runs)))


@cache
def _threads() -> Executor:
    """Threads for waiting on processes: not the loop's own, of which a few slow hooks would leave the host none."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only the asynchronous driver needs it

    return ThreadPoolExecutor(_MOST_WAITING, thread_name_prefix="hookline wait")


async def _in_thread(
    runs: list[Run], limits: Limits | None, environ: Mapping[str, str], keep: Keep | None
) -> list[Outcome]:
    """Processes of a batch, in a thread that is not left behind when the caller is cancelled."""
    import asyncio  # noqa: PLC0415 - as above

    cancel = Cancel()
    work = asyncio.get_running_loop().run_in_executor(
        _threads(),
        lambda: perform_all(runs, limits=limits, cancel=cancel, environ=environ, keep=keep),
    )
    work.add_done_callback(
        lambda _: cancel.close()
    )  # also if the waiting task is cancelled a second time
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        cancel.set()
        await asyncio.wait([work])
        raise


def ask_alone(plan: Plan, event: Event, hook: Entry) -> Decision:
    """What `drive` would return for a plan with this one Python hook, without a generator between."""
    if not is_selected(hook, event, set()):
        return make_silent_decision(event)
    outcome = call(Run(spec=hook.spec, event=event))
    return conclude_alone(plan, hook, outcome, event)


async def ask_alone_async(plan: Plan, event: Event, hook: Entry) -> Decision:
    """What `drive_async` would return for a plan with this one Python hook; it costs a third of it."""
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


def refuse(dispatch: Dispatch, detail: str = "") -> Decision:
    """Perform nothing: every hook is told to have been called again from inside itself."""
    try:
        runs = next(dispatch)
        while True:
            runs = dispatch.send(
                tuple(Outcome(failure=Failure.REENTERED, detail=detail) for _ in runs)
            )
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision
