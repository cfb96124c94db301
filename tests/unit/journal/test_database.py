"""Database: a file of this version, or an error; nothing else is opened, and nothing is waited for."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from hookline.journal.database import connected, remove

if TYPE_CHECKING:
    from pathlib import Path


def test_it_is_made_for_this_user_only(tmp_path: Path) -> None:
    """And removed with what belongs to it."""
    path = tmp_path / "index.sqlite"
    with closing(connected(str(path))) as database:
        database.execute("INSERT INTO segments VALUES ('a', 1, 2, 3)")
        assert path.stat().st_mode & 0o777 == 0o600
    with closing(connected(str(path))) as database:
        assert database.execute("SELECT * FROM segments").fetchall() == [("a", 1, 2, 3)]
    remove(str(path))
    remove(str(path))

    assert list(tmp_path.iterdir()) == []


def test_another_version_is_refused(tmp_path: Path) -> None:
    """Its tables may be others."""
    path = str(tmp_path / "index.sqlite")
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 2")

    with pytest.raises(sqlite3.DatabaseError, match="version 2"):
        connected(path)


def test_a_pipe_in_its_place_is_refused(tmp_path: Path) -> None:
    """SQLite would wait for it."""
    os.mkfifo(tmp_path / "index.sqlite")

    with pytest.raises(OSError, match="is no file"):
        connected(str(tmp_path / "index.sqlite"))
