"""Lease: a program as the file that it is, which nobody can open for writing while it runs: it finds what lies beside itself.

The kernel takes a descriptor of the file for the file: `/proc/self/exe` and `$ORIGIN` are what they are without us. A read lease keeps
writers out until the program is run, and from then on its being run does.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from hookline.handlers.sight.contents import stamp_of
from hookline.text.digest import new_sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.sight import Piece

_PART = 1 << 20
# File systems without a device of their own on which nobody writes but through this kernel.
_LOCAL = frozenset({"aufs", "bcachefs", "btrfs", "overlay", "ramfs", "rootfs", "tmpfs", "zfs"})
# Why a lease is refused although nobody writes the file: it is another user's, or its file system has none.
_NONE_TO_HAVE = (errno.EACCES, errno.EINVAL)


def itself(piece: Piece, lasting: contextlib.ExitStack) -> int | None:
    """A descriptor of the program's file, if that is what was looked at, and stays that until `lasting` is closed; else None."""
    with contextlib.ExitStack() as ours:
        try:
            fd = os.open(piece.real, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
            ours.callback(os.close, fd)
            if not (is_local(fd) and keep(fd, ours) and _holds(fd, piece)):
                return None
            # The program inherits this one, which has no lease: whatever becomes of us, the lease ends with us.
            reader = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        lasting.push(ours.pop_all())
        return reader


def keep(fd: int, ours: contextlib.ExitStack) -> bool:
    """Whether nobody can write a file until `ours` is closed: by a lease, or because it is root's, against whom nothing helps."""
    import fcntl  # noqa: PLC0415 - only verified programs need it
    import signal  # noqa: PLC0415 - as above

    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        # The signal by which a lease is called back kills, unless it is one that nobody minds.
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        found = os.fstat(fd)
        return (
            error.errno in _NONE_TO_HAVE
            and found.st_uid == 0
            and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        )
    ours.callback(_give_back, fd)
    return True


def _give_back(fd: int) -> None:
    import fcntl  # noqa: PLC0415 - as above

    # Whoever was forked at this moment has the descriptor for a moment too: to close it would not be enough.
    with contextlib.suppress(
        OSError
    ):  # the kernel took it, as it does where a writer waited for too long
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def is_local(fd: int) -> bool:
    """Whether it is a file that is written through this kernel only: a server, or a program that plays file system, asks no lease."""
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        return False
    if os.major(found.st_dev):
        return True
    with open(f"/proc/self/fdinfo/{fd}", encoding="ascii") as file:
        mount = next((line.split()[1] for line in file if line.startswith("mnt_id:")), "")
    with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
        kinds = (
            line.rpartition(" - ")[2].split() for line in file if line.split(None, 1)[0] == mount
        )
        return any(kind[:1] and kind[0] in _LOCAL for kind in kinds)


def _holds(fd: int, piece: Piece) -> bool:
    """Whether a file that is kept holds just what was looked at."""
    if piece.stamp and piece.stamp == stamp_of(os.fstat(fd)):
        return True
    left, digest = memoryview(piece.data), new_sha256()
    while part := os.read(fd, _PART):
        if piece.source:
            digest.update(part)
            continue
        if left[: len(part)] != part:
            return False
        left = left[len(part) :]
    return digest.hexdigest() == piece.digest if piece.source else not left
