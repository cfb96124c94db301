"""Database: the file of a store, which only its owner may read or write, opened anew for each transaction."""

from __future__ import annotations

import contextlib
import os
import stat
import time

from hookline.errors import TrustError
from hookline.trust.ownership import damaged, is_others, own_file, own_folder, unwritable
from hookline.trust.schema import check, lift
from hookline.trust.snapshot import BESIDE, stamp_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from sqlite3 import Connection

# Seconds for another process that holds the lock. A host waits for a reader, and a writer waits for fsync.
_WAIT_TO_READ, _WAIT_TO_WRITE = 1.0, 3.0
# Seconds in which no reader of this process waits again for a file that stayed locked while one waited.
_WITHOUT_WAIT = 30.0
# Path of a file -> when a reader of this process waited for it to no avail, on the monotonic clock.
_LOCKED: dict[str, float] = {}


class Database:
    """The file at a path. Each raises TrustError, as a store does."""

    def __init__(self, path: str) -> None:
        self.path = path

    def stamp(self) -> tuple[int, ...] | None:
        """What changes when the file does; None where there is none."""
        try:
            own_folder(os.path.dirname(self.path) or ".")
            found = os.lstat(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise damaged(self.path, (error.strerror or "unreadable").lower()) from None
        if not stat.S_ISREG(found.st_mode):
            raise damaged(self.path, "it is no plain file")
        if is_others(found):
            raise TrustError(
                f"others may write the approvals in `{self.path}`",
                name="trust.exposed",
                hint=f"chmod 600 {self.path}, and look through them",
            )
        return stamp_of(found)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: all of it is on the disk when this ends without an error, and nothing of it otherwise."""
        self._made()
        with self.opened(_WAIT_TO_WRITE) as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                lift(db)
                yield db
                db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(Exception):
                    db.execute("ROLLBACK")
                raise

    def _made(self) -> None:
        """See that there is a file, which nobody else may read from its first moment on."""
        if self.stamp() is not None:
            return
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:  # somebody else was quicker
            pass
        except OSError as error:
            raise unwritable(self.path, (error.strerror or "unwritable").lower()) from None

    @contextlib.contextmanager
    def opened(self, wait: float | None = None) -> Iterator[Connection]:
        """Yield a connection to the file.

        `wait`: seconds for another process that holds the lock. A reader has none of its own: it waits for one second, and
        for none where a reader of this process has just waited, so that one command waits once, however often it reads.
        """
        import sqlite3  # noqa: PLC0415 - 8 ms that only a hook pays which needs an approval

        # What lies beside it is played back into it when it is opened, so it must be as much our own.
        for beside in BESIDE:
            own_file(f"{self.path}{beside}")
        try:
            db = sqlite3.connect(
                f"file:{_quoted(self.path)}?mode=rw",
                uri=True,
                timeout=seconds_to_wait(self.path) if wait is None else wait,
                isolation_level=None,
                check_same_thread=False,
            )
        except sqlite3.Error as error:
            raise damaged(self.path, str(error)) from None
        try:
            # EXTRA: the folder, too, is on the disk before a commit is told to have happened.
            db.execute("PRAGMA synchronous = EXTRA")
            check(db, self.path)
            _LOCKED.pop(self.path, None)
            yield db
        except sqlite3.OperationalError as error:
            told = str(error)
            if wait is None and "locked" in told:
                _LOCKED.setdefault(self.path, time.monotonic())
            if any(
                word in told
                for word in (
                    "readonly",
                    "locked",
                    "busy",
                    "disk is full",
                    "disk I/O",
                    "unable to open",
                )
            ):
                raise unwritable(self.path, told) from None
            raise damaged(self.path, told) from None
        except sqlite3.Error as error:
            raise damaged(self.path, str(error)) from None
        finally:
            db.close()


def seconds_to_wait(path: str) -> float:
    """Return how long a reader waits for a file, in seconds; 0 where one of this process has just waited for it."""
    if time.monotonic() - _LOCKED.get(path, float("-inf")) < _WITHOUT_WAIT:
        return 0.0
    _LOCKED.pop(path, None)
    return _WAIT_TO_READ


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
