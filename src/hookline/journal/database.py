"""Database: the file that the index of a trail is kept in; it is in a form of its own version, or made anew."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing

_VERSION = 4
_TABLES = """
CREATE TABLE IF NOT EXISTS segments (name TEXT PRIMARY KEY, size INTEGER, records INTEGER, odd INTEGER);
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY, id TEXT, at TEXT, kind TEXT, native TEXT, tool TEXT, cwd TEXT, session TEXT, stance TEXT, faults INTEGER,
  about TEXT, segment TEXT, start INTEGER, length INTEGER);
CREATE TABLE IF NOT EXISTS runs (
  seq INTEGER PRIMARY KEY, event TEXT, hook TEXT, called TEXT, segment TEXT, start INTEGER, length INTEGER);
CREATE INDEX IF NOT EXISTS events_id ON events (id);
CREATE INDEX IF NOT EXISTS events_at ON events (at);
CREATE INDEX IF NOT EXISTS events_about ON events (about);
CREATE INDEX IF NOT EXISTS runs_event ON runs (event);
"""


def connected(path: str) -> sqlite3.Connection:
    """The database in a file, made if it is missing; in memory without a path.

    Raises:
        OSError: it cannot be made, or something else is there.
        sqlite3.DatabaseError: it cannot be used, or is of another version.
    """
    if path:
        _make(path)
    database = sqlite3.connect(path or ":memory:", timeout=5.0, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")  # it can be made anew
        with closing(database.execute("PRAGMA user_version")) as found:
            version = found.fetchone()[0]
        if version not in (0, _VERSION):
            raise sqlite3.DatabaseError(f"version {version} of the index")  # noqa: TRY301 - it is closed below, as after any other
        database.executescript(_TABLES)
        database.execute(f"PRAGMA user_version = {_VERSION}")
    except BaseException:
        database.close()
        raise
    return database


def remove(path: str) -> None:
    """Remove the database and what belongs to it."""
    for ending in ("", "-wal", "-shm"):
        try:
            os.unlink(path + ending)
        except FileNotFoundError:
            continue


def _make(path: str) -> None:
    """Make the file for this user only if it is missing.

    Raises:
        OSError: it cannot be made, or something else is there.
    """
    descriptor = os.open(
        path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600
    )
    regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
    os.close(descriptor)
    if not regular:
        raise OSError(f"`{path}` is no file")
