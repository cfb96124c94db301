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
    ages = sorted((changed, path) for changed, path in _folders(base) if path != spare)
    beyond = len(ages) + bool(spare) - most
    old = [
        (changed, path)
        for at, (changed, path) in enumerate(ages)
        if at < beyond or now - changed > days * _DAY
    ]
    return [os.path.basename(path) for changed, path in old if _remove(path, changed)]


def _folders(base: str) -> Iterator[tuple[float, str]]:
    """Each folder, with when something in it was last added, replaced or taken."""
    with os.scandir(base) as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):  # another process prunes as well
                if entry.is_dir(follow_symlinks=False):
                    yield entry.stat(follow_symlinks=False).st_mtime, entry.path


def _remove(path: str, changed: float) -> bool:
    """Remove a folder while nobody else is at it, and if nothing happened since it `changed`; whether that was so."""
    import fcntl  # noqa: PLC0415 - as in `folder`

    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # gone already, or not ours
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
