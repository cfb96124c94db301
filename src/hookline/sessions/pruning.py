"""Pruning: sessions that nothing has happened in for long are forgotten, and so are the oldest of too many."""

from __future__ import annotations

import contextlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_DAY = 86_400.0


def prune(base: str, *, now: float, days: float, most: int, spare: str = "") -> list[str]:
    """Remove sessions' folders below `base`; returns the names of those that went.

    `now` in seconds since 1970. A folder goes when nothing in it was added, replaced or taken for `days`, and the oldest go
    while there are more than `most`. One that is locked stays, and so does `spare`.
    """
    ages = sorted((os.stat(path).st_mtime, path) for path in _folders(base) if path != spare)
    beyond = len(ages) + bool(spare) - most
    old = [path for at, (changed, path) in enumerate(ages) if at < beyond or now - changed > days * _DAY]
    return [os.path.basename(path) for path in old if _remove(path)]


def _folders(base: str) -> Iterator[str]:
    with os.scandir(base) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield entry.path


def _remove(path: str) -> bool:
    """Remove a folder while nobody else is at it; whether that was so."""
    import fcntl  # noqa: PLC0415 - as in `folder`

    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # gone already, or not ours
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for name in os.listdir(fd):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=fd)
        os.rmdir(path)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
