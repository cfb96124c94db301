"""Schema: the tables of a store, how an older file is brought to them, and what its header tells without a database."""

from __future__ import annotations

import os

from hookline.errors import TrustError
from hookline.trust.ownership import damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

SCHEMA = NOTES = 3
# A part of `user_version`, which stands in the file's header: some switch is off.
_SOME_OFF = 1 << 16
_VERSION_AT, _VERSION_LENGTH = 60, 4
_OURS = 0x484B4C31  # `application_id`
# What each version added to the one before it; a file is brought on by its next writer, and read as it is until then.
_STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE approvals (
            identity TEXT NOT NULL, places TEXT NOT NULL, content TEXT NOT NULL, root TEXT NOT NULL, dialect TEXT NOT NULL,
            event TEXT NOT NULL, command TEXT NOT NULL, file TEXT NOT NULL, hook TEXT NOT NULL, covers TEXT NOT NULL,
            who TEXT NOT NULL, how TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (identity, places)) WITHOUT ROWID""",
        "CREATE TABLE revocations (identity TEXT PRIMARY KEY, command TEXT NOT NULL, who TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID",
        "CREATE TABLE switches (root TEXT PRIMARY KEY, who TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID",
        "CREATE TABLE told (session TEXT NOT NULL, what TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (session, what)) WITHOUT ROWID",
    ),
    (
        """CREATE TABLE hook_switches (
            root TEXT NOT NULL, identity TEXT NOT NULL, command TEXT NOT NULL, who TEXT NOT NULL, at REAL NOT NULL,
            PRIMARY KEY (root, identity)) WITHOUT ROWID""",
    ),
    (
        "CREATE TABLE notes (number INTEGER PRIMARY KEY, id TEXT NOT NULL, at REAL NOT NULL, note TEXT NOT NULL)",
    ),
)


def version_of(db: Connection) -> int:
    """The version of the tables that a file has; 0 where it was made, and nothing was ever written to it."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return version & ~_SOME_OFF


def check(db: Connection, path: str) -> None:
    """See that this is a store of ours, of an age that we can read; all at one moment, because somebody may be making it.

    Raises:
        TrustError: `trust.newer`, `trust.store`.
    """
    db.execute("BEGIN")
    try:
        _check(db, path)
    finally:
        db.execute("ROLLBACK")


def _check(db: Connection, path: str) -> None:
    version = version_of(db)
    if version > SCHEMA:
        raise TrustError(
            f"`{path}` was written by a newer hookline", name="trust.newer", hint="update hookline"
        )
    if version == 0:
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise damaged(path, "it is some other database")
    elif db.execute("PRAGMA application_id").fetchone()[0] != _OURS:
        raise damaged(path, "it is some other database")


def lift(db: Connection) -> None:
    """Bring a file to the tables of today, inside of the transaction that is open; what it holds stays."""
    version = version_of(db)
    if version == SCHEMA:
        return
    for step in _STEPS[version:]:
        for table in step:
            db.execute(table)
    if version == 0:
        db.execute(f"PRAGMA application_id = {_OURS}")
    flag = db.execute("PRAGMA user_version").fetchone()[0] & _SOME_OFF
    db.execute(f"PRAGMA user_version = {SCHEMA | flag}")


def mark(db: Connection) -> None:
    """Have the header say whether any switch is off."""
    some = db.execute(
        "SELECT EXISTS (SELECT 1 FROM switches) OR EXISTS (SELECT 1 FROM hook_switches)"
    ).fetchone()[0]
    db.execute(f"PRAGMA user_version = {SCHEMA | (_SOME_OFF if some else 0)}")


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
        return (
            len(header) < _VERSION_LENGTH
            or bool(int.from_bytes(header, "big") & _SOME_OFF)
            or os.path.lexists(f"{path}-journal")
        )
    except OSError:
        return True
    finally:
        os.close(fd)
