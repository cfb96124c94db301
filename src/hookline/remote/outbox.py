"""Outbox: a bounded queue of frames for the one writer of a stream."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")
_FRAMES = 4096


class Outbox(Generic[M]):
    """Frames in the order in which they were posted. One task takes them; all on one event loop.

    `largest`: bytes that may wait.
    """

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
