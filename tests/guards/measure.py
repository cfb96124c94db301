"""Measures: counts with their 95 % bound, as the reports of the guards print them."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

_Z = 1.96  # of a normal distribution, for 95 %


class Share(NamedTuple):
    """So many of so many."""

    hits: int
    of: int

    @property
    def per_cent(self) -> float:
        """The share in per cent."""
        return 100 * self.hits / self.of if self.of else 0.0

    def bounds(self) -> tuple[float, float]:
        """The lowest and highest true share that fits the counts, in per cent (Wilson)."""
        if not self.of:
            return 0.0, 100.0
        part, size = self.hits / self.of, self.of
        middle = part + _Z * _Z / (2 * size)
        spread = _Z * sqrt(part * (1 - part) / size + _Z * _Z / (4 * size * size))
        whole = 1 + _Z * _Z / size
        return max(0.0, 100 * (middle - spread) / whole), min(
            100.0, 100 * (middle + spread) / whole
        )

    def __str__(self) -> str:
        low, high = self.bounds()
        return f"{self.hits:5} of {self.of:5}  {self.per_cent:6.2f} %  ({low:.2f} to {high:.2f})"
