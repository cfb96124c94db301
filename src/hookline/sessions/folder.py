"""Folder: one session's files, written under a lock, so that any number of processes may share them and any may be killed.

`state.json` is replaced whole: written beside it, flushed to the disk and renamed. A late answer is a file of its own, renamed
in and claimed by a rename. So a reader sees the former state or the next one, and never half of either.
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
    """A file of a session holds something that nobody here wrote."""


class Folder:
    """One session's folder, locked between entering and leaving; made where it is missing.

    `seconds`: how long the lock is waited for. The lock is on the folder itself, so it ends with the process that holds it.

    Raises, on entering:
        OSError: it cannot be made, is not this user's own, or stays locked (TimeoutError).
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
                continue  # pruned in between
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
            _own(each)

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
        """Whether the folder that is locked is still the one of that name: another process may have removed it."""
        try:
            return os.path.samestat(os.fstat(self._fd), os.lstat(self.path))
        except FileNotFoundError:
            return False

    # -- writing ---------------------------------------------------------------------------------------------------

    def write(self, document: Mapping[str, Any]) -> None:
        """Replace the state.

        Raises:
            OSError: the disk does not take it, or it is larger than what is read again.
        """
        os.close(self._put(STATE, document))

    def add(self, document: Mapping[str, Any], *, wakes: bool) -> None:
        """Add a late answer, after all that are there."""
        os.close(self._put(self._next() + (WAKE if wakes else LATE), document))

    def hold(self, document: Mapping[str, Any]) -> tuple[str, int]:
        """Add a file, and keep it locked until its descriptor is closed, or this process ends; the file and the descriptor."""
        name = self._next() + BEGUN
        return f"{self.path}/{name}", self._put(name, document, locked=True)

    def _next(self) -> str:
        """A name behind all that are there."""
        last = max(files(self.path, LATE, WAKE, BEGUN), default="")
        at = max(time.time_ns(), int(last.partition("-")[0] or 0) + 1)
        return f"{at:020d}-{os.getpid()}"

    def _put(self, name: str, document: Mapping[str, Any], *, locked: bool = False) -> int:
        """Write a file beside its place, and rename it in; its descriptor."""
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
        """Keep a damaged file under a name that nobody reads."""
        os.replace(f"{self.path}/{name}", f"{self.path}/{name}{DAMAGED}")


# -- without a lock ------------------------------------------------------------------------------------------------------


def _own(path: str) -> None:
    """Refuse a folder that somebody else could write to: what is read from it is told to an agent.

    Raises:
        PermissionError: it is another user's, no folder, or open to others.
    """
    found = os.lstat(path)
    if (
        found.st_uid != os.geteuid()
        or not stat.S_ISDIR(found.st_mode)
        or found.st_mode & _OTHERS_WRITE
    ):
        raise PermissionError(errno.EPERM, "it is no folder that only this user can write to", path)


def read(path: str, schema: str = "") -> dict[str, Any]:
    """The object that a file holds, of this schema if it names one; empty where there is no such file.

    Raises:
        OSError: it cannot be read.
        DamagedError: it holds something else.
    """
    try:
        fd = _opened(path)
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


def _opened(path: str) -> int:
    """A descriptor of a plain file that only this user may have written: what is read from it is told to an agent.

    Raises:
        OSError: it is something else, or cannot be opened.
    """
    fd = os.open(
        path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    )  # opening a pipe waits for nobody
    found = os.fstat(fd)
    if (
        found.st_uid != os.geteuid()
        or not stat.S_ISREG(found.st_mode)
        or found.st_mode & _OTHERS_WRITE
    ):
        os.close(fd)
        raise PermissionError(errno.EPERM, "it is no file that only this user can write to", path)
    return fd


def files(path: str, *kinds: str) -> list[str]:
    """The names of a session's files of these kinds, oldest first; none where it has no folder."""
    try:
        names = os.listdir(path)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(name for name in names if name.endswith(kinds))


def abandoned(path: str) -> bool:
    """Whether nobody holds a file any more that somebody did (`Folder.hold`): that process is gone.

    Raises:
        OSError: it cannot be looked at.
    """
    import fcntl  # noqa: PLC0415 - few hooks run in the background

    try:
        fd = _opened(path)
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
    """Take a late answer away, so that nobody else gets it; None where somebody else has.

    Raises:
        OSError: it cannot be taken away, so that it would be told again and again.
        DamagedError: it holds something else; it is gone all the same.
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
