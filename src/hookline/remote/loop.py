"""Loop: the one event loop of this process on which everything remote happens, on a thread of its own.

gRPC shares its completion queue between all loops of a process, and a loop that was closed breaks those that were not
(decision record 0012). So whoever waits, on whichever loop or on none, waits for this one.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

T = TypeVar("T")
_PATIENCE = 2.0  # seconds, for the last tasks of a process that ends


class Loop:
    """An event loop on a daemon thread, started when it is first needed."""

    def __init__(self) -> None:
        self._forget()
        atexit.register(self.stop)
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """In a forked child there is no thread any more."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def here(self) -> bool:
        """Whether whoever asks runs on it."""
        return self._thread is threading.current_thread()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine; from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._started())

    def tell(self, call: Callable[..., object], *given: object) -> None:
        """Call a function soon; from any thread."""
        self._started().call_soon_threadsafe(call, *given)

    def run(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """Wait for a coroutine without an event loop; whatever ends the wait cancels it.

        Raises:
            TimeoutError: the time is over.
        """
        future = self.submit(work)
        try:
            return future.result(seconds)
        finally:
            future.cancel()

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine on any event loop; a cancellation passes through."""
        if self.here:
            return await work
        return await asyncio.wrap_future(self.submit(work))

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._turn, args=(self._loop,), name="hookline remote", daemon=True
                )
                self._thread.start()
            return self._loop

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        """Run until it is stopped. What a task raised is that task's, also where a loop takes it for the end of the program."""
        while self._loop is loop:
            try:
                loop.run_forever()
            except (KeyboardInterrupt, SystemExit):
                continue
            return

    def stop(self) -> None:
        """Cancel what runs, and end the thread."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None or thread is threading.current_thread():
            return
        ended = asyncio.run_coroutine_threadsafe(_end(), loop)
        try:
            ended.result(_PATIENCE)
        except (
            TimeoutError
        ):  # a task that does not let itself be cancelled; the process ends all the same
            ended.cancel()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_PATIENCE)
        if not thread.is_alive():
            loop.close()


async def _end() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
    await asyncio.get_running_loop().shutdown_asyncgens()


REMOTE = Loop()
