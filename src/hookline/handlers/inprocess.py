"""In-process handlers: calls a Python function, plain or asynchronous, with the event."""

from __future__ import annotations

import sys
from contextvars import copy_context
from time import perf_counter

from hookline.handlers.exceptions import OverdueError, make_failure_outcome
from hookline.model.verdict import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.handlers.workers import Workers
    from hookline.model.spec import InProcess


async def call_async(run: Run) -> Outcome:
    """Call the handler.

    A coroutine gets the hook's timeout, and so does a plain function that has a worker.
    """
    began = perf_counter()
    try:
        handler: InProcess = run.spec.handler  # type: ignore[assignment]  # the driver sends in-process handlers only
        answer = (
            await _workers().call_async(handler.call, run.event, run.spec.timeout, handler.worker)
            if handler.worker
            else handler.call(run.event)
        )
        if hasattr(answer, "send"):
            answer = await run_limited(answer, run.spec.timeout)
            refuse_late_answer(began, run.spec.timeout)
    except BaseException as error:  # noqa: BLE001 - exceptions that are not the hook's are raised again
        return make_failure_outcome(error, run.spec.timeout, began)
    return Outcome(answer=answer, seconds=perf_counter() - began)


def call(run: Run) -> Outcome:
    """Call the handler from synchronous code; a coroutine gets an event loop of its own."""
    began = perf_counter()
    try:
        handler: InProcess = run.spec.handler  # type: ignore[assignment]  # as above
        answer = (
            _workers().call(handler.call, run.event, run.spec.timeout, handler.worker)
            if handler.worker
            else handler.call(run.event)
        )
        if hasattr(answer, "send"):
            answer = _run_to_end(answer, run.spec.timeout)
            refuse_late_answer(began, run.spec.timeout)
    except BaseException as error:  # noqa: BLE001 - as above
        return make_failure_outcome(error, run.spec.timeout, began)
    return Outcome(answer=answer, seconds=perf_counter() - began)


def refuse_late_answer(began: float, seconds: float) -> None:
    """Check the clock after a coroutine has ended, because no timer ends one that blocks the event loop.

    Raises:
        OverdueError: it took longer than `seconds`.
    """
    if perf_counter() - began > seconds:
        raise OverdueError


def _workers() -> Workers:
    # Threads, which most engines never start.
    from hookline.handlers.workers import WORKERS  # noqa: PLC0415

    return WORKERS


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
            answer = await _Rest(coroutine, waiting)
    except Exception as error:
        if limit.expired():
            raise OverdueError from error
        raise
    if limit.expired():
        raise OverdueError
    return answer


class _Rest:
    """The rest of a coroutine after its first step; it waits for `waiting`."""

    __slots__ = ("coroutine", "waiting")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], waiting: Any) -> None:
        self.coroutine = coroutine
        self.waiting = waiting

    def __await__(self) -> Generator[Any, Any, Any]:
        waiting = self.waiting
        while True:
            try:
                try:
                    sent = yield waiting
                except BaseException as error:  # noqa: BLE001 - cancellation and timeout must reach the coroutine
                    waiting = self.coroutine.throw(error)
                else:
                    waiting = self.coroutine.send(sent)
            except StopIteration as done:
                return done.value
