"""The deadline of an answer to a host, and the division of that time among hooks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Table

# Of the host's time limit: what is kept for the answer's way to the host. Seconds.
_PART, _LEAST, _MOST = 0.1, 0.3, 5.0
# Of the time until the deadline: what is kept for hooks to end, and for the decision to be made.
_RESERVE, _SHORTEST_RESERVE, _LONGEST_RESERVE, _LARGEST_RESERVE = 0.25, 0.3, 2.0, 0.5


def host_deadline(table: Table, native: str) -> float:
    """Return the seconds until the answer to an event has to be written: the host's limit, less a tenth of it."""
    limit = table.host_timeout(native)
    return limit - min(max(limit * _PART, _LEAST), _MOST)


def hooks_seconds(left: float) -> tuple[float, float]:
    """Return the seconds for all hooks of an event, and from the SIGTERM of one that timed out to its SIGKILL.

    Args:
        left: seconds until the deadline.
    """
    left = max(left, 0.0)
    usual = min(max(left * _RESERVE, _SHORTEST_RESERVE), _LONGEST_RESERVE)
    reserve = min(usual, left * _LARGEST_RESERVE)
    return left - reserve, reserve / 2
