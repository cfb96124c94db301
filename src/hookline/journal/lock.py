"""Lock: the lock of a trail, on its file `head`: against other threads, and against other processes.

A process that was stopped while it held the lock must not stop every hook on this machine: whoever waits gives up in time.
"""

from __future__ import annotations

import fcntl
from time import monotonic, sleep

from hookline.errors import JournalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Lock
    from typing import Protocol

    class Trail(Protocol):
        """The files of a journal, as far as their lock needs them."""

        folder: str
        head_file: int
        mutex: Lock

        def look_for_fork(self) -> None: ...
        def open_head(self) -> None: ...
        def holds_head(self) -> bool: ...
        def give_back(self) -> None: ...


BUSY = "journal.busy"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0001, 0.005  # seconds


class Locked:
    """The lock, for the length of a `with`. `wait`: seconds after which it is given up; 0: it is tried once.

    Raises:
        JournalError: `journal.busy`, somebody else holds it for too long; or as `Trail.append`.
    """

    def __init__(self, trail: Trail, wait: float) -> None:
        self.trail = trail
        self.wait = wait

    def __enter__(self) -> None:
        trail = self.trail
        trail.look_for_fork()
        until = monotonic() + self.wait
        if not trail.mutex.acquire(timeout=self.wait):
            raise self._busy()
        try:
            while True:
                trail.open_head()
                self._lock(until)
                if trail.holds_head():
                    return
                trail.give_back()
        except BaseException:
            trail.mutex.release()
            raise

    def _lock(self, until: float) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                fcntl.flock(self.trail.head_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if monotonic() >= until:
                    raise self._busy() from None
                sleep(min(pause, max(0.0, until - monotonic())))
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                return

    def __exit__(self, *error: object) -> None:
        fcntl.flock(self.trail.head_file, fcntl.LOCK_UN)
        self.trail.mutex.release()

    def _busy(self) -> JournalError:
        held = (
            f"has held `{self.trail.folder}` for {self.wait:g} s"
            if self.wait
            else f"holds `{self.trail.folder}`"
        )
        return JournalError(f"another process {held}", name=BUSY)
