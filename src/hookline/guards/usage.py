"""Usage: what a turn cost, and how many tokens it took, as its host reports."""

from __future__ import annotations

from math import isfinite

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Event

# What is counted, by the keys that hosts have for it.
_INPUT = ("input", "input_tokens", "prompt_tokens")
_OUTPUT = ("output", "output_tokens", "completion_tokens")
_CACHED = ("cache_read", "cache_creation")


class Usage(Frozen):
    """The usage of a turn.

    Attributes:
        cost: US dollars; 0 if the host does not know it.
        input: tokens that the model read, those of caches included.
        output: tokens that the model wrote.
    """

    cost: float = 0.0
    input: int = 0
    output: int = 0

    @property
    def tokens(self) -> int:
        """Return all tokens; 0 if the host does not know them."""
        return self.input + self.output


def read_usage(event: Event) -> Usage:
    """Return the usage that an event reports; what is no positive number counts as unknown."""
    given = event.body.value("usage")
    counts = given if isinstance(given, dict) else {}
    cached = sum(int(_read_number(counts.get(key))) for key in _CACHED)
    return Usage(
        cost=_read_number(event.body.value("cost")),
        input=_read_first(counts, _INPUT) + cached,
        output=_read_first(counts, _OUTPUT),
    )


def format_dollars(amount: float) -> str:
    """Return an amount of US dollars, with four digits after the point below one dollar."""
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"


def _read_first(counts: dict[str, Any], keys: tuple[str, ...]) -> int:
    return int(next(filter(None, (_read_number(counts.get(key)) for key in keys)), 0))


def _read_number(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and isfinite(value) and value > 0 else 0.0
