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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from sqlite3 import Connection

    from hookline.trust.fingerprint import Fingerprint

SCHEMA = 1
# A part of `user_version`, which stands in the file's header: some switch is off.
_SOME_OFF = 1 << 16
_VERSION_AT, _VERSION_LENGTH = 60, 4
_OURS = 0x484B4C31  # `application_id`
_WAIT = 10.0  # seconds for another writer
_BESIDE = ("-journal", "-wal", "-shm")
_GRAIN = 0.05  # seconds; a file that was written this recently may be written again without a new time
_KEPT = 30 * 86400.0  # seconds that it is remembered what a session was told
_TABLES = (
    """CREATE TABLE approvals (
        identity TEXT NOT NULL, places TEXT NOT NULL, content TEXT NOT NULL, root TEXT NOT NULL, dialect TEXT NOT NULL,
        event TEXT NOT NULL, command TEXT NOT NULL, file TEXT NOT NULL, hook TEXT NOT NULL, covers TEXT NOT NULL,
        who TEXT NOT NULL, how TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (identity, places)) WITHOUT ROWID""",
    "CREATE TABLE revocations (identity TEXT PRIMARY KEY, command TEXT NOT NULL, who TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID",
    "CREATE TABLE switches (root TEXT PRIMARY KEY, who TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID",
    "CREATE TABLE told (session TEXT NOT NULL, what TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (session, what)) WITHOUT ROWID",
)


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


class Known(Frozen):
    """What a gate needs of the store: identity -> places -> content; revoked identities; roots that are off ("": everywhere)."""

    approvals: Mapping[str, Mapping[str, str]]
    revoked: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()


_NOTHING = Known(approvals={})


def store_path(environ: Mapping[str, str]) -> str:
    """Where the user's store lies: below XDG_STATE_HOME, if that is an absolute path."""
    state = environ.get("XDG_STATE_HOME", "")
    base = state if os.path.isabs(state) else f"{environ.get('HOME') or os.path.expanduser('~')}/.local/state"
    return f"{base}/hookline/trust.db"


