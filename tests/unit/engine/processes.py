"""Processes that should be gone."""

from __future__ import annotations

import os
import time


def ends(pid: int) -> bool:
    """Whether a process that was killed is gone, for which the system may need a moment."""
    until = time.monotonic() + 10
    while _alive(pid) and time.monotonic() < until:
        os.sched_yield()
    return not _alive(pid)


def _alive(pid: int) -> bool:
    """Whether a process still runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):  # the latter where it goes while it is read
        return False
