"""Backlog: what is to be written goes through here, in its order; it waits here while another process holds the trail.

A verdict never depends on the journal: so an event loop hardly waits for the lock, and for some seconds after it was found
held nobody waits for it at all. What waits is written before the next record, and at the end.
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

    from hookline.journal.trail import Trail

_ON_A_LOOP = 0.05  # seconds that an event loop waits at most, and everything else with it
_SPELL = 5.0  # seconds in which a lock that was held is only tried
_MOST = 2000  # records that wait at most, and
_LARGEST = 16 << 20  # characters of them


class Backlog:
    """The one way to a trail; several threads may use it.

    `fell` is told how many records were not written: because they could not be (which is raised as well), or because too many
    others wait, which is `True` then.
    """

    def __init__(
        self,
        trail: Trail,
        fell: Callable[[int, bool], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.trail = trail
        self.fell = fell
        self.clock = clock
        self._batches: list[tuple[Sequence[dict[str, Any]], int]] = []
        self._turn = allocate_lock()
        self._held_until = 0.0
        self._process = os.getpid()

    def write(self, records: Sequence[dict[str, Any]]) -> bool:
        """Write records behind what waits; whether they are written now. On the thread that writes already, where there is one.

        Raises:
            JournalError: `journal.busy`, they wait from now on; or as `Trail.append`, and they are lost.
            OSError, ValueError, TypeError, RecursionError: as `Trail.append`, and they are lost.
        """
        self._look_for_fork()
        self._batches.append((records, 0))
        return self._flush(self._patience())

    def close(self) -> int:
        """Write what waits, for which the lock is waited for once more, and return how many records wait even then. Raises as `write`."""
        self._look_for_fork()
        self._held_until = 0.0
        try:
            done = self._flush(self._patience())
        except JournalError as error:
            if error.name != BUSY:
                raise
            done = False
        return 0 if done else self.waiting

    @property
    def waiting(self) -> int:
        """How many records wait."""
        return sum(len(records) for records, _ in self._batches)

    def _flush(self, wait: float) -> bool:
        """Write what waits; whether it was this thread's turn to do so in time."""
        # Asked again after each turn: somebody may have come in who could not wait for the end of it.
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
            self.trail.append(records, at=records[-1]["at"], wait=wait)
        except BaseException as error:
            if isinstance(error, JournalError) and error.name == BUSY:
                self._held_until = self.clock() + _SPELL
                self._trim()
            else:
                del self._batches[0]
                self.fell(len(records), False)
            raise
        del self._batches[0]
        self._held_until = 0.0

    def _trim(self) -> None:
        """Let the oldest fall out where too many wait."""
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

    def _patience(self) -> float:
        """Seconds to wait now: fewer on the thread of an event loop, none where somebody was found to hold the lock."""
        if self.clock() < self._held_until:
            return 0.0
        asyncio = sys.modules.get("asyncio")
        looping = asyncio is not None and asyncio._get_running_loop() is not None
        return min(self.trail.wait, _ON_A_LOOP) if looping else self.trail.wait

    def _look_for_fork(self) -> None:
        """After a fork, what waits is written by the process in which it happened; and whoever had the turn is not here."""
        if self._process != os.getpid():
            self._process, self._batches, self._turn = os.getpid(), [], allocate_lock()
