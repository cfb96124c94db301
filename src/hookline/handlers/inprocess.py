"""In-process handlers: a Python callable, plain or asynchronous, called with the event."""

from __future__ import annotations

import sys
from time import perf_counter

from hookline.handlers.exceptions import OverdueError, failed
from hookline.model.outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.handlers.workers import Workers
    from hookline.model.handler import InProcess


async def call_async(run: Run) -> Outcome:
    """Call the handler; a coroutine is given the hook's timeout, and so is a plain function that has a worker."""
    began = perf_counter()
    try:
        handler: InProcess = run.spec.handler  # type: ignore[assignment]  # the driver sends in-process handlers only
        answer = (
            await _workers().call_async(handler.call, run.event, run.spec.timeout, handler.worker)
            if handler.worker
            else handler.call(run.event)
        )
        if hasattr(answer, "send"):
            answer = await limited(answer, run.spec.timeout)
            refuse_late_answer(began, run.spec.timeout)
    except BaseException as error:  # noqa: BLE001 - what is not the hook's is raised again
        return failed(error, run.spec.timeout, began)
    return Outcome(answer=answer, seconds=perf_counter() - began)


def call(run: Run) -> Outcome:
    """Call the handler from synchronous code; a coroutine runs on an event loop of its own."""
    began = perf_counter()
    try:
        handler: InProcess = run.spec.handler  # type: ignore[assignment]  # as above
        answer = (
            _workers().call(handler.call, run.event, run.spec.timeout, handler.worker)
            if handler.worker
            else handler.call(run.event)
        )
        if hasattr(answer, "send"):
            answer = _to_the_end(answer, run.spec.timeout)
            refuse_late_answer(began, run.spec.timeout)
    except BaseException as error:  # noqa: BLE001 - as above
        return failed(error, run.spec.timeout, began)
    return Outcome(answer=answer, seconds=perf_counter() - began)


def refuse_late_answer(began: float, seconds: float) -> None:
    """Check the clock after a coroutine has ended: no timer ends one that blocks the event loop.

    Raises:
        OverdueError: it took longer than `seconds`.
    """
    if perf_counter() - began > seconds:
        raise OverdueError


def _workers() -> Workers:
    from hookline.handlers.workers import WORKERS  # noqa: PLC0415 - threads, which most engines never start

    return WORKERS


def _to_the_end(coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
    """Run a coroutine to its end, in a thread where this one has a running loop already."""
    import asyncio  # noqa: PLC0415 - only asynchronous hooks need it

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(limited(coroutine, seconds))
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - rare
    from contextvars import copy_context  # noqa: PLC0415 - rare

    with ThreadPoolExecutor(
        1
    ) as thread:  # in our context, by which an engine knows what is being asked already
        return thread.submit(copy_context().run, asyncio.run, limited(coroutine, seconds)).result()


async def limited(coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
    """Await a coroutine for at most some seconds.

    Its first step runs directly; a timer is armed only if it suspends, because most hooks never do and
    `asyncio.timeout` costs several times such a hook.

    Raises:
        OverdueError: the time is over.
    """
    try:
        waiting = coroutine.send(None)
    except StopIteration as done:
        return done.value
    return await rest(coroutine, waiting, seconds)


async def rest(coroutine: Coroutine[Any, Any, Any], waiting: Any, seconds: float) -> Any:
    """Await what is left of a coroutine whose first step ended in waiting for something.

    Raises:
        OverdueError: the time is over, also where the coroutine made something else of its cancellation.
    """
    asyncio = sys.modules["asyncio"]  # whatever suspended it has loaded it
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
    """What is left of a coroutine after its first step, which waits for `waiting`."""

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
