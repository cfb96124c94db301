"""Retention: which files of a trail are too old or too much. Only whole files go, the oldest first, and never the last.

A clock may be wrong, and what is removed does not come back: so no pass believes that much more time has passed than the
former records show, and none removes many files for their age alone.
"""

from __future__ import annotations

from datetime import date, timedelta

from hookline.journal.chain import read_link
from hookline.journal.reading import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.journal.chain import Link
    from hookline.journal.reading import Segment

_BELIEVED = 1  # days after those of the former records
_AT_ONCE = 4  # files that go for their age in one pass; there is one whenever a file is begun


def too_many(
    found: Sequence[Segment],
    sizes: Sequence[int],
    today: str,
    keep_days: int,
    keep_bytes: int,
    *,
    asked: bool = False,
) -> list[Segment]:
    """The segments to remove: all of whose records are older than `keep_days`, or that are beyond `keep_bytes` (0: no limit).

    `asked`: a person asks for it now, and answers for the clock.
    """
    oldest = _oldest(found, today, keep_days, asked=asked)
    total = sum(sizes)
    gone: list[Segment] = []
    # The next one was begun after the last record of this one.
    for each, following, size in zip(found, found[1:], sizes, strict=False):
        old = following.day < oldest and (asked or len(gone) < _AT_ONCE)
        if not (old or (keep_bytes and total > keep_bytes)):
            break
        gone.append(each)
        total -= size
    return gone


def _oldest(found: Sequence[Segment], today: str, keep_days: int, *, asked: bool) -> str:
    """The oldest day that is kept; the very first one where that cannot be told, so that nothing is too old."""
    if not keep_days:
        return ""
    try:
        day = date.fromisoformat(today)
        if (
            not asked and len(found) > 1
        ):  # the last one has just been begun, by the clock that is in question
            day = min(day, date.fromisoformat(found[-2].day) + timedelta(days=_BELIEVED))
        return (day - timedelta(days=keep_days)).isoformat()
    except (ValueError, OverflowError):
        return ""


def first_link(path: str) -> Link | None:
    """The first record of a file; None where it has none that can be read."""
    for _, line in lines(path):
        return read_link(line.rstrip(b"\n"))
    return None
