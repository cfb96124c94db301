"""Folder: the files of one session, written under a lock.

Any number of processes may share them, and any may be killed.

`state.json` is replaced as a whole: written beside it, flushed to the disk and renamed. So a reader
sees the former state or the next one, never a part of either. A mark is a file that the process of
a hook in the background keeps locked.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import time
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

STATE = "state.json"
_MARK = ".begun"
_MOST_BYTES = 1 << 20
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_PAUSE = 0.002  # seconds, between two tries for the lock
_DAY = 86_400.0  # seconds
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Folder:
    """One session's folder, whether it exists or not. Only `lock` creates it."""

    def __init__(self, path: str) -> None:
        self.path = path

    @contextmanager
    def lock(self, seconds: float) -> Iterator[bool]:
        """Lock the folder within a block.

        Create it if it is missing, and yield whether that was so.

        `seconds`: how long to wait. The lock is on the folder itself, so it ends with the process
            that holds it.

        Raises:
            OSError: it cannot be created, belongs to another user, or stays locked (TimeoutError).
        """
        until = time.monotonic() + seconds
        is_new = False
        while True:
            is_new = _make(self.path) or is_new
            with suppress(FileNotFoundError):  # another process has just removed it
                fd = os.open(self.path, _OPEN_FOLDER)
                try:
                    _wait_for_lock(fd, self.path, until)
                    is_same = os.path.samestat(os.fstat(fd), os.lstat(self.path))
                except BaseException:
                    os.close(fd)
                    raise
                if is_same:
                    break
                os.close(fd)
        try:
            yield is_new
        finally:
            os.close(fd)

    def write(self, document: Mapping[str, Any]) -> None:
        """Replace the state; the folder is locked.

        Raises:
            OSError: the disk refuses it, or it is larger than hookline reads.
        """
        held = json.dumps(document).encode()
        if len(held) > _MOST_BYTES:
            raise OSError(errno.EFBIG, "it would hold more than a session may", self.path)
        temporary = f"{self.path}/{STATE}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        with open(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(held)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, f"{self.path}/{STATE}")

    def read(self, schema: str) -> dict[str, Any]:
        """Return the state; empty if there is none.

        Raises:
            OSError: it cannot be read.
            ValueError: the file contains something else, or an object of another schema.
        """
        try:
            fd = _open_checked(f"{self.path}/{STATE}")
        except (FileNotFoundError, NotADirectoryError):
            return {}
        with open(fd, "rb") as file:
            held = file.read(_MOST_BYTES + 1)
        try:
            document = json.loads(held.decode("utf-8", "surrogatepass"))
        except RecursionError as error:
            raise ValueError(str(error)) from None
        if not isinstance(document, dict) or document.get("schema", schema) != schema:
            raise ValueError(f"it holds no object of the schema `{schema}`")
        return document

    def set_aside(self) -> None:
        """Rename a damaged state, so that hookline no longer reads it; the folder is locked."""
        os.replace(f"{self.path}/{STATE}", f"{self.path}/{STATE}.damaged")

    def make_mark(self, hook_id: str) -> Mark:
        """Mark that a hook runs in the background; the folder is locked.

        Raises:
            OSError: the disk refuses it.
        """
        file = f"{self.path}/{time.time_ns()}-{os.getpid()}{_MARK}"
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(fd, hook_id.encode("utf-8", "surrogatepass"))
        except OSError:
            os.close(fd)
            raise
        return Mark(file, fd)

    def has_marks(self) -> bool:
        """Return whether the folder holds marks."""
        try:
            return any(name.endswith(_MARK) for name in os.listdir(self.path))
        except OSError:
            return False

    def take_lost_marks(self) -> list[str]:
        """Remove the marks whose process is gone; return their hooks, oldest first.

        The folder is locked.

        Raises:
            OSError: a mark cannot be read or removed.
        """
        hooks = []
        for name in sorted(name for name in os.listdir(self.path) if name.endswith(_MARK)):
            with suppress(BlockingIOError, FileNotFoundError):  # its hook runs, or has just ended
                fd = _open_checked(f"{self.path}/{name}")
                try:
                    fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    hook = os.read(fd, _MOST_BYTES).decode("utf-8", "replace")
                finally:
                    os.close(fd)
                os.unlink(f"{self.path}/{name}")
                hooks.append(hook)
        return hooks

    def prune_others(self, *, now: float, days: float, most: int) -> list[str]:
        """Remove other sessions' folders beside this one; return the names of the removed ones.

        `now` in seconds since 1970. A folder goes if nothing in it was added or replaced for
        `days`; the oldest go while there are more than `most`. A locked folder stays.
        """
        others = _list_folders(os.path.dirname(self.path))
        ages = sorted((changed, path) for changed, path in others if path != self.path)
        beyond = len(ages) + 1 - most
        return [
            os.path.basename(path)
            for at, (changed, path) in enumerate(ages)
            if (at < beyond or now - changed > days * _DAY) and _remove(path, changed)
        ]


class Mark:
    """The mark of a hook in the background: a file, and the descriptor by which this process keeps it locked."""

    def __init__(self, file: str, fd: int) -> None:
        self.file = file
        self.fd = fd

    def remove(self) -> None:
        """Remove the mark, because the hook has ended."""
        with suppress(OSError):  # the folder was removed
            os.unlink(self.file)
        os.close(self.fd)


def _make(path: str) -> bool:
    """Create a folder that is missing.

    Refuse one that another user could write to, because an agent reads its content.
    """
    base = os.path.dirname(path)
    os.makedirs(base, 0o700, exist_ok=True)
    try:
        os.mkdir(path, 0o700)
        is_new = True
    except FileExistsError:
        is_new = False
    for each in (base, path):
        _check(os.lstat(each), each, stat.S_ISDIR)
    return is_new


def _check(found: os.stat_result, path: str, is_kind: Any) -> None:
    """Raise PermissionError unless a file is of this kind, and only this user can write to it."""
    if found.st_uid != os.geteuid() or not is_kind(found.st_mode) or found.st_mode & _OTHERS_WRITE:
        kind = "folder" if is_kind is stat.S_ISDIR else "file"
        raise PermissionError(
            errno.EPERM, f"it is not a {kind} that only this user can write to", path
        )


def _wait_for_lock(fd: int, path: str, until: float) -> None:
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                why = "another process keeps it locked"
                raise TimeoutError(errno.ETIMEDOUT, why, path) from None
        time.sleep(_PAUSE)


def _open_checked(path: str) -> int:
    """Open a plain file that only this user may have written, because an agent reads its content.

    Raises:
        OSError: it is something else, or cannot be opened.
    """
    fd = os.open(
        path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    )  # opening a pipe must not wait
    try:
        _check(os.fstat(fd), path, stat.S_ISREG)
    except OSError:
        os.close(fd)
        raise
    return fd


# -- pruning ---------------------------------------------------------------------------------------


def _list_folders(base: str) -> Iterator[tuple[float, str]]:
    """Yield each folder with the time of its last change."""
    with os.scandir(base) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # another process may prune as well
                if entry.is_dir(follow_symlinks=False):
                    yield entry.stat(follow_symlinks=False).st_mtime, entry.path


def _remove(path: str, changed: float) -> bool:
    """Remove a folder if no process uses it and it has not changed since.

    Return whether it was removed.
    """
    try:
        fd = os.open(path, _OPEN_FOLDER)
    except OSError:  # removed already, or not this user's
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_mtime != changed:
            return False
        for name in os.listdir(fd):
            os.unlink(name, dir_fd=fd)
        os.rmdir(path)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
