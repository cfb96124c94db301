"""Contents: a file's bytes and their digest, read through one descriptor and remembered while nothing about the file changes."""

from __future__ import annotations

import os
import stat

from hookline.model.frozen import Frozen
from hookline.text.digest import hashing

LARGEST = 16 << 20  # bytes of a file that are kept in memory, so that they can be run from there
_PART = 1 << 20
_REMEMBERED = 256


class Contents(Frozen):
    """What a file held. `data` is None where it is larger than is kept, and `head` how it begins. `stamp`: its identity and times."""

    real: str
    stamp: tuple[int, ...]
    digest: str
    data: bytes | None
    head: bytes
    modified: float
    exposed: str


_known: dict[str, Contents] = {}


def contents(path: str) -> Contents | None:
    """The contents of the regular file that a path leads to; None where there is none that can be read.

    A restored mtime hides nothing: the time of the last change (ctime) cannot be set. Whoever writes within the grain of that clock
    does no harm: the bytes returned are those that were hashed, and what is too large to be kept is hashed again when it is copied.
    """
    try:
        real = os.path.realpath(path)
        fd = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            return None
        known = _known.get(real)
        if known is not None and known.stamp == stamp_of(found):
            return known
        read = _read(fd, real, found)
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
    digest, length = hashing(), 0
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
