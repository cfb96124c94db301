"""Retention: selects files that are too old or too large together. Only whole files go, oldest first, never the last one.

A clock may be wrong, and removed files do not come back. So no pass trusts the clock far beyond the
last records, and none removes many files by age alone.
"""

from __future__ import annotations

from datetime import date, timedelta

from hookline.journal.chain import read_link
from hookline.journal.segments import read_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.journal.chain import Link
    from hookline.journal.segments import Segment

_BELIEVED = 1  # days after the previous records
_AT_ONCE = 4  # files removed by age per pass; each new file starts a pass


def select_expired(
    found: Sequence[Segment],
    sizes: Sequence[int],
    today: str,
    keep_days: int,
    keep_bytes: int,
    *,
    asked: bool = False,
) -> list[Segment]:
    """Return the segments to remove: those with only records older than `keep_days`, or beyond `keep_bytes` (0: no limit).

    `asked`: a person asked for it now, so the clock is trusted.
    """
    oldest = _oldest_kept_day(found, today, keep_days, asked=asked)
    total = sum(sizes)
    gone: list[Segment] = []
    # The next segment was begun after the last record of this one.
    for each, following, size in zip(found, found[1:], sizes, strict=False):
        old = following.day < oldest and (asked or len(gone) < _AT_ONCE)
        if not (old or (keep_bytes and total > keep_bytes)):
            break
        gone.append(each)
        total -= size
    return gone


def _oldest_kept_day(found: Sequence[Segment], today: str, keep_days: int, *, asked: bool) -> str:
    """Return the oldest day to keep; the very first one if it cannot be determined, so that nothing expires."""
    if not keep_days:
        return ""
    try:
        day = date.fromisoformat(today)
        if (
            not asked and len(found) > 1
        ):  # the newest segment was begun by the very clock in question
            day = min(day, date.fromisoformat(found[-2].day) + timedelta(days=_BELIEVED))
        return (day - timedelta(days=keep_days)).isoformat()
    except (ValueError, OverflowError):
        return ""


def read_first_link(path: str) -> Link | None:
    """Return the first record of a file; None if no line can be read."""
    for _, line in read_lines(path):
        return read_link(line.rstrip(b"\n"))
    return None
