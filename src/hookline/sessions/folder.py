"""Folder: the files of one session, written under a lock. Any number of processes may share them, and any may be killed.

`state.json` is replaced as a whole: written beside it, flushed to the disk and renamed. A late answer is a file of its own,
renamed in and claimed by a rename. So a reader sees the former state or the next one, never a part of either.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self

STATE = "state.json"
LATE, WAKE, BEGUN = ".late", ".wake", ".begun"
DAMAGED = ".damaged"
_TAKEN = ".taken"
_TEMPORARY = ".tmp"
_MOST_BYTES = 1 << 20
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_PAUSE = 0.002  # seconds, between two tries for the lock


class DamagedError(ValueError):
    """A file of a session has content that hookline did not write."""


class Folder:
    """One session's folder, locked within a `with` block; created if it is missing.

    `seconds`: how long to wait for the lock. The lock is on the folder itself, so it ends with the process that holds it.

    Raises, on entering:
        OSError: it cannot be created, belongs to another user, or stays locked (TimeoutError).
    """

    def __init__(
        self, path: str, seconds: float, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self.path = path
        self.made = False
        self._seconds = seconds
        self._sleep = sleep
        self._fd = -1

    def __enter__(self) -> Self:
        until = time.monotonic() + self._seconds
        while True:
            try:
                self._make()
                self._fd = os.open(
                    self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
                )
            except FileNotFoundError:
                if time.monotonic() >= until:
                    raise
                continue  # removed by pruning in between
            try:
                self._lock(until)
                if self._is_there():
                    return self
            except BaseException:
                os.close(self._fd)
                raise
            os.close(self._fd)

    def __exit__(self, *error: object) -> None:
        os.close(self._fd)  # and with it the lock

    def _make(self) -> None:
        base = os.path.dirname(self.path)
        if not os.path.isdir(base):
            os.makedirs(base, 0o700, exist_ok=True)
        try:
            os.mkdir(self.path, 0o700)
            self.made = True
        except FileExistsError:
            pass
        for each in (base, self.path):
            _check_owner(each)

    def _lock(self, until: float) -> None:
        import fcntl  # noqa: PLC0415 - an event without state needs no lock

        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise TimeoutError(
                        errno.ETIMEDOUT, "another process keeps it locked", self.path
                    ) from None
                self._sleep(_PAUSE)
            else:
                return

    def _is_there(self) -> bool:
        """Return whether the locked folder still has its name: another process may have removed it."""
        try:
            return os.path.samestat(os.fstat(self._fd), os.lstat(self.path))
        except FileNotFoundError:
            return False

    # -- writing ---------------------------------------------------------------------------------------------------

    def write(self, document: Mapping[str, Any]) -> None:
        """Replace the state.

        Raises:
            OSError: the disk refuses it, or it is larger than hookline reads.
        """
        os.close(self._put(STATE, document))

    def add(self, document: Mapping[str, Any], *, wakes: bool) -> None:
        """Add a late answer, after all existing ones."""
        os.close(self._put(self._next() + (WAKE if wakes else LATE), document))

    def hold(self, document: Mapping[str, Any]) -> tuple[str, int]:
        """Add a file and keep it locked until its descriptor is closed, or this process ends; return the file and the descriptor."""
        name = self._next() + BEGUN
        return f"{self.path}/{name}", self._put(name, document, locked=True)

    def _next(self) -> str:
        """Return a name that sorts after all existing ones."""
        last = max(list_files(self.path, LATE, WAKE, BEGUN), default="")
        at = max(time.time_ns(), int(last.partition("-")[0] or 0) + 1)
        return f"{at:020d}-{os.getpid()}"

    def _put(self, name: str, document: Mapping[str, Any], *, locked: bool = False) -> int:
        """Write a file beside its place, rename it in, and return its descriptor."""
        import fcntl  # noqa: PLC0415 - as above

        held = json.dumps(document).encode()
        if len(held) > _MOST_BYTES:
            raise OSError(
                errno.EFBIG, "it would hold more than a session may", f"{self.path}/{name}"
            )
        temporary = f"{self.path}/{name}.{os.getpid()}{_TEMPORARY}"
        fd = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        try:
            if locked:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with open(fd, "wb", closefd=False) as file:
                file.write(held)
            os.fsync(fd)
            os.rename(temporary, f"{self.path}/{name}")
        except BaseException:
            os.close(fd)
            os.unlink(temporary)
            raise
        return fd

    def set_aside(self, name: str) -> None:
        """Rename a damaged file, so that hookline no longer reads it."""
        os.replace(f"{self.path}/{name}", f"{self.path}/{name}{DAMAGED}")


# -- without a lock ------------------------------------------------------------------------------------------------------


def _check_owner(path: str) -> None:
    """Refuse a folder that another user could write to, because an agent is told its content.

    Raises:
        PermissionError: it belongs to another user, is not a folder, or is open to others.
    """
    found = os.lstat(path)
    if (
        found.st_uid != os.geteuid()
        or not stat.S_ISDIR(found.st_mode)
        or found.st_mode & _OTHERS_WRITE
    ):
        raise PermissionError(
            errno.EPERM, "it is not a folder that only this user can write to", path
        )


def read(path: str, schema: str = "") -> dict[str, Any]:
    """Return the object in a file, which must have this schema if one is given; empty if there is no such file.

    Raises:
        OSError: it cannot be read.
        DamagedError: it contains something else.
    """
    try:
        fd = _open_checked(path)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    with open(fd, "rb") as file:
        held = file.read(_MOST_BYTES + 1)
    try:
        document = (
            json.loads(held.decode("utf-8", "surrogatepass")) if len(held) <= _MOST_BYTES else None
        )
    except (ValueError, RecursionError) as error:
        raise DamagedError(str(error)) from None
    if not isinstance(document, dict):
        raise DamagedError("it holds no object, or too much")
    if schema and document.get("schema", schema) != schema:
        raise DamagedError(f"its schema is not `{schema}`")
    return document


def _open_checked(path: str) -> int:
    """Open a plain file that only this user may have written, because an agent is told its content.

    Raises:
        OSError: it is something else, or cannot be opened.
    """
    fd = os.open(
        path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    )  # opening a pipe must not wait
    found = os.fstat(fd)
    if (
        found.st_uid != os.geteuid()
        or not stat.S_ISREG(found.st_mode)
        or found.st_mode & _OTHERS_WRITE
    ):
        os.close(fd)
        raise PermissionError(
            errno.EPERM, "it is not a file that only this user can write to", path
        )
    return fd


def list_files(path: str, *kinds: str) -> list[str]:
    """Return the names of a session's files of these kinds, oldest first; none if it has no folder."""
    try:
        names = os.listdir(path)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(name for name in names if name.endswith(kinds))


def is_abandoned(path: str) -> bool:
    """Return whether the process that held a file (`Folder.hold`) is gone.

    Raises:
        OSError: the file cannot be checked.
    """
    import fcntl  # noqa: PLC0415 - few hooks run in the background

    try:
        fd = _open_checked(path)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True


def claim(path: str, name: str) -> dict[str, Any] | None:
    """Take a late answer away, so that no other process gets it; None if another process has it.

    Raises:
        OSError: it cannot be removed, so it would be delivered again and again.
        DamagedError: it contains something else; it is removed anyway.
    """
    taken = f"{path}/{name}.{os.getpid()}{_TAKEN}"
    try:
        os.rename(f"{path}/{name}", taken)
    except FileNotFoundError:
        return None
    try:
        return read(taken)
    finally:
        os.unlink(taken)
