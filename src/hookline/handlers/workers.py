"""Workers: threads for plain functions, so that waiting can end although a function cannot be stopped."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from weakref import WeakKeyDictionary

from hookline.handlers.exceptions import OverdueError, StuckError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    # A call, where its result goes, and whose budget it uses.
    Job: TypeAlias = tuple[Callable[[], Any], Future[Any], "WorkerBudget"]

# How many functions of one budget may overrun at once before hookline refuses further ones.
MOST_STUCK = 64
_MOST_IDLE = 8
# The event loop waits for so long (seconds) in place: a wake-up from a thread costs six times a
# call.
_MOMENT = 0.0002


class WorkerBudget:
    """How many functions of one owner, such as an engine, may overrun their time limit at once."""

    __slots__ = ("__weakref__", "most")

    def __init__(self, most: int = MOST_STUCK) -> None:
        self.most = most


class Workers:
    """Idle threads, reused where possible. A thread whose function overran is given up.

    It cannot be stopped, only counted: beyond the limit of its budget, hookline refuses further
    calls of that budget. All budgets share the threads, so that a dropped engine leaves no idle
    thread behind.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._idle: list[SimpleQueue[Job]] = []
        self._lock = threading.Lock()
        self._stuck: WeakKeyDictionary[WorkerBudget, int] = WeakKeyDictionary()

    def stuck(self, budget: WorkerBudget) -> int:
        """Return how many functions of this budget overran their time and still run."""
        return self._stuck.get(budget, 0)

    def call(
        self, function: Callable[[Any], Any], argument: Any, seconds: float, budget: WorkerBudget
    ) -> Any:
        """Call a function and return its result, if it comes in time.

        Raises:
            OverdueError: it came too late.
            StuckError: too many functions overran their time.
            BaseException: the function raised it.
        """
        future = self._start(function, argument, budget)
        if not _has_ended(future, seconds) and self._abandon(future, budget):
            raise OverdueError
        return future.result()

    async def call_async(
        self, function: Callable[[Any], Any], argument: Any, seconds: float, budget: WorkerBudget
    ) -> Any:
        """Call a function from an event loop, which continues while the function runs.

        Raises:
            OverdueError, StuckError, BaseException: as `call`.
        """
        future = self._start(function, argument, budget)
        if _has_ended(future, min(seconds, _MOMENT)):
            return future.result()
        try:
            await _wait_for_end(future, seconds - _MOMENT)
        except BaseException:
            self._abandon(future, budget)
            raise
        if self._abandon(future, budget):
            raise OverdueError
        return future.result()

    def _start(
        self, function: Callable[[Any], Any], argument: Any, budget: WorkerBudget
    ) -> Future[Any]:
        with self._lock:
            stuck = self.stuck(budget)
            if stuck >= budget.most:
                raise StuckError(f"{stuck} handlers overran their time and still run")
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = SimpleQueue()
            threading.Thread(
                target=self._work, args=(inbox,), name="hookline worker", daemon=True
            ).start()
        future: Future[Any] = Future()
        inbox.put((partial(copy_context().run, function, argument), future, budget))
        return future

    def _abandon(self, future: Future[Any], budget: WorkerBudget) -> bool:
        """Give a call up; return False if it has ended already."""
        with self._lock:
            is_stuck = future.cancel()
            if is_stuck:
                self._stuck[budget] = self.stuck(budget) + 1
        return is_stuck

    def _work(self, inbox: SimpleQueue[Job]) -> None:
        while self._run_next(inbox):
            pass  # an idle thread keeps nothing of a call alive

    def _run_next(self, inbox: SimpleQueue[Job]) -> bool:
        """Run the next call of a thread; return whether the thread stays for another one."""
        call, future, budget = inbox.get()
        answer, error = None, None
        try:
            answer = call()
        except BaseException as raised:  # noqa: BLE001 - the caller of the function gets it raised
            error = raised
        with self._lock:
            stays = len(self._idle) < _MOST_IDLE
            if stays:  # before the caller wakes, so that its next call finds this thread
                self._idle.append(inbox)
        try:
            if error is None:
                future.set_result(answer)
            else:
                future.set_exception(error)
        except InvalidStateError:  # nobody waited for it any more
            with self._lock:
                self._stuck[budget] = self.stuck(budget) - 1
        return stays


def _has_ended(future: Future[Any], seconds: float) -> bool:
    """Wait for the end of a call for at most `seconds`; return whether it has ended."""
    try:
        future.exception(min(seconds, threading.TIMEOUT_MAX))
    except TimeoutError:
        return False
    return True


async def _wait_for_end(future: Future[Any], seconds: float) -> None:
    """Wait on the running loop until a call has ended, or the time is over."""
    import asyncio  # noqa: PLC0415 - the synchronous path must not load it

    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def wake(_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed, so no one waits
            loop.call_soon_threadsafe(ended.set)

    future.add_done_callback(wake)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await ended.wait()


WORKERS = Workers()
os.register_at_fork(after_in_child=WORKERS._forget)
