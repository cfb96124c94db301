"""The table of handlers: runs Python functions, programs, builtins, and HTTP and model hooks."""

from __future__ import annotations

import os
import sys
from contextvars import copy_context
from time import perf_counter
from types import coroutine as generator_coroutine

from hookline.errors import HandlerError
from hookline.handlers.command import build_program
from hookline.handlers.process_spec import Cancel, Limits, Program
from hookline.handlers.recursion_guard import hook_mark
from hookline.model.spec import Command, Http, InProcess, Model
from hookline.model.verdict import Failure, Outcome, RemoteHandlerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.handlers.process import BackgroundProgram


def perform_all(
    runs: Sequence[Run],
    *,
    limits: Limits | None = None,
    cancel: Cancel | None = None,
    environ: Mapping[str, str] | None = None,
    keep: Callable[[Run, BackgroundProgram], None] | None = None,
) -> list[Outcome]:
    """Run handlers outside of this interpreter, and builtins; return the outcomes in order.

    All run at the same time, builtins first. `environ`: the environment that hooks inherit; by
    default this process's own. `keep` takes over a program that goes to the background; without
    it, no program may.
    """
    given = os.environ if environ is None else environ
    limits = limits or Limits()
    calls = [run for run in runs if isinstance(run.spec.handler, Http | Model)]
    local = [run for run in runs if not isinstance(run.spec.handler, Http | Model)]
    if not calls:
        return _run_programs(local, limits, cancel, given, keep)
    # Few hooks need sockets.
    from hookline.handlers import concurrent_http  # noqa: PLC0415 - as above

    started = concurrent_http.start_calls(calls, limits, given)
    try:
        here = iter(_run_programs(local, limits, cancel, given, keep))
        there = iter(concurrent_http.wait_for_calls(started, cancel))
    finally:
        concurrent_http.give_up_calls(started)  # an interrupt leaves no call behind
    return [
        next(there) if isinstance(run.spec.handler, Http | Model) else next(here) for run in runs
    ]


# -- programs and builtins -------------------------------------------------------------------------


def _run_programs(
    runs: Sequence[Run],
    limits: Limits,
    cancel: Cancel | None,
    environ: Mapping[str, str],
    keep: Callable[[Run, BackgroundProgram], None] | None,
) -> list[Outcome]:
    """Return the outcomes of handlers on this machine; all their programs run at once."""
    steps = [_prepare(run, environ, limits, cancel, may_leave=keep is not None) for run in runs]
    started = [run for run, step in zip(runs, steps, strict=True) if isinstance(step, Program)]
    if not started:
        return [step for step in steps if isinstance(step, Outcome)]
    # Events without programs do without it.
    from hookline.handlers.process import run_all  # noqa: PLC0415 - as above

    left: dict[int, BackgroundProgram] = {}
    programs = [step for step in steps if isinstance(step, Program)]
    done = run_all(programs, limits=limits, cancel=cancel, left=left)
    if keep is not None:
        for at, program in left.items():
            keep(started[at], program)
    ended = iter(done)
    return [next(ended) if isinstance(step, Program) else step for step in steps]


def _prepare(
    run: Run,
    environ: Mapping[str, str],
    limits: Limits,
    cancel: Cancel | None,
    *,
    may_leave: bool,
) -> Program | Outcome:
    """Return the program that a hook runs, or its outcome if there is none to run."""
    try:
        if isinstance(run.spec.handler, Command):
            leaves = run.dialect is not None and run.dialect.table.background_line
            return build_program(
                run.spec.handler,
                run.event,
                run.payload or "",
                timeout=run.spec.timeout,
                cookie=os.urandom(12).hex(),
                environ=environ,
                mark=hook_mark(run.spec),
                may_leave=may_leave and leaves and not run.detached,
            )
        # Few hooks are builtins.
        from hookline.handlers.builtins import call_builtin  # noqa: PLC0415 - as above

        return call_builtin(run, environ, limits=limits, cancel=cancel)
    except HandlerError as error:
        return Outcome(failure=Failure.NOT_STARTED, detail=str(error))


# -- Python functions ------------------------------------------------------------------------------


class OverdueError(TimeoutError):
    """A hook has used up its time; differs from a TimeoutError raised by the hook itself."""


