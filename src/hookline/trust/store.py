"""Store: approvals, revocations and switches in one SQLite file that only its owner may read, safe at any moment.

A rollback journal, no write-ahead log: it is one file at rest, and its time of change tells running engines that there is
something new. What cannot be read is an error and never an empty store.
"""

from __future__ import annotations

import contextlib
import os
import time

from hookline.errors import TrustError
from hookline.trust.approval import note_of, read, write
from hookline.trust.database import Database
from hookline.trust.schema import NOTES, mark, version_of
from hookline.trust.snapshot import Known, keep, recalled, witness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from sqlite3 import Connection
    from typing import Any

    from hookline.trust.approval import Approval
    from hookline.trust.outbox import Note
    from hookline.trust.snapshot import Witness

_GRAIN = (
    0.05  # seconds; a file that was written this recently may be written again without a new time
)
_MOST_AT_ONCE = 1000  # notes of others that a writer hands on
_KEPT = 30 * 86400.0  # seconds that it is remembered what a session was told


_NOTHING = Known(approvals={})


def store_path(environ: Mapping[str, str]) -> str:
    """Where the user's store lies: below XDG_STATE_HOME, if that is an absolute path."""
    state = environ.get("XDG_STATE_HOME", "")
    base = (
        state
        if os.path.isabs(state)
        else f"{environ.get('HOME') or os.path.expanduser('~')}/.local/state"
    )
    return f"{base}/hookline/trust.db"


