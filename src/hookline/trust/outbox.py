"""Outbox: the notes on what was changed, committed together with it, and handed to a journal afterwards: each at least once.

A change and its note are one transaction of the store, so that no kill is between them. That a note was handed on stands in a file
beside the store, without a transaction of its own: whoever writes to the store next takes such notes out of it. A process that is
killed in between leaves a note that is handed on again, by the same `id`.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import sys
import time

from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.trust.ownership import is_others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from sqlite3 import Connection
    from typing import Any, Self

# Notes that wait at most, where no journal takes them; of older ones their number is told.
MOST = 10_000
LOST = "lost"
_SUFFIX = ".noted"
_OPEN = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LARGEST = 1 << 20  # bytes
_PATIENCE, _ON_A_LOOP, _PAUSE = (
    2.0,
    0.05,
    0.002,
)  # seconds for somebody else who hands notes on; fewer on an event loop


class Note(Frozen):
    """What a journal is to be told of one change. `at`: when that was, in seconds since 1970."""

    id: str
    at: float
    record: Mapping[str, Any]

    def told(self) -> dict[str, Any]:
        """The record as it is handed on."""
        return {**self.record, "id": self.id, "at": self.at}


# -- inside of a transaction -------------------------------------------------------------------------------------------


def put(db: Connection, records: Iterable[Mapping[str, Any]], at: float) -> None:
    """Lay notes down beside what they are about; the oldest give way where too many wait."""
    rows = [(_new_id(), at, json.dumps(record)) for record in records]
    if not rows:
        return
    db.executemany("INSERT INTO notes (id, at, note) VALUES (?, ?, ?)", rows)
    fallen = db.execute(
        "DELETE FROM notes WHERE number BETWEEN 1 AND (SELECT max(number) FROM notes) - ?", (MOST,)
    ).rowcount
    if fallen > 0:
        known = db.execute("SELECT note FROM notes WHERE number = 0").fetchone()
        count = fallen + (json.loads(known[0])["count"] if known else 0)
        record = {"what": LOST, "count": count}
        db.execute(
            "INSERT OR REPLACE INTO notes VALUES (0, ?, ?, ?)", (_new_id(), at, json.dumps(record))
        )


def clear(db: Connection, ids: Collection[str]) -> None:
    """Take notes out that were handed on."""
    db.executemany("DELETE FROM notes WHERE id = ?", [(each,) for each in ids])


def waiting(db: Connection, handed: Collection[str] = ()) -> list[Note]:
    """The notes that wait, the oldest first, less those that were `handed` on."""
    rows = db.execute("SELECT id, at, note FROM notes ORDER BY number").fetchall()
    return [
        Note(id=row[0], at=row[1], record=json.loads(row[2]))
        for row in rows
        if row[0] not in handed
    ]


def _new_id() -> str:
    return os.urandom(8).hex()


# -- beside the store --------------------------------------------------------------------------------------------------


class Handed:
    """The file that says which notes of a store were handed on; locked between entering and leaving, so that nobody else hands one on.

    Raises, on entering:
        TrustError: `trust.exposed`, others may write it.
        OSError: it cannot be made, or stays locked (BlockingIOError).
    """

    def __init__(self, path: str, *, wait: bool = True) -> None:
        self._path = f"{path}{_SUFFIX}"
        self._wait = _patience() if wait else 0.0
        self._fd = -1

    def __enter__(self) -> Self:
        self._fd = os.open(self._path, _OPEN | os.O_CREAT, 0o600)
        try:
            _see(self._path, os.fstat(self._fd))
            self._lock(time.monotonic() + self._wait)
        except BaseException:
            os.close(self._fd)
            raise
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._fd)  # and with it the lock

    def _lock(self, until: float) -> None:
        while True:
            try:
                return fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise
            time.sleep(_PAUSE)

    def ids(self) -> frozenset[str]:
        """The notes that were handed on, and may still lie in the store."""
        return frozenset(os.pread(self._fd, _LARGEST, 0).decode("ascii", "replace").split())

    def add(self, note_id: str) -> None:
        os.write(self._fd, f"{note_id}\n".encode("ascii"))

    def drop(self, ids: Collection[str]) -> None:
        """Forget those that do not lie in the store any more."""
        kept = self.ids() - frozenset(ids)
        os.ftruncate(self._fd, 0)
        if kept:
            os.write(self._fd, "".join(f"{each}\n" for each in sorted(kept)).encode("ascii"))


def handed(path: str) -> frozenset[str]:
    """The notes of a store that were handed on, as far as that is known: none where others may have written so."""
    try:
        fd = os.open(f"{path}{_SUFFIX}", _OPEN)
    except OSError:
        return frozenset()
    try:
        _see(path, os.fstat(fd))
        return frozenset(os.pread(fd, _LARGEST, 0).decode("ascii", "replace").split())
    except (OSError, TrustError):
        return frozenset()
    finally:
        os.close(fd)


def forget(path: str, ids: Collection[str]) -> None:
    """Have the file beside a store forget notes that were taken out of it; where that cannot be done, the next one does it."""
    with contextlib.suppress(OSError, TrustError), Handed(path, wait=False) as known:
        known.drop(ids)


def hand_on(
    path: str,
    notes: Iterable[Note],
    tell: Callable[[dict[str, Any]], object],
    waiting_now: Callable[[], Iterable[Note]],
) -> None:
    """Hand notes on in their order, less those that somebody else handed on meanwhile, until `tell` returns False: it could not be taken.

    `waiting_now`: what lies in the store, asked while nobody else hands anything on: others may have taken out what they handed on.

    Raises:
        TrustError, OSError: as `Handed`.
    """
    with Handed(path) as known:
        done, there = known.ids(), {note.id for note in waiting_now()}
        for note in notes:
            if note.id in done or note.id not in there:
                continue
            if tell(note.told()) is False:
                return
            known.add(note.id)


def _see(path: str, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode) or is_others(found):
        raise TrustError(
            f"`{path}` is somebody else's",
            name="trust.exposed",
            hint="remove it: notes are then handed to the journal again",
        )


def _patience() -> float:
    """Seconds to wait: fewer where an event loop waits for this thread, and everything else with it."""
    asyncio = sys.modules.get("asyncio")
    return (
        _ON_A_LOOP if asyncio is not None and asyncio._get_running_loop() is not None else _PATIENCE
    )
