"""Backoff: the wait before the next attempt, longer each time, with a random part."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Backoff:
    """Waits that double from `first` to `most` seconds; one half of each is random: `chance` returns 0 to 1.

    The longest wait is short: while an engine waits for its guards, each of its gates is closed or open.
    """

    def __init__(
        self, *, first: float = 0.1, most: float = 5.0, chance: Callable[[], float] = random.random
    ) -> None:
        self.first = first
        self.most = most
        self.chance = chance
        self.tries = 0

    def next(self) -> float:
        """Return the seconds to wait now."""
        whole = min(self.most, self.first * 2.0 ** min(self.tries, 32))
        self.tries += 1
        return whole / 2 + whole / 2 * self.chance()

    def reset(self) -> None:
        """Restart with a short wait after a success."""
        self.tries = 0
