"""EventChannel: a bounded queue of every fired event, for an observer.

Firing never waits for it.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.a3s.events import HookEvent


class EventChannel:
    """Events in the order in which they were fired.

    A full channel drops the oldest one and counts it in `dropped`.
    """

    def __init__(self, capacity: int = 1024) -> None:
        if capacity < 1:
            raise ValueError("an event channel has room for at least one event")
        self.dropped = 0
        self._events: deque[HookEvent] = deque(maxlen=capacity)
        self._receivers: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._lock = threading.Lock()

    def offer(self, event: HookEvent) -> None:
        """Add an event, from any thread; never waits."""
        with self._lock:
            self.dropped += len(self._events) == self._events.maxlen
            self._events.append(event)
            receivers, self._receivers = self._receivers, []
        for loop, arrived in receivers:
            if not loop.is_closed():
                loop.call_soon_threadsafe(arrived.set)

    def take(self) -> HookEvent | None:
        """Return the oldest event that was not taken yet; None if there is none."""
        with self._lock:
            return self._events.popleft() if self._events else None

    async def receive(self) -> HookEvent:
        """Return the oldest event, once there is one."""
        while True:
            arrived = asyncio.Event()
            with self._lock:
                if self._events:
                    return self._events.popleft()
                self._receivers.append((asyncio.get_running_loop(), arrived))
            await arrived.wait()

    def __len__(self) -> int:
        return len(self._events)
