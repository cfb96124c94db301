"""Store: approvals, revocations and switches in one SQLite file that only its owner may read, safe at any moment.

A rollback journal, no write-ahead log: it is one file at rest, and its time of change tells running engines that there is
something new. What cannot be read is an error and never an empty store.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time

from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.trust.ownership import damaged, is_others, own_file, own_folder, unwritable
from hookline.trust.schema import check, lift, mark, version_of
from hookline.trust.snapshot import BESIDE, Known, keep, recalled, stamp_of, witness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from sqlite3 import Connection

    from hookline.trust.fingerprint import Fingerprint
    from hookline.trust.snapshot import Witness

_WAIT = 10.0  # seconds for another writer
_GRAIN = 0.05  # seconds; a file that was written this recently may be written again without a new time
_KEPT = 30 * 86400.0  # seconds that it is remembered what a session was told


class Approval(Frozen):
    """One approval, with what a person wants to know of it. `at`: seconds since 1970; the store's clock fills it in.

    `command`: what is run, as it is shown. `file`: where it was declared. `how`: for example "command line" or "first use".
    """

    print: Fingerprint
    root: str = ""
    dialect: str = ""
    event: str = ""
    command: str = ""
    file: str = ""
    hook: str = ""
    covers: tuple[str, ...] = ()
    who: str = ""
    how: str = ""
    at: float = 0.0


_NOTHING = Known(approvals={})


def store_path(environ: Mapping[str, str]) -> str:
    """Where the user's store lies: below XDG_STATE_HOME, if that is an absolute path."""
    state = environ.get("XDG_STATE_HOME", "")
    base = state if os.path.isabs(state) else f"{environ.get('HOME') or os.path.expanduser('~')}/.local/state"
    return f"{base}/hookline/trust.db"


