"""Index: it answers from the trail, keeps up with it, and is made anew when it does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

import hookline
from hookline.errors import JournalError
from hookline.journal.index import NAME, Index
from hookline.journal.journal import Journal
from hookline.journal.query import Query
from tests.unit.journal.support import files, fired, lines


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A denial, a silence and a fault, a second apart, of two tools and sessions."""
    seconds = iter(range(1_795_255_200, 1_795_999_999))
    made = Journal.open(str(tmp_path / "j"), clock=lambda: float(next(seconds)))

    def guard(_: object) -> object:
        return hookline.deny("no")

    def lame(_: object) -> None:
        raise ValueError("lame")

    for call, tool, session in ((guard, "shell", "alpha"), (lambda _: None, "read", "beta"), (lame, "shell", "beta")):
        made.observe(*fired(call, payload={"tool": tool, "input": {}, "session_id": session}))
    made.note("approved", hook="x")
    return made


def folder_of(journal: Journal) -> str:
    """Where it is."""
    assert journal.trail is not None
    return journal.trail.folder


QUERIES = [
    (Query(), ["deny", "silent", "silent", "note"]),
    (Query(stance="deny"), ["deny"]),
    (Query(tool="read"), ["silent"]),
    (Query(session="be"), ["silent", "silent"]),
    (Query(hook="guard"), ["deny"]),
    (Query(fault=True), ["silent"]),
    (Query(event="tool.before", tool="shell"), ["deny", "silent"]),
    (Query(event="approved"), ["note"]),
    (Query(since="2026-11-21T10:00:01.000Z", until="2026-11-21T10:00:02.000Z"), ["silent"]),
    (Query(after=3), ["silent", "silent", "note"][1:]),
    (Query(tool="'; DROP TABLE events"), []),
]


@pytest.mark.parametrize(("query", "stances"), QUERIES)
def test_a_query_finds_what_it_asks_for(query: Query, stances: list[str], journal: Journal) -> None:
    """The newest last, as the trail has it."""
    with Index(folder_of(journal)) as index:
        found = index.events(query)

    if query.after:
        assert all(record["seq"] > query.after for record in found)
    else:
        assert [record.get("stance", "note") for record in found] == stances


def test_the_newest_are_shown_where_there_are_many(journal: Journal) -> None:
    """At most so many."""
    with Index(folder_of(journal)) as index:
        assert [record["type"] for record in index.events(Query(), limit=2)] == ["event", "note"]


def test_an_event_is_found_by_the_beginning_of_its_id(journal: Journal) -> None:
    """And its hooks with it."""
    with Index(folder_of(journal)) as index:
        denied = index.events(Query(stance="deny"))[0]

        assert index.found(denied["id"][:6]) == [denied]
        assert [run["reason"] for run in index.runs(denied["id"])] == ["no"]
        assert index.found("zz") == []


def test_it_keeps_up_from_where_it_was_left(journal: Journal) -> None:
    """Also over a new file, and what is gone from the trail is gone from it."""
    with Index(folder_of(journal)) as index:
        before = index.events(Query())
        assert journal.trail is not None
        journal.trail.largest = 1
        journal.observe(*fired(lambda _: hookline.halt("stop")))
        assert [record["stance"] for record in index.events(Query(after=before[-1]["seq"]))] == ["halt"]
        files(Path(folder_of(journal)))[0].unlink()
        assert [record["stance"] for record in index.events(Query())] == ["halt"]


@pytest.mark.parametrize("damage", [b"", b"SQLite format 3\0 but no more", b"x" * 5000])
def test_a_broken_index_is_made_anew(damage: bytes, journal: Journal) -> None:
    """It holds nothing of its own."""
    folder = Path(folder_of(journal))
    Index(str(folder)).close()
    for ending in ("", "-wal", "-shm"):
        (folder / f"{NAME}{ending}").unlink(missing_ok=True)
    (folder / NAME).write_bytes(damage)

    with Index(str(folder)) as index:
        assert len(index.events(Query())) == 4


def test_an_index_of_another_trail_is_made_anew(journal: Journal) -> None:
    """Where its offsets lead to other records."""
    told: list[str] = []
    with Index(folder_of(journal), tell=lambda name, _: told.append(name)) as index:
        index.events(Query())
        path = files(Path(folder_of(journal)))[0]
        path.write_bytes(b"".join([*lines(Path(folder_of(journal)))[2:], b"#" * 3000, b"\n"]))

        assert [record.get("stance", "note") for record in index.events(Query())] == ["silent", "silent", "note"]
    assert told == ["journal.index"]


def test_it_is_kept_in_memory_where_it_cannot_be_written(journal: Journal) -> None:
    """What is in its place stays, and that is told."""
    told: list[str] = []
    (Path(folder_of(journal)) / NAME).mkdir()
    with Index(folder_of(journal), tell=lambda name, _: told.append(name)) as index:
        assert len(index.events(Query())) == 4
    assert told == ["journal.index"]


def test_it_is_made_anew_when_asked(journal: Journal) -> None:
    """And says how much is in it."""
    with Index(folder_of(journal)) as index:
        assert index.rebuild() == 4


def test_no_journal_is_no_index(tmp_path: Path) -> None:
    """It says where none is."""
    with pytest.raises(JournalError) as caught:
        Index(str(tmp_path / "none"))
    assert caught.value.name == "journal.missing"
