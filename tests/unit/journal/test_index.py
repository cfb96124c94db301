"""Index: it answers from the trail, keeps up with it, and is made anew when it does not fit."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import hookline
from hookline.errors import JournalError
from hookline.journal.chain import linked
from hookline.journal.index import Index
from hookline.journal.indexed import NAME
from hookline.journal.journal import Journal
from hookline.journal.query import Query
from hookline.journal.trail import Trail
from tests.unit.journal.support import AT, files, fired, lines, note, written


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A denial, a silence and a fault, a second apart, of two tools and sessions."""
    seconds = iter(range(1_795_255_200, 1_795_999_999))
    made = Journal.open(str(tmp_path / "j"), clock=lambda: float(next(seconds)))

    def guard(_: object) -> object:
        return hookline.deny("no")

    def lame(_: object) -> None:
        raise ValueError("lame")

    for call, tool, session in (
        (guard, "shell", "alpha"),
        (lambda _: None, "read", "beta"),
        (lame, "shell", "beta"),
    ):
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
    (Query(hook="GUARD"), ["deny"]),
    (Query(decided=True), ["deny", "silent", "silent"]),
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
        assert [record["stance"] for record in index.events(Query(after=before[-1]["seq"]))] == [
            "halt"
        ]
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

        assert [record.get("stance", "note") for record in index.events(Query())] == [
            "silent",
            "silent",
            "note",
        ]
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


def told_by(folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """All events as a new index has them, and the problems that it told."""
    told: list[str] = []
    with Index(str(folder), tell=lambda name, _: told.append(name)) as index:
        return index.events(Query()), told


@pytest.mark.parametrize("indexed_before", [False, True])
def test_what_is_not_as_it_was_written_is_not_shown(indexed_before: bool, journal: Journal) -> None:
    """That is told, each time that somebody asks."""
    folder = Path(folder_of(journal))
    if indexed_before:
        told_by(folder)
    path = files(folder)[0]
    path.write_bytes(path.read_bytes().replace(b'"stance":"deny"', b'"stance":"none"'))
    told_by(folder)
    found, told = told_by(folder)

    assert [record.get("stance", "note") for record in found] == ["silent", "silent", "note"]
    assert told == ["journal.broken"]


def test_a_record_of_a_number_that_was_given_replaces_nothing(journal: Journal) -> None:
    """The one that was there first is shown, and told is that there are two."""
    folder = Path(folder_of(journal))
    (denied, *_), _ = told_by(folder)
    forged = {
        key: value for key, value in denied.items() if key not in ("schema", "seq", "prev", "hash")
    }
    with files(folder)[0].open("ab") as file:
        file.write(linked(forged | {"stance": "allow"}, denied["seq"], denied["prev"])[0])
    found, told = told_by(folder)

    assert (found[0]["stance"], told) == ("deny", ["journal.broken"])


def test_rows_that_are_gone_are_missed(journal: Journal) -> None:
    """And all of it is made anew."""
    folder = Path(folder_of(journal))
    told_by(folder)
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as database:
        database.execute("DELETE FROM events WHERE stance = 'deny'")
    found, told = told_by(folder)

    assert (len(found), told) == (4, ["journal.index"])
    assert told_by(folder)[1] == []


@pytest.mark.parametrize(
    "odd",
    [
        {"faults": 1 << 70},
        {"at": 7},
        {"id": None},
        {"tool": "\ud800"},
        {"faults": "many", "stance": {}},
    ],
)
def test_whatever_a_record_says_is_indexed(odd: dict[str, object], tmp_path: Path) -> None:
    """Whoever wrote it."""
    Trail(str(tmp_path / "j")).append([{"type": "event", "at": AT} | odd], at=AT)

    assert len(told_by(tmp_path / "j")[0]) == 1


def test_a_number_that_no_database_holds_is_that_of_no_record(tmp_path: Path) -> None:
    """Verify tells of the line."""
    folder = written(tmp_path / "j", 1)
    with files(folder)[0].open("ab") as file:
        file.write(linked(note(), 1 << 70, "0" * 64)[0])

    assert len(told_by(folder)[0]) == 1


def test_bytes_that_are_no_text_are_found_nowhere(journal: Journal) -> None:
    """As a command line may have them."""
    with Index(folder_of(journal)) as index:
        assert index.events(Query(hook="\udcff", tool="\udcff", session="\udcff")) == []
        assert (
            index.found("\udcff"),
            index.asked("\udcff", 0.0),
            index.fired("\udcff", "/\udcff", 0.0),
        ) == ([], 0, 0)


def test_a_mark_is_the_event_of_a_number(journal: Journal) -> None:
    """By its id; without a number the newest."""
    with Index(folder_of(journal)) as index:
        newest = index.events(Query())[-1]

        assert index.mark() == index.mark(newest["seq"]) == (newest["seq"], newest["id"])
        assert index.mark(10**6) == (0, "")


RUNS = [
    {"hook": "settings.json#PreToolUse.0.0", "name": "python3 guard.py"},
    {
        "hook": "settings.json#PreToolUse.0.0",
        "command": {"sha256": "0", "bytes": 1, "value": "python3 Guard.py --fast"},
    },
    {"hook": "settings.json#PreToolUse.0.0", "name": 7, "command": "guard"},
]


@pytest.mark.parametrize(("run", "found"), list(zip(RUNS, (1, 1, 0), strict=True)))
def test_a_hook_is_found_by_what_it_is_called(
    run: dict[str, Any], found: int, tmp_path: Path
) -> None:
    """By its name, and by its command where that is kept; what is neither is skipped."""
    event = {"type": "event", "id": "e", "at": AT, "stance": "deny"}
    Trail(str(tmp_path / "j")).append(
        [{"type": "run", "id": "e.1", "event": "e"} | run, event], at=AT
    )
    with Index(str(tmp_path / "j")) as index:
        assert len(index.events(Query(hook="guard"))) == found
        assert index.names("hook") == ["settings.json#PreToolUse.0.0"]


def test_the_newest_note_about_a_hook_before_a_record_is_found(tmp_path: Path) -> None:
    """By what the hook is approved as."""
    notes = [note(number) | {"identity": identity} for number, identity in enumerate("aba")]
    Trail(str(tmp_path / "j")).append(notes, at=AT)
    with Index(str(tmp_path / "j")) as index:
        found = [
            (index.note_about(identity, before) or {}).get("seq")
            for identity, before in (("a", 4), ("a", 3), ("b", 2), ("", 9))
        ]

    assert found == [3, 1, None, None]


def test_the_last_decision_is_no_note(journal: Journal) -> None:
    """It may be asked for by what it was."""
    with Index(folder_of(journal)) as index:
        assert (index.latest(Query()) or {})["session"] == "beta"
        assert (index.latest(Query(stance="deny")) or {})["session"] == "alpha"
        assert index.latest(Query(stance="halt")) is None
        assert index.names("native") == ["tool.before", "approved"]
