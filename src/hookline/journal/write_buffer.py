"""Write buffer: passes records to the log files in order, and holds them while another process has the lock.

A verdict never depends on the journal. So an event loop waits only briefly for the lock. After the
lock was found taken, no writer waits for it for some seconds. Buffered records are written before
the next one, and when the journal closes.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from time import monotonic

from hookline.errors import JournalError
from hookline.journal.log_files import BUSY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hookline.journal.log_files import LogFiles

_ON_A_LOOP = 0.05  # seconds that an event loop waits at most
_SPELL = 5.0  # seconds during which hookline only tries a lock that was taken
_MOST = 2000  # the most records in the buffer


class WriteBuffer:
    """The only way to the log files; several threads may use it.

    `lose` receives the number of records that are lost, and True if the buffer was full. If they
    could not be written, the error is raised as well.
    """

    def __init__(
        self,
        files: LogFiles,
        lose: Callable[[int, bool], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.files = files
        self.lose = lose
        self.clock = clock
        self._batches: list[Sequence[dict[str, Any]]] = []
        self._turn = allocate_lock()
        self._held_until = 0.0
        self._process = os.getpid()

    def write(self, records: Sequence[dict[str, Any]]) -> bool:
        """Write records after the buffered ones; return whether they are written now. If a thread is already writing, it writes these too.

        Raises:
            JournalError: `journal.busy`, the records stay in the buffer; or as `LogFiles.append`,
                and they are lost.
            OSError, ValueError, TypeError, RecursionError: as `LogFiles.append`, and they are lost.
        """
        if self._process != os.getpid():
            # The parent of a fork writes its own records, and the thread that had the turn does not
            # exist here.
            self._process, self._batches, self._turn = os.getpid(), [], allocate_lock()
        if records:
            self._batches.append(records)
        wait = self._wait_seconds()
        # Repeated after each turn: another thread may have added records without waiting.
        while self._batches:
            if not self._turn.acquire(timeout=wait):
                self._held_until = self.clock() + _SPELL
                return False
            try:
                while self._batches:
                    self._write_oldest(wait)
            finally:
                self._turn.release()
        return True

    def close(self) -> bool:
        """Write the buffered records, waiting once more for the lock, and close the files; return whether none are left.

        Raises as `write`, but not `journal.busy`.
        """
        self._held_until = 0.0
        try:
            return self.write(())
        except JournalError as error:
            if error.name != BUSY:
                raise
            return False
        finally:
            if self._turn.acquire(timeout=self.files.wait):
                self.files.close()
                self._turn.release()

    @property
    def count_waiting(self) -> int:
        """Return how many records are in the buffer."""
        return sum(map(len, self._batches))

    def _write_oldest(self, wait: float) -> None:
        records = self._batches[0]
        try:
            self.files.append(records, at=records[-1]["at"], wait=wait)
        except BaseException as error:
            if isinstance(error, JournalError) and error.name == BUSY:
                self._held_until = self.clock() + _SPELL
                while self.count_waiting > _MOST:
                    self.lose(len(self._batches.pop(0)), True)
            else:
                self.lose(len(self._batches.pop(0)), False)
            raise
        del self._batches[0]
        self._held_until = 0.0

    def _wait_seconds(self) -> float:
        """Return how many seconds to wait now: fewer on an event loop's thread, none after the lock was found taken."""
        if self.clock() < self._held_until:
            return 0.0
        asyncio = sys.modules.get("asyncio")
        is_on_loop = asyncio is not None and asyncio._get_running_loop() is not None
        return min(self.files.wait, _ON_A_LOOP) if is_on_loop else self.files.wait
