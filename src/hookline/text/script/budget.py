"""The time of one reading, and of the judgement after it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

READING_SECONDS = 0.025
_STRIDE = 8  # checks for each look at the clock, which may take most of a microsecond


class OverBudgetError(Exception):
    """A reading has reached one of its limits; the text says which."""


class Budget:
    """Ends work that takes too long. Without a clock it ends nothing."""

    def __init__(self, clock: Callable[[], float] | None, seconds: float = READING_SECONDS) -> None:
        self._clock, self._seconds = clock, seconds
        self._end = clock() + seconds if clock else 0.0
        self._checks = 0

    def check(self) -> None:
        """Raise OverBudgetError if the time is over. Call it wherever many things are done."""
        self._checks += 1
        if not self._checks % _STRIDE:
            self.check_now()

    def check_now(self) -> None:
        """Raise OverBudgetError if the time is over, for what takes long each time."""
        if self.is_spent():
            raise OverBudgetError(f"more than {self._seconds * 1000:.0f} ms of work")

    def is_spent(self) -> bool:
        """Return whether the time is over."""
        return self._clock is not None and self._clock() > self._end
