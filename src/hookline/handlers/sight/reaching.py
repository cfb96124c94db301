"""Reaching: what lies on the way to a file, so that whoever leads it elsewhere for a moment, and back, is noticed."""

from __future__ import annotations

import os
import stat

from hookline.handlers.sight.contents import stamp_of

_MOST_LINKS = 40


def way_to(path: str) -> tuple[tuple[int, ...], ...]:
    """Each folder and link on the way to a file, and the file: by what changes when it is moved, led elsewhere, or written.

    Of the file and of links these are all times: to move one changes its ctime, which nobody can set. A folder is told with its
    mtime, for with that its ctime changes whenever something is put beside the file, which is nobody's fault.
    """
    seen: list[tuple[int, ...]] = []
    left, at, links = [*reversed(path.split("/"))], "", 0
    while left:
        name = left.pop()
        if name in ("", "."):
            continue
        if name == "..":
            at = os.path.dirname(at) if at else at
            continue
        try:
            found = os.lstat(f"{at}/{name}")
            target = (
                os.readlink(f"{at}/{name}")
                if stat.S_ISLNK(found.st_mode) and links < _MOST_LINKS
                else None
            )
        except (OSError, ValueError):
            return (*seen, ())
        seen.append(_told(found))
        if target is None:
            at = f"{at}/{name}"
        else:
            links += 1
            left += reversed(target.split("/"))
            at = "" if target.startswith("/") else at
    return tuple(seen)


def _told(found: os.stat_result) -> tuple[int, ...]:
    if stat.S_ISDIR(found.st_mode):
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns
    return stamp_of(found)