def may_be_off(path: str) -> bool:
    """Whether a switch of the store may be off, told from the header of its file, without the database.

    True wherever that is not certain, also while a transaction may have been broken off.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        header = os.pread(fd, _VERSION_LENGTH, _VERSION_AT)
        return len(header) < _VERSION_LENGTH or bool(int.from_bytes(header, "big") & _SOME_OFF) or os.path.lexists(f"{path}-journal")
    except OSError:
        return True
    finally:
        os.close(fd)


class Store:
    """One file of approvals. Every call opens it anew, so that a store is safe to use from any thread and after a fork.

    Each raises TrustError: `trust.store` (no such database, damaged), `trust.newer`, `trust.exposed` (others may write it),
    and, where it writes, `trust.unwritable`.
    """

    def __init__(self, path: str, *, clock: Callable[[], float] = time.time) -> None:
        self.path = path
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
        with self._opened() as db:
            if _is_empty(db):
                return _NOTHING
            db.execute("BEGIN")
            approvals: dict[str, dict[str, str]] = {}
            for identity, places, content in db.execute("SELECT identity, places, content FROM approvals"):
                approvals.setdefault(identity, {})[places] = content
            revoked = frozenset(row[0] for row in db.execute("SELECT identity FROM revocations"))
            off = frozenset(row[0] for row in db.execute("SELECT root FROM switches"))
            stamp = self._stamp()
            db.execute("ROLLBACK")
        known = Known(approvals=approvals, revoked=revoked, off=off)
        settled = stamp is not None and self._clock() - stamp[-1] / 1e9 > _GRAIN
        self._read = (stamp, known) if stamp is not None and settled else None
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
                if _is_empty(db)
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
            some = db.execute("SELECT count(*) FROM switches").fetchone()[0]
            db.execute(f"PRAGMA user_version = {SCHEMA | (_SOME_OFF if some else 0)}")

    def told(self, session: str, what: str) -> bool:
        """Remember that a session was told something; whether it had been told before."""
        now = self._clock()
        with self._writing() as db:
            db.execute("DELETE FROM told WHERE at < ?", (now - _KEPT,))
            return db.execute("INSERT OR IGNORE INTO told VALUES (?, ?, ?)", (session, what, now)).rowcount == 0

    # -- the file --------------------------------------------------------------------------------------------------

    def _stamp(self) -> tuple[int, ...] | None:
        """What changes when the file does; None where there is none."""
        try:
            _own_folder(os.path.dirname(self.path) or ".")
            found = os.lstat(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _damaged(self.path, (error.strerror or "unreadable").lower()) from None
        if not stat.S_ISREG(found.st_mode):
            raise _damaged(self.path, "it is no plain file")
        if _is_others(found):
            raise TrustError(
                f"others may write the approvals in `{self.path}`", name="trust.exposed", hint="chmod 600 and look through them"
            )
        return found.st_dev, found.st_ino, found.st_size, found.st_ctime_ns, found.st_mtime_ns

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        """One transaction: all of it is on the disk when this ends without an error, and nothing of it otherwise."""
        self._made()
        with self._opened() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                if _is_empty(db):
                    for table in _TABLES:
                        db.execute(table)
                    db.execute(f"PRAGMA application_id = {_OURS}")
                    db.execute(f"PRAGMA user_version = {SCHEMA}")
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
            raise _unwritable(self.path, (error.strerror or "unwritable").lower()) from None

    @contextlib.contextmanager
    def _opened(self) -> Iterator[Connection]:
        import sqlite3  # noqa: PLC0415 - 8 ms that only a hook pays which needs an approval

        # What lies beside it is played back into it when it is opened, so it must be as much our own.
        for beside in _BESIDE:
            _own_file(f"{self.path}{beside}")
        try:
            db = sqlite3.connect(
                f"file:{_quoted(self.path)}?mode=rw", uri=True, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise _damaged(self.path, str(error)) from None
        try:
            # EXTRA: the folder, too, is on the disk before a commit is told to have happened.
            db.execute("PRAGMA synchronous = EXTRA")
            self._check(db)
            yield db
        except sqlite3.OperationalError as error:
            told = str(error)
            if any(word in told for word in ("readonly", "locked", "busy", "disk is full", "disk I/O", "unable to open")):
                raise _unwritable(self.path, told) from None
            raise _damaged(self.path, told) from None
        except sqlite3.Error as error:
            raise _damaged(self.path, str(error)) from None
        finally:
            db.close()

    def _check(self, db: Connection) -> None:
        """See that this is a store of ours, of an age that we can read."""
        version = db.execute("PRAGMA user_version").fetchone()[0] & ~_SOME_OFF
        if version > SCHEMA:
            raise TrustError(f"`{self.path}` was written by a newer hookline", name="trust.newer", hint="update hookline")
        if version == 0:
            if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise _damaged(self.path, "it is some other database")
        elif db.execute("PRAGMA application_id").fetchone()[0] != _OURS:
            raise _damaged(self.path, "it is some other database")


def _own_folder(path: str) -> None:
    """See that nobody else can put files into a folder; what a loose umask let its group do is taken back.

    Raises:
        TrustError: `trust.exposed`, somebody can.
        OSError: it is not there, or cannot be looked at.
    """
    found = os.stat(path)
    if found.st_mode & stat.S_IWGRP and not found.st_mode & stat.S_IWOTH and found.st_uid == os.geteuid():
        with contextlib.suppress(OSError):
            os.chmod(path, stat.S_IMODE(found.st_mode) & ~stat.S_IWGRP)
            found = os.stat(path)
    if _is_others(found):
        raise TrustError(f"others may put files into `{path}`", name="trust.exposed", hint="chmod 700, and look through what lies there")


def _own_file(path: str) -> None:
    """See that a file, if it is there, is ours.

    Raises:
        TrustError: `trust.exposed`, it is not.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _damaged(path, (error.strerror or "unreadable").lower()) from None
    if not stat.S_ISREG(found.st_mode) or _is_others(found):
        raise TrustError(f"`{path}` is somebody else's", name="trust.exposed", hint="remove it, and look through the approvals")


def _is_others(found: os.stat_result) -> bool:
    return found.st_uid not in (0, os.geteuid()) or bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _is_empty(db: Connection) -> bool:
    """Whether the file was made, and nothing was ever written to it."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return version == 0


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _damaged(path: str, why: str) -> TrustError:
    return TrustError(f"the approvals in `{path}` cannot be read: {why}", name="trust.store", hint="move the file away and approve again")


def _unwritable(path: str, why: str) -> TrustError:
    return TrustError(f"nothing can be written to `{path}`: {why}", name="trust.unwritable", hint="see who owns its folder")
