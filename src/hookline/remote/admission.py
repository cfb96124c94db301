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
    """Admits `most` events at once; further ones wait in order, each at most `patience` seconds.

    Each event may hold a thread that waits for its processes, of which there are at most 64. So all
    entrances of an engine share one admission, on any event loop.
    """

    def __init__(self, most: int, *, patience: float = 30.0) -> None:
        self.most = most
        self.patience = patience
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
            HookError: no place was free in time (`serve.busy`).
        """
        place: Future[None] = Future()
        with self._lock:
            self._line.append(place)
            self._fill_places()
            is_refused = not place.done() and self.patience <= 0
        try:
            if is_refused:
                raise self._make_busy()
            if not place.done():
                await self._wait(place)
            yield
        finally:
            with self._lock:
                if place in self._line:
                    self._line.remove(place)
                elif not place.cancelled():
                    self.running -= 1
                self._fill_places()

    async def _wait(self, place: Future[None]) -> None:
        try:
            async with asyncio.timeout(self.patience):
                await asyncio.wrap_future(place)
        except TimeoutError:
            raise self._make_busy() from None

    def _make_busy(self) -> HookError:
        words = f"hooks of {self.most} events are running, and {self.waiting} events wait"
        hint = "try again; a larger --most runs more at once, a larger --wait waits longer"
        return HookError(words, name="serve.busy", hint=hint)

    def _fill_places(self) -> None:
        """Give free places to the events that have waited longest."""
        while self._line and self.running < self.most:
            place = self._line.popleft()
            if place.set_running_or_notify_cancel():
                self.running += 1
                place.set_result(None)