class Store:
    """One file of approvals. Every call opens it anew, so that a store is safe to use from any thread and after a fork.

    Each raises TrustError: `trust.store` (no such database, damaged), `trust.newer`, `trust.exposed` (others may write it),
    and, where it writes, `trust.unwritable`. `tell` is given a record of each change once it is committed, and returns False where it
    cannot take it: then that waits, as it does without `tell`, and where this process dies before (`outbox`). `alone`: no other thread of this process uses the same file, and most often it is asked
    once; then a snapshot may answer in the database's place.
    """

    def __init__(
        self,
        path: str,
        *,
        alone: bool = False,
        clock: Callable[[], float] = time.time,
        tell: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        self.path = path
        self.tell = tell
        self._file = Database(path)
        self._alone = alone
        self._clock = clock
        self._read: tuple[tuple[int, ...], Known] | None = None

    # -- reading ---------------------------------------------------------------------------------------------------

    def known(self) -> Known:
        """What is approved, revoked and switched off now. While nobody changes the file, this is one look at its times."""
        stamp = self._file.stamp()
        if stamp is None:
            return _NOTHING
        if self._read is not None and self._read[0] == stamp:
            return self._read[1]
        seen = witness(self.path, stamp) if self._alone else None
        self._alone = False  # what starts threads does so after its first question
        known = recalled(self.path, seen) if seen is not None else None
        if known is None:
            return self._asked(seen)
        self._read = stamp, known
        return known

    def _asked(self, seen: Witness | None) -> Known:
        """What the database says; written down, where it is what was `seen`."""
        now = self._clock()  # before it is read: what is written from then on has a time of its own
        with self._file.opened() as db:
            db.execute("BEGIN")
            version = version_of(db)
            if version == 0:
                return _NOTHING
            approvals: dict[str, dict[str, str]] = {}
            placed: dict[bool, dict[tuple[str, str, str, str], set[str]]] = {True: {}, False: {}}
            for identity, places, content, *at, stands in db.execute(
                "SELECT identity, places, content, root, dialect, file, event, hook <> '' FROM approvals"
            ):
                approvals.setdefault(identity, {})[places] = content
                if at[0]:
                    placed[bool(stands)].setdefault((at[0], at[1], at[2], at[3]), set()).add(
                        identity
                    )
            revoked = frozenset(row[0] for row in db.execute("SELECT identity FROM revocations"))
            off = frozenset(row[0] for row in db.execute("SELECT root FROM switches"))
            single = (
                db.execute("SELECT root, identity FROM hook_switches").fetchall()
                if version > 1
                else ()
            )
            stamp = self._file.stamp()
            db.execute("ROLLBACK")
        declared, replaced = (
            {at: frozenset(each) for at, each in placed[stands].items()} for stands in (True, False)
        )
        known = Known(
            approvals=approvals, revoked=revoked, off=off, hooks_off=frozenset(single), declared=declared, replaced=replaced,
        )  # fmt: skip
        settled = stamp is not None and now - max(stamp[-2:]) / 1e9 > _GRAIN
        self._read = (stamp, known) if stamp is not None and settled else None
        if (
            self._read is not None
            and seen is not None
            and witness(self.path, self._read[0]) == seen
        ):
            keep(self.path, seen, known)
        return known

    def approvals(self) -> tuple[Approval, ...]:
        """Every approval, the latest first."""
        if self._file.stamp() is None:
            return ()
        with self._file.opened() as db:
            return read(db) if version_of(db) else ()

    # -- writing ---------------------------------------------------------------------------------------------------

    def approve(
        self,
        approvals: Sequence[Approval],
        *,
        first_use: bool = False,
        keep_revoked: bool = False,
        replaces: Sequence[str] = (),
        notes: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Approve all of them or none. With `first_use` an approval that is there stays, and so does a revocation, as with `keep_revoked`.

        `replaces`: identities whose place these take; they stay approved, because a branch may bring them back. `notes`: what a journal is told, where that
        is more than they say themselves: a record for each approval, and then one for each that is replaced.
        """
        told = notes or (
            *map(note_of, approvals),
            *({"what": "replaced", "identity": identity} for identity in replaces),
        )
        with self._writing() as db:
            db.executemany(
                "UPDATE approvals SET hook = '' WHERE identity = ?",
                [(identity,) for identity in replaces],
            )
            for one, note in zip(approvals, told, strict=False):
                at = one.at or self._clock()
                if write(db, one.replace(at=at), first_use=first_use, keep_revoked=keep_revoked):
                    _put(db, [note], at)
            _put(db, told[len(approvals) :], self._clock())

    def forget(self, identities: Sequence[str], *, notes: Sequence[Mapping[str, Any]] = ()) -> None:
        """Have no approval of these count any more, without a word that one was taken back. `notes`: as of `approve`."""
        with self._writing() as db:
            db.executemany(
                "DELETE FROM approvals WHERE identity = ?", [(identity,) for identity in identities]
            )
            _put(
                db,
                notes or [{"what": "forgotten", "identity": identity} for identity in identities],
                self._clock(),
            )

    def revoke(
        self,
        identities: Iterable[tuple[str, str]],
        who: str,
        *,
        notes: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Take back every approval of these hooks (each an identity and what it is shown as), and remember that it was so.

        `notes`: as of `approve`.
        """
        hooks, at = list(identities), self._clock()
        with self._writing() as db:
            for identity, command in hooks:
                db.execute("DELETE FROM approvals WHERE identity = ?", (identity,))
                db.execute(
                    "INSERT OR REPLACE INTO revocations VALUES (?, ?, ?, ?)",
                    (identity, command, who, at),
                )
            own = [
                {"what": "revoked", "identity": identity, "command": command, "who": who}
                for identity, command in hooks
            ]
            _put(db, notes or own, at)

    def turn(self, root: str, who: str, *, on: bool, how: str = "") -> None:
        """Turn hooks on or off, for a project folder or, with "", everywhere. Off anywhere is off."""
        at = self._clock()
        with self._writing() as db:
            if on:
                db.execute("DELETE FROM switches WHERE root = ?", (root,))
            else:
                db.execute("INSERT OR REPLACE INTO switches VALUES (?, ?, ?)", (root, who, at))
            mark(db)
            _put(db, [{"what": "on" if on else "off", "root": root, "who": who, "how": how}], at)

    def turn_hooks(
        self,
        root: str,
        hooks: Iterable[tuple[str, str]],
        who: str,
        *,
        on: bool,
        notes: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Turn single hooks (each an identity and what it is shown as) on or off, for a project folder or, with "", everywhere.

        `notes`: as of `approve`.
        """
        meant, at, what = list(hooks), self._clock(), "on" if on else "off"
        with self._writing() as db:
            for identity, command in meant:
                if on:
                    db.execute(
                        "DELETE FROM hook_switches WHERE root = ? AND identity = ?",
                        (root, identity),
                    )
                else:
                    db.execute(
                        "INSERT OR REPLACE INTO hook_switches VALUES (?, ?, ?, ?, ?)",
                        (root, identity, command, who, at),
                    )
            mark(db)
            own = [
                {"what": what, "root": root, "identity": identity, "command": command, "who": who}
                for identity, command in meant
            ]
            _put(db, notes or own, at)

    def told(self, session: str, what: str) -> bool:
        """Remember that a session was told something; whether it had been told before."""
        now = self._clock()
        if self._is_told(
            session, what
        ):  # most often; to write costs more, and makes every reader read anew
            return True
        with self._writing() as db:
            db.execute("DELETE FROM told WHERE at < ?", (now - _KEPT,))
            return (
                db.execute(
                    "INSERT OR IGNORE INTO told VALUES (?, ?, ?)", (session, what, now)
                ).rowcount
                == 0
            )

    def _is_told(self, session: str, what: str) -> bool:
        if self._file.stamp() is None:
            return False
        with self._file.opened() as db:
            asked = "SELECT 1 FROM told WHERE session = ? AND what = ?"
            return version_of(db) > 0 and db.execute(asked, (session, what)).fetchone() is not None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        """One transaction, after which whoever keeps a journal is told of it, and of what others left behind."""
        from hookline.trust import outbox  # noqa: PLC0415 - few events change anything

        handed = outbox.handed(self.path)
        left: list[Note] = []
        with self._file.writing() as db:
            outbox.clear(db, handed)
            yield db
            if self.tell is not None:
                left = outbox.waiting(db)[:_MOST_AT_ONCE]
        if handed:
            outbox.forget(self.path, handed)
        if left and self.tell is not None:
            with contextlib.suppress(
                OSError, TrustError
            ):  # it is done, and told by whoever comes next
                outbox.hand_on(self.path, left, self.tell, self.waiting)

    # -- notes -----------------------------------------------------------------------------------------------------

    def waiting(self) -> tuple[Note, ...]:
        """The notes that no journal took yet: somebody was killed before he handed them on, or there was none that could take them."""
        from hookline.trust import outbox  # noqa: PLC0415 - as above

        if self._file.stamp() is None:
            return ()
        with self._file.opened() as db:
            return (
                tuple(outbox.waiting(db, outbox.handed(self.path)))
                if version_of(db) >= NOTES
                else ()
            )

    def hand_on(self) -> int:
        """Hand on what was left behind; how many notes are left even then."""
        from hookline.trust import outbox  # noqa: PLC0415 - as above

        left = self.waiting()
        if not left or self.tell is None:
            return len(left)
        with contextlib.suppress(OSError):  # somebody else is at it, or nothing can be written
            outbox.hand_on(self.path, left, self.tell, self.waiting)
        return len(self.waiting())


def _put(db: Connection, records: Iterable[Mapping[str, Any]], at: float) -> None:
    from hookline.trust.outbox import put  # noqa: PLC0415 - as above

    put(db, records, at)
