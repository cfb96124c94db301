"""Bridge state: what the bridge shares with its peers and links: limits, clock, counters and ids."""

from __future__ import annotations

import secrets
from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

from hookline.dialects.a3s import A3S
from hookline.remote.tracing import find_traceparent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hookline.model.event import Event
    from hookline.remote.limits import Bounds


class BridgeState:
    """The limits, the clock and the counters of one bridge. It belongs to the event loop of `hookline.remote`.

    `clock` and `sleep` count seconds; `trace` returns a W3C trace context to use instead of the event's own or the current span's.
    """

    def __init__(
        self,
        bounds: Bounds,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]],
        trace: Callable[[], str] | None,
    ) -> None:
        self.bounds = bounds
        self.clock = clock
        self.sleep = sleep
        self.trace: Callable[[Event], str] = (
            find_traceparent if trace is None else lambda _: trace()
        )
        self.dialect = A3S()
        self.closed = False
        self._counts: Counter[str] = Counter()
        self._prefix, self._ids = secrets.token_hex(6), count(1)

    @property
    def counts(self) -> dict[str, int]:
        """Return how often each thing happened: late, dropped, failed, cancelled, resent, refused, rejected, stale, resumed, lost, unknown."""
        return dict(self._counts)

    def count(self, what: str) -> None:
        """Count one more of something."""
        self._counts[what] += 1

    def next_id(self) -> str:
        """Return an id that no other invocation has, of this engine or another."""
        return f"{self._prefix}-{next(self._ids)}"
