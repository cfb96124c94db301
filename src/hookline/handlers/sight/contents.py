"""Contents: a file's bytes and their digest, read through one descriptor and remembered while nothing about the file changes."""

from __future__ import annotations

import os
import stat
import time

from hookline.model.frozen import Frozen
from hookline.paths import real_path
from hookline.text.digest import new_sha256

LARGEST = 16 << 20  # bytes of a file that are kept in memory, so that they can be run from there
_PART = 1 << 20
_REMEMBERED = 256
_GRAIN = 2 * 10**9  # nanoseconds: the coarsest clock of a file system


class Contents(Frozen):
    """What a file held. `data` is None where it is larger than is kept, and `head` how it begins. `stamp`: its identity and times.

    `settled`: nobody could write it when it was read, and its times were not `young`: while it has them it holds the same.
    """

    real: str
    stamp: tuple[int, ...]
    digest: str
    data: bytes | None
    head: bytes
    modified: float
    exposed: str
    settled: bool = False
    young: bool = False


_known: dict[str, Contents] = {}


def contents(path: str, shelf: str = "") -> Contents | None:
    """The contents of the regular file that a path leads to; None where there is none that can be read.

    `shelf`: the folder where the digests of large files are kept, each for as long as nothing about its file changes.

    A restored mtime hides nothing: the time of the last change (ctime) cannot be set. Whoever writes within the grain of that clock
    does no harm: the bytes returned are those that were hashed, and what is too large to be kept is hashed again when it is copied.
    """
    try:
        real = real_path(path)
        fd = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            return None
        known = _known.get(real)
        if (
            known is not None
            and known.stamp == stamp_of(found)
            and not (shelf and _is_settling(known))
        ):
            return known
        read = (
            _large(fd, real, found, shelf)
            if shelf and found.st_size > LARGEST
            else _read(fd, real, found)
        )
    except OSError:
        return None
    finally:
        os.close(fd)
    if len(_known) >= _REMEMBERED:
        _known.clear()
    _known[real] = read
    return read


def stamp_of(found: os.stat_result) -> tuple[int, ...]:
    """What of a file changes whenever its bytes, its owner or its mode do."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _read(fd: int, real: str, found: os.stat_result) -> Contents:
    digest, length = new_sha256(), 0
    kept: list[bytes] = []
    while part := os.read(fd, _PART):
        digest.update(part)
        length += len(part)
        if length <= LARGEST or not kept:
            kept.append(part)
    data = b"".join(kept) if length <= LARGEST else None
    return Contents(
        real=real, stamp=stamp_of(found), digest=digest.hexdigest(), data=data, head=kept[0] if data is None else data,
        modified=found.st_mtime, exposed=exposure(found, real),
    )  # fmt: skip


def _is_settling(read: Contents) -> bool:
    """Whether the digest of a large file may be kept now, which was too new for that when it was read."""
    return read.data is None and not read.settled and read.young and not is_young(read.stamp)


def is_young(stamp: tuple[int, ...]) -> bool:
    """Whether a file was changed so lately that another change of it may have the same times."""
    return stamp[-1] > time.time_ns() - _GRAIN


def _large(fd: int, real: str, found: os.stat_result, shelf: str) -> Contents:
    from hookline.handlers.sight.shelf import known, put, settled  # noqa: PLC0415 - few files are that large

    digest = known(fd, real, stamp_of(found), shelf)
    if digest:
        head = os.read(fd, _PART)
        return Contents(
            real=real, stamp=stamp_of(found), digest=digest, data=None, head=head, modified=found.st_mtime, exposed=exposure(found, real),
            settled=True,
        )  # fmt: skip
    with settled(fd) as is_settled:
        read = _read(fd, real, found)
        if is_settled and read.stamp == stamp_of(os.fstat(fd)):
            put(real, read.stamp, read.digest, shelf)
            return read.replace(settled=True)
    return read.replace(young=is_young(read.stamp))


def exposure(found: os.stat_result, path: str) -> str:
    """Why somebody but its owner may write a file, in words; empty where nobody may."""
    if found.st_mode & stat.S_IWOTH:
        return f"everybody may write `{path}`"
    if found.st_mode & stat.S_IWGRP and not _is_own_group(found):
        return f"its group may write `{path}`"
    return ""


def _is_own_group(found: os.stat_result) -> bool:
    """Whether a file's group is its owner's alone, as systems with the umask 002 make one for each user."""
    import grp  # noqa: PLC0415 - only where a group may write
    import pwd  # noqa: PLC0415 - as above

    try:
        group, owner = grp.getgrgid(found.st_gid), pwd.getpwuid(found.st_uid)
    except KeyError:
        return False
    return owner.pw_gid == found.st_gid and set(group.gr_mem) <= {owner.pw_name}
