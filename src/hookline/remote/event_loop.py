"""Event loop: one loop on a thread of its own for everything remote in this process.

gRPC shares its completion queue between all loops of a process, and closing one loop breaks the
others (decision record 0012). So callers on any loop, or on none, wait for this one.
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
_PATIENCE = 2.0  # seconds for the last tasks of a process that ends


class BackgroundLoop:
    """An event loop on a daemon thread, started when it is first needed."""

    def __init__(self) -> None:
        self._forget()
        atexit.register(self.stop)
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """Start anew in a forked child, which has no such thread."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_current(self) -> bool:
        """Return whether the caller runs on this loop."""
        return self._thread is threading.current_thread()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine; from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._start())

    def call_soon(self, call: Callable[..., object], *given: object) -> None:
        """Call a function soon; from any thread."""
        self._start().call_soon_threadsafe(call, *given)

    def run(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """Wait for a coroutine without an event loop; an exception during the wait cancels it.

        Raises:
            TimeoutError: it took longer than `seconds`.
        """
        future = self.submit(work)
        try:
            return future.result(seconds)
        finally:
            future.cancel()

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine on any event loop; a cancellation passes through."""
        if self.is_current:
            return await work
        return await asyncio.wrap_future(self.submit(work))

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._run_forever, args=(loop,), name="hookline remote", daemon=True
                )
                self._thread.start()
            return self._loop

    def _run_forever(self, loop: asyncio.AbstractEventLoop) -> None:
        """Run until stopped.

        An exception of a task stays with that task, even one that would end the loop.
        """
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
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_cancel_all(loop), loop)
        thread.join(_PATIENCE)
        if not thread.is_alive():
            loop.close()


async def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel all tasks of a loop, wait a while for their ends, and stop the loop."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=_PATIENCE / 2)
    await loop.shutdown_asyncgens()
    loop.stop()


REMOTE = BackgroundLoop()
