"""Turns: how many events are asked about at once, and how long a further one waits until it is its turn."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from hookline.server.problems import RequestError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Turns:
    """`most` at once. Further ones are taken in their order: `queue` of them wait, each for `patience` seconds at most.

    Each event that is asked about may hold a thread that waits for its processes, of which there are no more than 64.
    """

    def __init__(self, most: int, *, patience: float = 10.0, queue: int = 1024) -> None:
        self.most = most
        self.patience = patience
        self.queue = queue
        self.running = 0
        self.waiting = 0
        self._free = asyncio.Semaphore(most)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """A turn, for as long as the block takes.

        Raises:
            RequestError: none came in time, or too many are waiting already (503).
        """
        await self._come()
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self._free.release()

    async def _come(self) -> None:
        if not self._free.locked():
            await self._free.acquire()
            return
        if self.waiting >= self.queue or not self.patience:
            raise self._busy()
        self.waiting += 1
        try:
            async with asyncio.timeout(self.patience):
                await self._free.acquire()
        except TimeoutError:
            raise self._busy() from None
        finally:
            self.waiting -= 1

    def _busy(self) -> RequestError:
        told = f"{self.most} events are being asked about, and {self.waiting} wait for their turn"
        hint = "ask again; a larger --most asks about more at once, a larger --wait waits longer"
        return RequestError(503, "serve.busy", told, hint=hint, headers={"Retry-After": "1"})
