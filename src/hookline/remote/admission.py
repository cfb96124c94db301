"""Admission: limits how many events an engine handles at once, and how long a further one waits."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from hookline.errors import HookError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Admission:
    """Admits `most` events at once.

    Further ones wait in order: `queue` of them, each at most `patience` seconds.

    Each event may hold a thread that waits for its processes, of which there are at most 64. So all
    entrances of an engine share one admission, on any event loop.
    """

    def __init__(self, most: int, *, patience: float = 30.0, queue: int = 1024) -> None:
        self.most = most
        self.patience = patience
        self.queue = queue
        self.running = 0
        self._line: deque[Future[None]] = deque()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """Return how many events wait."""
        return len(self._line)

    @asynccontextmanager
    async def admit(self) -> AsyncIterator[None]:
        """Hold a place for as long as the block takes.

        Raises:
            HookError: no place was free in time, or too many are waiting already (`serve.busy`).
        """
        mine = self._enter()
        try:
            if mine is not None:
                async with asyncio.timeout(self.patience):
                    await asyncio.wrap_future(mine)
        except BaseException as error:
            self._leave(mine)
            if isinstance(error, TimeoutError):
                raise self._busy_error() from None
            raise
        try:
            yield
        finally:
            self._leave()

    def _enter(self) -> Future[None] | None:
        """Take a place at once (None), or return one's own in the queue."""
        with self._lock:
            if self.running < self.most:
                self.running += 1
                return None
            if len(self._line) >= self.queue or not self.patience:
                raise self._busy_error()
            mine: Future[None] = Future()
            self._line.append(mine)
            return mine

    def _leave(self, mine: Future[None] | None = None) -> None:
        """Leave the queue, or give the place to the event that has waited longest."""
        with self._lock:
            if mine is not None and mine in self._line:
                self._line.remove(mine)
                return
            if mine is not None and mine.cancelled():
                return
            while self._line:
                waiter = self._line.popleft()
                if waiter.set_running_or_notify_cancel():
                    waiter.set_result(None)
                    return
            self.running -= 1

    def _busy_error(self) -> HookError:
        words = f"hooks of {self.most} events are running, and {self.waiting} events wait"
        hint = "try again; a larger --most runs more at once, a larger --wait waits longer"
        return HookError(words, name="serve.busy", hint=hint)
