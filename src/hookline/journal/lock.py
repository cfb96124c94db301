"""Lock: the lock of the log files, on the file `head`, against other threads and other processes.

A process that is stopped while it holds the lock must not stop every hook on this machine, so each waiter gives up in time.
"""

from __future__ import annotations

import fcntl
from time import monotonic, sleep

from hookline.errors import JournalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Lock
    from typing import Protocol

    class Files(Protocol):
        """The part of the log files that the lock uses."""

        folder: str
        head_file: int
        mutex: Lock

        def handle_fork(self) -> None: ...
        def open_head(self) -> None: ...
        def has_current_head(self) -> bool: ...
        def release(self) -> None: ...


BUSY = "journal.busy"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0001, 0.005  # seconds


class JournalLock:
    """Holds the lock within a `with` block. `wait`: seconds before giving up; 0 tries once.

    Raises:
        JournalError: `journal.busy`, another writer holds it for too long; or as `LogFiles.append`.
    """

    def __init__(self, files: Files, wait: float) -> None:
        self.files = files
        self.wait = wait

    def __enter__(self) -> None:
        files = self.files
        files.handle_fork()
        until = monotonic() + self.wait
        if not files.mutex.acquire(timeout=self.wait):
            raise self._busy()
        try:
            while True:
                files.open_head()
                self._lock(until)
                if files.has_current_head():
                    return
                files.release()
        except BaseException:
            files.mutex.release()
            raise

    def _lock(self, until: float) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                fcntl.flock(self.files.head_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if monotonic() >= until:
                    raise self._busy() from None
                sleep(min(pause, max(0.0, until - monotonic())))
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                return

    def __exit__(self, *error: object) -> None:
        fcntl.flock(self.files.head_file, fcntl.LOCK_UN)
        self.files.mutex.release()

    def _busy(self) -> JournalError:
        held = (
            f"has held `{self.files.folder}` for {self.wait:g} s"
            if self.wait
            else f"holds `{self.files.folder}`"
        )
        return JournalError(f"another process {held}", name=BUSY)
