"""Is a transaction of a store all or nothing, and its file its owner's alone?"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from hookline.errors import TrustError
from hookline.trust.database import Database, seconds_to_wait
from hookline.trust.schema import SCHEMA, version_of


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """A store that nobody wrote to yet, whose folder has a name that a URI would take apart."""
    return Database(str(tmp_path / "a?b#c%20d" / "trust.db"))


def roots(database: Database) -> list[str]:
    """What is switched off in it."""
    with database.opened() as db:
        return [row[0] for row in db.execute("SELECT root FROM switches")]


def broken_off(database: Database) -> None:
    """Write something, and fail before the end."""
    with database.writing() as db:
        db.execute("INSERT INTO switches VALUES ('/b', 'ada', 0)")
        raise KeyError


def test_a_transaction_is_all_or_nothing(database: Database) -> None:
    """The tables are made with the first one."""
    with database.writing() as db:
        db.execute("INSERT INTO switches VALUES ('/a', 'ada', 0)")
        assert version_of(db) == SCHEMA
    with pytest.raises(KeyError):
        broken_off(database)

    assert roots(database) == ["/a"]


def test_to_look_makes_no_file(database: Database) -> None:
    """And where there is one, its stamp changes with what is written."""
    before = database.stamp()
    with database.writing():
        pass
    first = database.stamp()
    with database.writing() as db:
        db.execute("INSERT INTO switches VALUES ('/a', 'ada', 0)")

    assert (before, first is None, first == database.stamp()) == (None, False, False)
    assert os.stat(database.path).st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("statement", "code"),
    [("INSERT INTO none VALUES (1)", "trust.store"), ("SELECT", "trust.store")],
)
def test_what_sqlite_says_is_an_error_of_the_store(
    database: Database, statement: str, code: str
) -> None:
    """Whoever asks knows no database."""
    with pytest.raises(TrustError) as raised, database.writing() as db:
        db.execute(statement)
    assert raised.value.name == code


def test_who_may_only_read_is_told_so(database: Database) -> None:
    """A folder in the file's place can be opened by nobody."""
    Path(database.path).mkdir(parents=True)

    with pytest.raises(TrustError) as raised, database.writing():
        pass
    assert raised.value.name == "trust.store"


def test_a_locked_file_is_waited_for_once(database: Database) -> None:
    """After one reader of a process waited to no avail, the next do not, until the file was read again."""
    with database.writing():
        pass
    first = seconds_to_wait(database.path)
    locked = sqlite3.connect(database.path, isolation_level=None)
    locked.execute("BEGIN EXCLUSIVE")
    with pytest.raises(TrustError, match="locked"):
        roots(database)
    second = seconds_to_wait(database.path)
    locked.close()
    assert roots(database) == []

    assert (first > 0, second, seconds_to_wait(database.path)) == (True, 0, first)