async def call_async(run: Run) -> Outcome:
    """Call an in-process handler.

    A coroutine gets the hook's timeout, and so does a plain function that has a worker.
    """
    began = perf_counter()
    handler: InProcess = run.spec.handler  # type: ignore[assignment]  # the driver sends no other
    seconds = run.spec.timeout
    try:
        if handler.worker:
            answer = await handler.worker.call_async(handler.call, run.event, seconds)
        else:
            answer = handler.call(run.event)
        if hasattr(answer, "send"):
            answer = await run_limited(answer, seconds)
            refuse_late_answer(began, seconds)
    except BaseException as error:  # noqa: BLE001 - what is not the hook's is raised again
        return make_failure_outcome(error, seconds, began)
    return Outcome(answer=answer, seconds=perf_counter() - began)


def call(run: Run) -> Outcome:
    """Call an in-process handler from synchronous code; a coroutine gets an event loop."""
    began = perf_counter()
    handler: InProcess = run.spec.handler  # type: ignore[assignment]  # as above
    seconds = run.spec.timeout
    try:
        if handler.worker:
            answer = handler.worker.call(handler.call, run.event, seconds)
        else:
            answer = handler.call(run.event)
        if hasattr(answer, "send"):
            answer = _run_to_end(answer, seconds)
            refuse_late_answer(began, seconds)
    except BaseException as error:  # noqa: BLE001 - as above
        return make_failure_outcome(error, seconds, began)
    return Outcome(answer=answer, seconds=perf_counter() - began)


def refuse_late_answer(began: float, seconds: float) -> None:
    """Check the clock after a coroutine has ended: no timer ends one that blocks the event loop.

    Raises:
        OverdueError: it took longer than `seconds`.
    """
    if perf_counter() - began > seconds:
        raise OverdueError


def _run_to_end(coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
    """Run a coroutine to its end, on a thread if this one already runs a loop."""
    import asyncio  # noqa: PLC0415 - only asynchronous hooks need it

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(run_limited(coroutine, seconds))
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - rare

    with ThreadPoolExecutor(1) as thread:  # in this context, which holds the events in progress
        return thread.submit(
            copy_context().run, asyncio.run, run_limited(coroutine, seconds)
        ).result()


async def run_limited(coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
    """Await a coroutine for at most `seconds`.

    Its first step runs directly; a timer is armed only if it suspends, because most hooks never do
    and `asyncio.timeout` costs several times such a hook.

    Raises:
        OverdueError: it took longer.
    """
    try:
        waiting = coroutine.send(None)
    except StopIteration as done:
        return done.value
    return await finish_coroutine(coroutine, waiting, seconds)


async def finish_coroutine(
    coroutine: Coroutine[Any, Any, Any], waiting: Any, seconds: float
) -> Any:
    """Await the rest of a coroutine whose first step is waiting for something.

    Raises:
        OverdueError: it took longer, even if the coroutine handled its cancellation in another way.
    """
    asyncio = sys.modules["asyncio"]  # the coroutine suspended, so asyncio is loaded
    try:
        async with asyncio.timeout(seconds) as limit:
            answer = await _await_rest(coroutine, waiting)
    except Exception as error:
        if limit.expired():
            raise OverdueError from error
        raise
    if limit.expired():
        raise OverdueError
    return answer


@generator_coroutine
def _await_rest(coroutine: Coroutine[Any, Any, Any], waiting: Any) -> Generator[Any, Any, Any]:
    """Await a coroutine that waits for `waiting`."""
    while True:
        try:
            try:
                sent = yield waiting
            except BaseException as error:  # noqa: BLE001 - the coroutine must get it
                waiting = coroutine.throw(error)
            else:
                waiting = coroutine.send(sent)
        except StopIteration as done:
            return done.value


def make_failure_outcome(error: BaseException, timeout: float, began: float) -> Outcome:
    """Return a hook's exception or exit as its failure.

    Raise an interrupt or its caller's cancellation again.
    """
    if isinstance(error, OverdueError):
        failure, detail = Failure.TIMED_OUT, f"after {timeout:g} s"
    elif isinstance(error, RemoteHandlerError):
        failure, detail = error.failure, error.detail
    elif isinstance(error, Exception | SystemExit) or _is_own_cancellation(error):
        failure, detail = Failure.RAISED, f"{type(error).__name__}: {error}"
    else:
        raise error
    return Outcome(failure=failure, detail=detail, seconds=perf_counter() - began)


def _is_own_cancellation(error: BaseException) -> bool:
    """Return whether the hook awaited something that was cancelled, while its own task was not."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not isinstance(error, asyncio.CancelledError):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs here
        return True
    return task is None or not task.cancelling()
