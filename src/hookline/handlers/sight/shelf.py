"""Shelf: the digests of large files, from one process to the next, each for as long as nothing about its file changes.

The time of the last change of a file cannot be set, but two changes within the grain of its clock have the same one, and who has the
file open or mapped may write without a new one. So a digest is kept only of a file that nobody could write when it was read, and that
nobody had changed a while before.
"""

from __future__ import annotations

import contextlib
import os
import stat

from hookline.handlers.sealing.lease import is_local, keep
from hookline.handlers.sight.contents import is_young, stamp_of
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def known(fd: int, real: str, stamp: tuple[int, ...], shelf: str) -> str:
    """The digest of a file that has not changed since it was put there; empty where nobody knows."""
    try:
        reader = os.open(_place(real, shelf), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    with open(reader, encoding="ascii", errors="replace") as file:
        found = os.fstat(reader)
        if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return ""
        before, _, digest = file.read(1 << 10).strip().rpartition(" ")
    return digest if before == _told(stamp) and is_local(fd) else ""


@contextlib.contextmanager
def settled(fd: int) -> Iterator[bool]:
    """Whether nobody can write a file in here, and nobody changed it lately."""
    with contextlib.ExitStack() as ours:
        try:
            is_kept = hasattr(os, "memfd_create") and is_local(fd) and keep(fd, ours)
        except OSError:
            is_kept = False
        yield is_kept and not is_young(stamp_of(os.fstat(fd)))


def put(real: str, stamp: tuple[int, ...], digest: str, shelf: str) -> None:
    """Keep a digest, if it can be; else the file is read again the next time."""
    path = _place(real, shelf)
    if not os.path.isdir(
        os.path.dirname(shelf)
    ):  # nobody approved anything here: nothing is made for a look
        return
    with contextlib.suppress(OSError):
        for folder in (shelf, os.path.dirname(path)):  # of each only the last folder gets the mode
            os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(os.path.dirname(path))
        if found.st_uid != os.geteuid() or found.st_mode & 0o077 or not stat.S_ISDIR(found.st_mode):
            return
        beside = f"{path}.{os.urandom(6).hex()}"
        with open(
            os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600),
            "w",
            encoding="ascii",
        ) as file:
            file.write(f"{_told(stamp)} {digest}\n")
        os.replace(beside, path)


def _place(real: str, shelf: str) -> str:
    return f"{shelf}/digests/{sha256(real.encode('utf-8', 'surrogateescape'))[:32]}"


def _told(stamp: tuple[int, ...]) -> str:
    return " ".join(map(str, stamp))
