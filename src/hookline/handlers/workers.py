"""Workers: threads for plain functions, so that waiting can end although a function cannot be stopped."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from contextvars import copy_context
from queue import SimpleQueue
from weakref import WeakKeyDictionary

from hookline.handlers.exceptions import OverdueError, StuckError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

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


class _Job:
    """One call of a function. It ends once: the function returns, or its caller stops waiting."""

    __slots__ = (
        "_ended",
        "answer",
        "argument",
        "budget",
        "call",
        "context",
        "done",
        "error",
        "wake",
    )

    def __init__(self, call: Callable[[Any], Any], argument: Any, budget: WorkerBudget) -> None:
        self.call = call
        self.argument = argument
        self.budget = budget
        self.context = copy_context()
        self.answer: Any = None
        self.error: BaseException | None = None
        self.done = threading.Lock()
        self.done.acquire()
        self.wake: Callable[[], object] | None = None
        self._ended = threading.Lock()

    def run(self) -> None:
        try:
            self.answer = self.context.run(self.call, self.argument)
        except BaseException as error:  # noqa: BLE001 - the caller of the function gets it raised
            self.error = error

    def end(self) -> bool:
        """Claim the end of the call; return False if the other side claimed it first."""
        return self._ended.acquire(blocking=False)

    def notify(self) -> None:
        """Wake the waiting caller."""
        self.done.release()
        if self.wake is not None:  # set before its owner looked at `done` for the last time
            self.wake()

    def result(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.answer


class Workers:
    """Idle threads, reused where possible. A thread whose function overran is given up.

    It cannot be stopped, only counted: beyond the limit of its budget, hookline refuses further
    calls of that budget. All budgets share the threads, so that a dropped engine leaves no idle
    thread behind.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._idle: list[SimpleQueue[_Job]] = []
        self._lock = threading.Lock()
        self._stuck: WeakKeyDictionary[WorkerBudget, int] = WeakKeyDictionary()

    def stuck(self, budget: WorkerBudget) -> int:
        """Return how many functions of this budget overran their time and still run."""
        return self._stuck.get(budget, 0)

    def call(
        self,
        function: Callable[[Any], Any],
        argument: Any,
        seconds: float,
        budget: WorkerBudget,
    ) -> Any:
        """Call a function and return its result, if it comes in time.

        Raises:
            OverdueError: it came too late.
            StuckError: too many functions overran their time.
            BaseException: the function raised it.
        """
        job = self._assign(_Job(function, argument, budget))
        if not job.done.acquire(timeout=min(seconds, threading.TIMEOUT_MAX)) and self._abandon(job):
            raise OverdueError
        return job.result()

    async def call_async(
        self,
        function: Callable[[Any], Any],
        argument: Any,
        seconds: float,
        budget: WorkerBudget,
    ) -> Any:
        """Call a function from an event loop, which continues while the function runs.

        Raises:
            OverdueError, StuckError, BaseException: as `call`.
        """
        job = self._assign(_Job(function, argument, budget))
        if job.done.acquire(timeout=min(seconds, _MOMENT)):
            return job.result()
        try:
            await _wait_for_end(job, seconds - _MOMENT)
        except BaseException:
            self._abandon(job)
            raise
        if self._abandon(job):
            raise OverdueError
        return job.result()

    def _assign(self, job: _Job) -> _Job:
        with self._lock:
            stuck = self.stuck(job.budget)
            if stuck >= job.budget.most:
                raise StuckError(f"{stuck} handlers overran their time and still run")
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = SimpleQueue()
            threading.Thread(
                target=self._work, args=(inbox,), name="hookline worker", daemon=True
            ).start()
        inbox.put(job)
        return job

    def _abandon(self, job: _Job) -> bool:
        with self._lock:
            given_up = job.end()
            if given_up:
                self._stuck[job.budget] = self.stuck(job.budget) + 1
        return given_up

    def _work(self, inbox: SimpleQueue[_Job]) -> None:
        idle = True
        while idle:
            job = inbox.get()
            job.run()
            with self._lock:
                waited_for = job.end()
                if not waited_for:
                    self._stuck[job.budget] = self.stuck(job.budget) - 1
                idle = len(self._idle) < _MOST_IDLE
                if idle:  # before the caller wakes, so that its next call finds this thread
                    self._idle.append(inbox)
            if waited_for:
                job.notify()
            del job  # an idle thread must keep nothing alive


async def _wait_for_end(job: _Job, seconds: float) -> None:
    """Wait on the running loop until a job has ended, or the time is over."""
    import asyncio  # noqa: PLC0415 - the synchronous path must not load it

    loop = asyncio.get_running_loop()
    woken: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not woken.done():
            woken.set_result(None)

    def wake_from_thread() -> None:
        with suppress(RuntimeError):  # the loop is closed, so no one waits
            loop.call_soon_threadsafe(wake)

    job.wake = wake_from_thread
    if job.done.acquire(blocking=False):
        return
    alarm = loop.call_later(seconds, wake)
    try:
        await woken
    finally:
        alarm.cancel()


WORKERS = Workers()
os.register_at_fork(after_in_child=WORKERS._forget)
