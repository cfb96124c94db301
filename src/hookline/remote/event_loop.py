"""Event loop: a loop on a thread of its own, for everything remote in this process.

gRPC shares its completion queue between all loops of a process, and closing one loop breaks the
others (decision record 0012). So callers on any loop, or on none, wait for this one.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

T = TypeVar("T")


class BackgroundLoop:
    """An event loop on a daemon thread, started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine; from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._start())

    def call_soon(self, call: Callable[..., object], *given: object) -> None:
        """Call a function soon; from any thread."""
        self._start().call_soon_threadsafe(call, *given)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine without an event loop; an exception during the wait cancels it."""
        future = self.submit(work)
        try:
            return future.result()
        finally:
            future.cancel()

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine on any event loop; a cancellation passes through."""
        if self._loop is asyncio.get_running_loop():
            return await work
        return await asyncio.wrap_future(self.submit(work))

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_run_forever, args=(self._loop,), daemon=True)
                thread.start()
            return self._loop


def _run_forever(loop: asyncio.AbstractEventLoop) -> None:
    """Run as long as the process; what would end it ends only the task that raised it."""
    while True:
        with suppress(KeyboardInterrupt, SystemExit):
            loop.run_forever()


REMOTE = BackgroundLoop()