class Store:
    """One file of approvals. Every call opens it anew, so that a store is safe to use from any thread and after a fork.

    Each raises TrustError: `trust.store` (no such database, damaged), `trust.newer`, `trust.exposed` (others may write it),
    and, where it writes, `trust.unwritable`. `alone`: no other thread of this process uses the same file, and most often it is asked
    once; then a snapshot may answer in the database's place.
    """

    def __init__(self, path: str, *, alone: bool = False, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._alone = alone
        self._clock = clock
        self._read: tuple[tuple[int, ...], Known] | None = None

    # -- reading ---------------------------------------------------------------------------------------------------

    def known(self) -> Known:
        """What is approved, revoked and switched off now. While nobody changes the file, this is one look at its times."""
        stamp = self._stamp()
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
        with self._opened() as db:
            db.execute("BEGIN")
            version = version_of(db)
            if version == 0:
                return _NOTHING
            approvals: dict[str, dict[str, str]] = {}
            for identity, places, content in db.execute("SELECT identity, places, content FROM approvals"):
                approvals.setdefault(identity, {})[places] = content
            revoked = frozenset(row[0] for row in db.execute("SELECT identity FROM revocations"))
            off = frozenset(row[0] for row in db.execute("SELECT root FROM switches"))
            single = db.execute("SELECT root, identity FROM hook_switches").fetchall() if version > 1 else ()
            stamp = self._stamp()
            db.execute("ROLLBACK")
        known = Known(approvals=approvals, revoked=revoked, off=off, hooks_off=frozenset(single))
        settled = stamp is not None and now - max(stamp[-2:]) / 1e9 > _GRAIN
        self._read = (stamp, known) if stamp is not None and settled else None
        if self._read is not None and seen is not None and witness(self.path, self._read[0]) == seen:
            keep(self.path, seen, known)
        return known

    def approvals(self) -> tuple[Approval, ...]:
        """Every approval, the latest first."""
        import json  # noqa: PLC0415 - only a person asks for the list

        from hookline.trust.fingerprint import Fingerprint  # noqa: PLC0415 - as above

        if self._stamp() is None:
            return ()
        with self._opened() as db:
            rows = (
                ()
                if version_of(db) == 0
                else db.execute(
                    "SELECT identity, places, content, root, dialect, event, command, file, hook, covers, who, how, at"
                    " FROM approvals ORDER BY at DESC, identity, places"
                ).fetchall()
            )
        return tuple(
            Approval(
                print=Fingerprint(identity=row[0], places=row[1], content=row[2]),
                root=row[3], dialect=row[4], event=row[5], command=row[6], file=row[7], hook=row[8],
                covers=tuple(json.loads(row[9])), who=row[10], how=row[11], at=row[12],
            )
            for row in rows
        )  # fmt: skip

    # -- writing ---------------------------------------------------------------------------------------------------

    def approve(self, approvals: Sequence[Approval], *, first_use: bool = False, keep_revoked: bool = False) -> None:
        """Approve all of them or none. With `first_use` an approval that is there stays, and so does a revocation, as with `keep_revoked`."""
        import json  # noqa: PLC0415 - few events approve anything

        verb = "INSERT OR IGNORE" if first_use else "INSERT OR REPLACE"
        with self._writing() as db:
            for one in approvals:
                key = one.print
                if (first_use or keep_revoked) and db.execute("SELECT 1 FROM revocations WHERE identity = ?", (key.identity,)).fetchone():
                    continue
                if not (first_use or keep_revoked):
                    db.execute("DELETE FROM revocations WHERE identity = ?", (key.identity,))
                db.execute(
                    f"{verb} INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (key.identity, key.places, key.content, one.root, one.dialect, one.event, one.command, one.file, one.hook,
                     json.dumps(one.covers), one.who, one.how, one.at or self._clock()),
                )  # fmt: skip

    def revoke(self, identities: Iterable[tuple[str, str]], who: str) -> None:
        """Take back every approval of these hooks (each an identity and what it is shown as), and remember that it was so."""
        with self._writing() as db:
            for identity, command in identities:
                db.execute("DELETE FROM approvals WHERE identity = ?", (identity,))
                db.execute("INSERT OR REPLACE INTO revocations VALUES (?, ?, ?, ?)", (identity, command, who, self._clock()))

    def turn(self, root: str, who: str, *, on: bool) -> None:
        """Turn hooks on or off, for a project folder or, with "", everywhere. Off anywhere is off."""
        with self._writing() as db:
            if on:
                db.execute("DELETE FROM switches WHERE root = ?", (root,))
            else:
                db.execute("INSERT OR REPLACE INTO switches VALUES (?, ?, ?)", (root, who, self._clock()))
            mark(db)

    def turn_hooks(self, root: str, hooks: Iterable[tuple[str, str]], who: str, *, on: bool) -> None:
        """Turn single hooks (each an identity and what it is shown as) on or off, for a project folder or, with "", everywhere."""
        with self._writing() as db:
            for identity, command in hooks:
                if on:
                    db.execute("DELETE FROM hook_switches WHERE root = ? AND identity = ?", (root, identity))
                else:
                    db.execute("INSERT OR REPLACE INTO hook_switches VALUES (?, ?, ?, ?, ?)", (root, identity, command, who, self._clock()))
            mark(db)

    def told(self, session: str, what: str) -> bool:
        """Remember that a session was told something; whether it had been told before."""
        now = self._clock()
        if self._is_told(session, what):  # most often; to write costs more, and makes every reader read anew
            return True
        with self._writing() as db:
            db.execute("DELETE FROM told WHERE at < ?", (now - _KEPT,))
            return db.execute("INSERT OR IGNORE INTO told VALUES (?, ?, ?)", (session, what, now)).rowcount == 0

    def _is_told(self, session: str, what: str) -> bool:
        if self._stamp() is None:
            return False
        with self._opened() as db:
            asked = "SELECT 1 FROM told WHERE session = ? AND what = ?"
            return version_of(db) > 0 and db.execute(asked, (session, what)).fetchone() is not None

    # -- the file --------------------------------------------------------------------------------------------------

    def _stamp(self) -> tuple[int, ...] | None:
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
                f"others may write the approvals in `{self.path}`", name="trust.exposed", hint="chmod 600 and look through them"
            )
        return stamp_of(found)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        """One transaction: all of it is on the disk when this ends without an error, and nothing of it otherwise."""
        self._made()
        with self._opened() as db:
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
        if self._stamp() is not None:
            return
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:  # somebody else was quicker
            pass
        except OSError as error:
            raise unwritable(self.path, (error.strerror or "unwritable").lower()) from None

    @contextlib.contextmanager
    def _opened(self) -> Iterator[Connection]:
        import sqlite3  # noqa: PLC0415 - 8 ms that only a hook pays which needs an approval

        # What lies beside it is played back into it when it is opened, so it must be as much our own.
        for beside in BESIDE:
            own_file(f"{self.path}{beside}")
        try:
            db = sqlite3.connect(
                f"file:{_quoted(self.path)}?mode=rw", uri=True, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise damaged(self.path, str(error)) from None
        try:
            # EXTRA: the folder, too, is on the disk before a commit is told to have happened.
            db.execute("PRAGMA synchronous = EXTRA")
            check(db, self.path)
            yield db
        except sqlite3.OperationalError as error:
            told = str(error)
            if any(word in told for word in ("readonly", "locked", "busy", "disk is full", "disk I/O", "unable to open")):
                raise unwritable(self.path, told) from None
            raise damaged(self.path, told) from None
        except sqlite3.Error as error:
            raise damaged(self.path, str(error)) from None
        finally:
            db.close()


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
