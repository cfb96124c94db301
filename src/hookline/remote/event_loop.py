"""Event loop: a loop on a thread of its own, for everything remote in this process.

gRPC shares its completion queue between all loops of a process, and closing one loop breaks the
others (decision record 0012). So callers on any loop, or on none, wait for this one.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

T = TypeVar("T")
_PATIENCE = 2.0  # seconds for the thread of a process that ends


class BackgroundLoop:
    """An event loop on a daemon thread, started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_stopped = False

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
                thread = threading.Thread(target=self._run_forever, daemon=True)
                thread.start()
                atexit.register(self._stop, thread)
            return self._loop

    def _run_forever(self) -> None:
        """Run as long as the process; what would end it ends only the task that raised it."""
        assert self._loop is not None  # noqa: S101 - it was made before this thread
        while not self._is_stopped:
            with suppress(KeyboardInterrupt, SystemExit):
                self._loop.run_forever()

    def _stop(self, thread: threading.Thread) -> None:
        """End the thread, before the interpreter takes apart what gRPC needs."""
        assert self._loop is not None  # noqa: S101 - as above
        self._is_stopped = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        thread.join(_PATIENCE)


REMOTE = BackgroundLoop()
