"""Is an older store kept, and brought on, and is its header right?"""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

import pytest

from hookline.errors import TrustError
from hookline.trust import Approval, Store
from hookline.trust.fingerprint import Fingerprint
from hookline.trust.schema import _STEPS, SCHEMA, check, lift, may_be_off

if TYPE_CHECKING:
    from pathlib import Path

_SOME_OFF = 1 << 16


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A store as the first version wrote it: one approval, one project that is off."""
    path = tmp_path / "trust.db"
    path.touch(mode=0o600)
    with sqlite3.connect(path) as db:
        for table in _STEPS[0]:
            db.execute(table)
        db.execute(
            "INSERT INTO approvals VALUES ('i', 'p', 'c', '', '', '', '', '', '', '[]', 'ada', '', 1.0)"
        )
        db.execute("INSERT INTO switches VALUES ('/a', 'ada', 1.0)")
        db.execute("PRAGMA application_id = 0x484B4C31")
        db.execute(f"PRAGMA user_version = {1 | _SOME_OFF}")
    db.close()
    return path


def version(path: Path) -> int:
    """What the header says of the tables."""
    with sqlite3.connect(path) as db:
        found: int = db.execute("PRAGMA user_version").fetchone()[0] & ~_SOME_OFF
    db.close()
    return found


def test_an_older_store_is_read_as_it_is(first: Path) -> None:
    """To look is not to write."""
    store = Store(str(first))
    known = store.known()

    assert (known.approvals, known.off, known.hooks_off) == ({"i": {"p": "c"}}, {"/a"}, frozenset())
    assert [each.who for each in store.approvals()] == ["ada"]
    assert (version(first), may_be_off(str(first))) == (1, True)


def test_an_older_store_is_brought_on_by_its_next_writer(first: Path) -> None:
    """And loses nothing, the word of its header included."""
    store = Store(str(first))
    store.approve([Approval(print=Fingerprint(identity="new", places="p", content="c"))])

    known = store.known()
    assert (version(first), sorted(known.approvals), known.off) == (SCHEMA, ["i", "new"], {"/a"})
    assert may_be_off(str(first))

    store.turn_hooks("/a", [("h", "guard.sh")], "ada", on=False)
    assert store.known().hooks_off == {("/a", "h")}


def test_the_second_version_is_brought_on_too(first: Path) -> None:
    """With the hooks that are switched off in it; from then on there are notes."""
    with sqlite3.connect(first, isolation_level=None) as db:
        for table in _STEPS[1]:
            db.execute(table)
        db.execute(f"PRAGMA user_version = {2 | _SOME_OFF}")
        db.execute("INSERT INTO hook_switches VALUES ('/a', 'h', 'guard.sh', 'ada', 1.0)")
    db.close()
    store = Store(str(first))
    before = store.waiting(), store.known().hooks_off
    store.turn("/b", "ada", on=False)

    assert before == ((), {("/a", "h")})
    assert (version(first), store.known().hooks_off, store.known().off) == (
        SCHEMA,
        {("/a", "h")},
        {"/a", "/b"},
    )
    assert [note.record["what"] for note in store.waiting()] == ["off"]


def test_a_store_of_a_later_version_is_left_alone(first: Path) -> None:
    """Who does not know its tables must not guess."""
    with sqlite3.connect(first) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    db.close()

    with pytest.raises(TrustError) as caught:
        Store(str(first)).known()
    assert caught.value.name == "trust.newer"


def test_the_header_tells_of_single_hooks_too(tmp_path: Path) -> None:
    """Also while all projects are on, and no more when the last one is on again."""
    path = str(tmp_path / "trust.db")
    store = Store(path)
    told = []
    for hook, on in (("h", False), ("g", False), ("h", True), ("g", True)):
        store.turn_hooks("", [(hook, "x")], "ada", on=on)
        told.append(may_be_off(path))

    assert told == [True, True, True, False]
    assert store.known().hooks_off == frozenset()


def test_a_store_that_is_made_while_it_is_looked_at_is_ours(tmp_path: Path) -> None:
    """Between two looks at its header somebody may have made its tables."""
    path = str(tmp_path / "trust.db")
    maker, looker = (sqlite3.connect(path, isolation_level=None) for _ in range(2))

    def made(statement: str) -> None:
        if statement.startswith("SELECT count") and not maker.in_transaction:
            with contextlib.suppress(sqlite3.OperationalError):  # it has to wait for whoever looks
                maker.execute("PRAGMA busy_timeout = 0")
                maker.execute("BEGIN IMMEDIATE")
                lift(maker)
                maker.execute("COMMIT")

    looker.set_trace_callback(made)
    check(looker, path)
    looker.close()
    maker.close()
