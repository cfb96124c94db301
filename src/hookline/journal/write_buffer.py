"""Write buffer: passes records to the log files in order, and holds them while another process has the lock.

A verdict never depends on the journal. So an event loop waits only briefly for the lock. After the lock was found taken, no writer
waits for it for some seconds. Buffered records are written before the next one, and when the journal closes.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from time import monotonic

from hookline.errors import JournalError
from hookline.journal.lock import BUSY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hookline.journal.log_files import LogFiles

_ON_A_LOOP = 0.05  # seconds that an event loop waits at most
_SPELL = 5.0  # seconds during which hookline only tries a lock that was taken
_MOST = 2000  # the most records in the buffer, and
_LARGEST = 16 << 20  # the most characters of them


class WriteBuffer:
    """The only way to the log files; several threads may use it.

    `fell` receives the number of records that are lost, and True if the buffer was full. If they could not be written, the error is
    raised as well.
    """

    def __init__(
        self,
        files: LogFiles,
        fell: Callable[[int, bool], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.files = files
        self.fell = fell
        self.clock = clock
        self._batches: list[tuple[Sequence[dict[str, Any]], int]] = []
        self._turn = allocate_lock()
        self._held_until = 0.0
        self._process = os.getpid()

    def write(self, records: Sequence[dict[str, Any]]) -> bool:
        """Write records after the buffered ones; return whether they are written now. If a thread is already writing, it writes these too.

        Raises:
            JournalError: `journal.busy`, the records stay in the buffer; or as `LogFiles.append`, and they are lost.
            OSError, ValueError, TypeError, RecursionError: as `LogFiles.append`, and they are lost.
        """
        self._handle_fork()
        self._batches.append((records, 0))
        return self._flush(self._wait_seconds())

    def close(self) -> int:
        """Write the buffered records, waiting once more for the lock; return how many are left. Raises as `write`."""
        self._handle_fork()
        self._held_until = 0.0
        try:
            done = self._flush(self._wait_seconds())
        except JournalError as error:
            if error.name != BUSY:
                raise
            done = False
        return 0 if done else self.count_waiting

    @property
    def count_waiting(self) -> int:
        """Return how many records are in the buffer."""
        return sum(len(records) for records, _ in self._batches)

    def _flush(self, wait: float) -> bool:
        """Write the buffered records; return False if another thread had the turn for too long."""
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

    def _write_oldest(self, wait: float) -> None:
        records, _ = self._batches[0]
        try:
            self.files.append(records, at=records[-1]["at"], wait=wait)
        except BaseException as error:
            if isinstance(error, JournalError) and error.name == BUSY:
                self._held_until = self.clock() + _SPELL
                self._drop_oldest()
            else:
                del self._batches[0]
                self.fell(len(records), False)
            raise
        del self._batches[0]
        self._held_until = 0.0

    def _drop_oldest(self) -> None:
        """Drop the oldest records if the buffer is full."""
        count = size = 0
        for at in range(len(self._batches) - 1, -1, -1):
            records, known = self._batches[at]
            self._batches[at] = records, known or len(repr(records))
            count, size = count + len(records), size + self._batches[at][1]
            if count > _MOST or size > _LARGEST:
                fallen = sum(len(records) for records, _ in self._batches[: at + 1])
                del self._batches[: at + 1]
                self.fell(fallen, True)
                return

    def _wait_seconds(self) -> float:
        """Return how many seconds to wait now: fewer on an event loop's thread, none after the lock was found taken."""
        if self.clock() < self._held_until:
            return 0.0
        asyncio = sys.modules.get("asyncio")
        looping = asyncio is not None and asyncio._get_running_loop() is not None
        return min(self.files.wait, _ON_A_LOOP) if looping else self.files.wait

    def _handle_fork(self) -> None:
        """Start empty after a fork: the parent writes its own records, and the thread that had the turn does not exist here."""
        if self._process != os.getpid():
            self._process, self._batches, self._turn = os.getpid(), [], allocate_lock()
