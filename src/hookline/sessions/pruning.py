"""Pruning: removes sessions without recent activity, and the oldest of too many."""

from __future__ import annotations

import contextlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_DAY = 86_400.0


def prune(base: str, *, now: float, days: float, most: int, spare: str = "") -> list[str]:
    """Remove sessions' folders below `base`; return the names of the removed ones.

    `now` in seconds since 1970. A folder goes if nothing in it was added, replaced or taken for `days`; the oldest go
    while there are more than `most`. A locked folder stays, and so does `spare`.
    """
    ages = sorted((changed, path) for changed, path in _folders(base) if path != spare)
    beyond = len(ages) + bool(spare) - most
    old = [
        (changed, path)
        for at, (changed, path) in enumerate(ages)
        if at < beyond or now - changed > days * _DAY
    ]
    return [os.path.basename(path) for changed, path in old if _remove(path, changed)]


def _folders(base: str) -> Iterator[tuple[float, str]]:
    """Yield each folder with the time of its last change."""
    with os.scandir(base) as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):  # another process may prune as well
                if entry.is_dir(follow_symlinks=False):
                    yield entry.stat(follow_symlinks=False).st_mtime, entry.path


def _remove(path: str, changed: float) -> bool:
    """Remove a folder if no process uses it and it has not changed since; return whether it was removed."""
    import fcntl  # noqa: PLC0415 - as in `folder`

    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # removed already, or not this user's
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_mtime != changed:
            return False
        for name in os.listdir(fd):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=fd)
        os.rmdir(path)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
