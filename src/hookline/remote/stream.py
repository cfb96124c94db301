"""Stream: the frames between an engine and handlers, in both directions."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable

    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")
_FRAMES = 4096


class LinkError(Exception):
    """A stream broke, or could not be opened; the message says why in a few words."""


class Outbox(Generic[M]):
    """A bounded queue of frames for the one writer of a stream, all on one event loop.

    `largest`: bytes that may wait. `closed` is set when this end wants no more frames either.
    """

    def __init__(self, largest: int) -> None:
        self.largest = largest
        self.closed = asyncio.Event()
        self._frames: deque[tuple[M, int]] = deque()
        self._bytes = 0
        self._changed = asyncio.Event()

    def post(self, frame: M) -> bool:
        """Queue a frame; return False if there is no room, or after `close`."""
        size = frame.ByteSize()
        is_full = self._bytes + size > self.largest or len(self._frames) >= _FRAMES
        if is_full or self.closed.is_set():
            return False
        self._frames.append((frame, size))
        self._bytes += size
        self._changed.set()
        return True

    def close(self, *, now: bool = False) -> None:
        """End the stream after the queued frames; with `now`, without them."""
        self.closed.set()
        if now:
            self._frames.clear()
        self._changed.set()

    async def __aiter__(self) -> AsyncIterator[M]:
        while True:
            while self._frames:
                frame, size = self._frames.popleft()
                self._bytes -= size
                yield frame
            if self.closed.is_set():
                return
            self._changed.clear()
            await self._changed.wait()


async def read_frames(
    incoming: AsyncIterable[Any],
    outbox: Outbox[Any],
    take: Callable[[Any], Awaitable[None] | None],
) -> str:
    """Pass each frame to `take`, until either end has had enough.

    Return why the other one broke off.

    The outbox is then closed, but what it holds must still be sent.
    """

    async def read() -> str:
        try:
            async for frame in incoming:
                if not outbox.closed.is_set() and (work := take(frame)) is not None:
                    await work
        except LinkError as error:
            return str(error)
        return ""

    reading = asyncio.ensure_future(read())
    closing = asyncio.ensure_future(outbox.closed.wait())
    try:
        await asyncio.wait((reading, closing), return_when=asyncio.FIRST_COMPLETED)
        return reading.result() if reading.done() else ""
    finally:
        outbox.close()
        reading.cancel()
        closing.cancel()
        await asyncio.gather(reading, closing, return_exceptions=True)
