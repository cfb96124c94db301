"""Turns: how many events an engine is asked about at once, and how long a further one waits until it is its turn."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from hookline.errors import HookError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Turns:
    """`most` at once. Further ones are taken in their order: `queue` of them wait, each for `patience` seconds at most.

    Each event that is asked about may hold a thread that waits for its processes, of which there are no more than 64. So
    everybody who asks one engine shares the turns, on whichever event loop.
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
    async def one(self) -> AsyncIterator[None]:
        """A turn, for as long as the block takes.

        Raises:
            HookError: none came in time, or too many are waiting already (`serve.busy`).
        """
        mine = self._asked()
        if mine is not None:
            await self._come(mine)
        try:
            yield
        finally:
            self._done()

    def _asked(self) -> asyncio.Future[None] | None:
        """A turn at once (None), or a place in the line."""
        with self._lock:
            if self._free:
                self._free -= 1
                self.running += 1
                return None
            if self.waiting >= self.queue or not self.patience:
                raise self._busy()
            mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._line.append(mine)
            self.waiting += 1
            return mine

    async def _come(self, mine: asyncio.Future[None]) -> None:
        try:
            async with asyncio.timeout(self.patience):
                await mine
        except TimeoutError:
            if self._left(mine):
                raise self._busy() from None
        except BaseException:
            if not self._left(mine):  # it was given a turn in the same moment
                self._pass_on()
            raise
        finally:
            with self._lock:
                self.waiting -= 1
        with self._lock:
            self.running += 1

    def _left(self, mine: asyncio.Future[None]) -> bool:
        """Whether a place in the line was given up, and no turn with it."""
        with self._lock:
            try:
                self._line.remove(mine)
            except ValueError:
                return False
            return True

    def _done(self) -> None:
        with self._lock:
            self.running -= 1
        self._pass_on()

    def _pass_on(self) -> None:
        """Give a turn to whoever has waited longest."""
        with self._lock:
            while self._line:
                waiter = self._line.popleft()
                try:
                    waiter.get_loop().call_soon_threadsafe(_given, waiter)
                except RuntimeError:  # its loop was closed, so that nobody waits there any more
                    continue
                return
            self._free += 1

    def _busy(self) -> HookError:
        told = f"{self.most} events are being asked about, and {self.waiting} wait for their turn"
        hint = "ask again; a larger --most asks about more at once, a larger --wait waits longer"
        return HookError(told, name="serve.busy", hint=hint)


def _given(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
