"""Stream: one connection between an engine and handlers, from the first frame to the last, seen from either end."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator

    from google.protobuf.message import Message

    from hookline.remote.limits import Bounds

M = TypeVar("M", bound="Message")
_FRAMES = 4096
_SILENT = 2.5  # pings without a sign of life before the other end counts as gone


class LinkError(Exception):
    """A stream broke, or could not be opened; the message says why in a few words."""


def retry_delays(first: float = 0.1, most: float = 5.0) -> Iterator[float]:
    """Yield the seconds to wait before each further attempt: they double up to `most`, and one half of each is random.

    The longest wait is short: while an engine waits for its guards, each of its gates is closed or
    open.
    """
    delay = first
    while True:
        yield delay * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
        delay = min(2 * delay, most)


class Outbox(Generic[M]):
    """A bounded queue of frames for the one writer of a stream, all on one event loop. `largest`: bytes that may wait."""

    def __init__(self, largest: int) -> None:
        self.largest = largest
        self.closed = False
        self._frames: deque[tuple[M, int]] = deque()
        self._bytes = 0
        self._changed = asyncio.Event()

    def post(self, frame: M) -> bool:
        """Queue a frame; return False if there is no room, or after `close`."""
        size = frame.ByteSize()
        if self.closed or self._bytes + size > self.largest or len(self._frames) >= _FRAMES:
            return False
        self._frames.append((frame, size))
        self._bytes += size
        self._changed.set()
        return True

    def close(self, *, now: bool = False) -> None:
        """End the stream after the queued frames; with `now`, without them."""
        self.closed = True
        if now:
            self._frames.clear()
        self._changed.set()

    async def __aiter__(self) -> AsyncIterator[M]:
        while True:
            while self._frames:
                frame, size = self._frames.popleft()
                self._bytes -= size
                yield frame
            if self.closed:
                return
            self._changed.clear()
            await self._changed.wait()


class StreamEnd:
    """One end of a stream. `over` is set when it wants no more frames, `greeted` once the two ends know each other.

    `last_sign`: when the last frame came; `ping`: seconds between signs of life; `why`: why the
    stream ended.
    """

    def __init__(
        self,
        outbox: Outbox[Any],
        bounds: Bounds,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self.over = asyncio.Event()
        self.greeted = False
        self.last_sign = clock()
        self.ping = bounds.ping
        self.why = ""
        self._outbox = outbox
        self._hello = bounds.hello
        self._clock = clock
        self._sleep = sleep

    def post(self, frame: Message) -> bool:
        """Queue a frame; return False if there is no room."""
        return not self.over.is_set() and self._outbox.post(frame)

    def take(self, frame: Any) -> Awaitable[None] | None:
        """Handle one frame of the other end; the caller must await the result before the next frame."""
        raise NotImplementedError

    def ask_for_life(self) -> None:
        """Ask the other end for a sign of life, if it gives none by itself."""

    async def watch(self) -> None:
        """Return when the other end is not greeted in time, or gives no more signs of life."""
        await self._sleep(self._hello)
        while self.greeted and self._clock() - self.last_sign < self.ping * _SILENT:
            self.ask_for_life()
            await self._sleep(self.ping)
        self.why = self.why or "it gives no sign of life"

    def handle_end(self, why: str) -> None:
        """Handle the end of the stream."""
        self.why = self.why or why
        self.over.set()


async def run_stream(end: StreamEnd, incoming: AsyncIterable[Any], outbox: Outbox[Any]) -> None:
    """Pass every frame to one end, until either end has had enough; the outbox is then closed, but must still be sent.

    A cancellation counts as the loss of the stream.
    """
    loop = asyncio.get_running_loop()
    reading = loop.create_task(_read(end, incoming))
    tasks = {reading, loop.create_task(end.watch()), loop.create_task(end.over.wait())}
    why = ""
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        why = reading.result() if reading.done() else ""
    finally:
        for task in tasks:
            task.cancel()
        end.handle_end(why)
        outbox.close()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(end: StreamEnd, incoming: AsyncIterable[Any]) -> str:
    """Read all frames, and return why there are no more."""
    try:
        async for frame in incoming:
            if (work := end.take(frame)) is not None:
                await work
            if end.over.is_set():
                return ""
    except LinkError as error:
        return str(error)
    return ""
