"""Backoff: how long to wait before the next try, longer each time and never twice the same."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Backoff:
    """Waits that double from `first` to `most` (seconds), of which a half is drawn by lot: `chance` is from 0 to 1.

    The longest is short, because while an engine waits for its guards every gate of it is closed, or open.
    """

    def __init__(
        self, *, first: float = 0.1, most: float = 5.0, chance: Callable[[], float] = random.random
    ) -> None:
        self.first = first
        self.most = most
        self.chance = chance
        self.tries = 0

    def next(self) -> float:
        """Seconds to wait now."""
        whole = min(self.most, self.first * 2.0 ** min(self.tries, 32))
        self.tries += 1
        return whole / 2 + whole / 2 * self.chance()

    def reset(self) -> None:
        """It worked: the next wait is a short one."""
        self.tries = 0
