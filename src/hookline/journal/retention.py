"""Retention: which files of a trail are too old or too much. Only whole files go, the oldest first, and never the last."""

from __future__ import annotations

from datetime import date, timedelta

from hookline.journal.chain import read_link
from hookline.journal.reading import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.journal.chain import Link
    from hookline.journal.reading import Segment


def too_many(found: Sequence[Segment], sizes: Sequence[int], today: str, keep_days: int, keep_bytes: int) -> list[Segment]:
    """The segments to remove: all of whose records are older than `keep_days`, or that are beyond `keep_bytes` (0: no limit)."""
    oldest = (date.fromisoformat(today) - timedelta(days=keep_days)).isoformat() if keep_days else ""
    total = sum(sizes)
    gone: list[Segment] = []
    # The next one was begun after the last record of this one.
    for each, following, size in zip(found, found[1:], sizes, strict=False):
        if not (following.day < oldest or (keep_bytes and total > keep_bytes)):
            break
        gone.append(each)
        total -= size
    return gone


def first_link(path: str) -> Link | None:
    """The first record of a file; None where it has none that can be read."""
    for _, line in lines(path):
        return read_link(line.rstrip(b"\n"))
    return None
