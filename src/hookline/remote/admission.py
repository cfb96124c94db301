"""Admission: limits how many events an engine handles at once, and how long a further one waits."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from hookline.errors import HookError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Admission:
    """Admits `most` events at once. Further ones wait in order: `queue` of them, each at most `patience` seconds.

    Each event may hold a thread that waits for its processes, of which there are at most 64. So all entrances of an
    engine share one admission, on any event loop.
    """

    def __init__(self, most: int, *, patience: float = 30.0, queue: int = 1024) -> None:
        self.most = most
        self.patience = patience
        self.queue = queue
        self.running = 0
        self.waiting = 0
        self._free = most
        self._line: deque[asyncio.Future[None]] = deque()
        self._lock = threading.Lock()

    @asynccontextmanager
    async def admit(self) -> AsyncIterator[None]:
        """Hold a place for as long as the block takes.

        Raises:
            HookError: no place was free in time, or too many are waiting already (`serve.busy`).
        """
        mine = self._enter_queue()
        if mine is not None:
            await self._wait_in_queue(mine)
        try:
            yield
        finally:
            self._release()

    def _enter_queue(self) -> asyncio.Future[None] | None:
        """Take a place at once (None), or return a position in the queue."""
        with self._lock:
            if self._free:
                self._free -= 1
                self.running += 1
                return None
            if self.waiting >= self.queue or not self.patience:
                raise self._busy_error()
            mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._line.append(mine)
            self.waiting += 1
            return mine

    async def _wait_in_queue(self, mine: asyncio.Future[None]) -> None:
        try:
            async with asyncio.timeout(self.patience):
                await mine
        except TimeoutError:
            if self._leave_queue(mine):
                raise self._busy_error() from None
        except BaseException:
            if not self._leave_queue(mine):  # it was admitted in the same moment
                self._admit_next()
            raise
        finally:
            with self._lock:
                self.waiting -= 1
        with self._lock:
            self.running += 1

    def _leave_queue(self, mine: asyncio.Future[None]) -> bool:
        """Leave the queue; return False if the place was already granted."""
        with self._lock:
            try:
                self._line.remove(mine)
            except ValueError:
                return False
            return True

    def _release(self) -> None:
        with self._lock:
            self.running -= 1
        self._admit_next()

    def _admit_next(self) -> None:
        """Admit the event that has waited longest."""
        with self._lock:
            while self._line:
                waiter = self._line.popleft()
                try:
                    waiter.get_loop().call_soon_threadsafe(_grant, waiter)
                except RuntimeError:  # its loop was closed, so it no longer waits
                    continue
                return
            self._free += 1

    def _busy_error(self) -> HookError:
        told = f"hooks of {self.most} events are running, and {self.waiting} events wait"
        hint = "try again; a larger --most runs more at once, a larger --wait waits longer"
        return HookError(told, name="serve.busy", hint=hint)


def _grant(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
