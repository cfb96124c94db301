"""Search: what matches is found, newest last, and what is not as it was written is not shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hookline
from hookline.errors import JournalError
from hookline.journal.journal import Journal
from hookline.journal.log_files import LogFiles
from hookline.journal.search import Query, Search
from tests.unit.journal.support import AT, files, fired, note, written


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
    assert journal.files is not None
    return journal.files.folder


QUERIES = [
    (Query(), ["deny", "silent", "silent", "note"]),
    (Query(stance="deny"), ["deny"]),
    (Query(tool="read"), ["silent"]),
    (Query(session="be"), ["silent", "silent"]),
    (Query(hook="guard"), ["deny"]),
    (Query(hook="GUARD"), ["deny"]),
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
    search = Search(folder_of(journal))
    found = search.events(query)

    if query.after:
        assert all(record["seq"] > query.after for record in found)
    else:
        assert [record.get("stance", "note") for record in found] == stances


def test_the_newest_are_shown_where_there_are_many(journal: Journal) -> None:
    """At most so many."""
    search = Search(folder_of(journal))
    assert [record["type"] for record in search.events(Query(), limit=2)] == ["event", "note"]


def test_an_event_is_found_by_the_beginning_of_its_id(journal: Journal) -> None:
    """And its hooks with it."""
    search = Search(folder_of(journal))
    denied = search.events(Query(stance="deny"))[0]

    assert search.find_by_id(denied["id"][:6]) == [denied]
    assert [run["reason"] for run in search.runs(denied["id"])] == ["no"]
    assert search.find_by_id("zz") == []


def test_it_keeps_up_from_where_it_was_left(journal: Journal) -> None:
    """Also over a new file, and what is gone from the trail is gone from it."""
    search = Search(folder_of(journal))
    before = search.events(Query())
    assert journal.files is not None
    journal.files.largest = 1
    journal.observe(*fired(lambda _: hookline.halt("stop")))
    assert [record["stance"] for record in search.events(Query(after=before[-1]["seq"]))] == [
        "halt"
    ]
    files(Path(folder_of(journal)))[0].unlink()
    assert [record["stance"] for record in search.events(Query())] == ["halt"]


def test_a_missing_journal_is_an_error(tmp_path: Path) -> None:
    """It says where none is."""
    with pytest.raises(JournalError) as caught:
        Search(str(tmp_path / "none"))
    assert caught.value.name == "journal.missing"


def found_in(folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Return all events, and the names of the problems on the way."""
    told: list[str] = []
    search = Search(str(folder), tell=lambda name, _: told.append(name))
    return search.events(Query()), told


def test_what_is_not_as_it_was_written_is_not_shown(journal: Journal) -> None:
    """The search says so, each time."""
    folder = Path(folder_of(journal))
    path = files(folder)[0]
    path.write_bytes(path.read_bytes().replace(b'"stance":"deny"', b'"stance":"none"'))
    found, told = found_in(folder)

    assert [record.get("stance", "note") for record in found] == ["silent", "silent", "note"]
    assert told == found_in(folder)[1] == ["journal.broken"]


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
def test_odd_values_of_a_record_break_no_search(odd: dict[str, object], tmp_path: Path) -> None:
    """Any program may have written it."""
    LogFiles(str(tmp_path / "j")).append([{"type": "event", "at": AT} | odd], at=AT)

    assert len(found_in(tmp_path / "j")[0]) == 1


def test_bytes_that_are_no_text_are_found_nowhere(journal: Journal) -> None:
    """As a command line may have them."""
    search = Search(folder_of(journal))
    assert search.events(Query(hook="\udcff", tool="\udcff", session="\udcff")) == []
    assert (
        search.find_by_id("\udcff"),
        search.count_runs("\udcff", 0.0),
        search.count_events("\udcff", "/\udcff", 0.0),
    ) == ([], 0, 0)


def test_the_newest_record_has_the_highest_number(journal: Journal, tmp_path: Path) -> None:
    """0 says that there is none."""
    search = Search(folder_of(journal))
    (tmp_path / "empty").mkdir()

    assert search.last() == search.events(Query())[-1]["seq"]
    assert Search(str(tmp_path / "empty")).last() == 0


def test_a_line_that_is_still_being_written_is_not_read(tmp_path: Path) -> None:
    """It is shown as soon as its line break is there."""
    folder = written(tmp_path / "j", 2)
    path = files(folder)[0]
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])

    assert [record["seq"] for record in found_in(folder)[0]] == [1]
    path.write_bytes(whole)
    assert [record["seq"] for record in found_in(folder)[0]] == [1, 2]


def test_only_files_that_may_match_are_read(tmp_path: Path) -> None:
    """By the day on which a file began, and the number of its first record."""
    trail = LogFiles(str(tmp_path / "j"), largest=1)
    for day in (19, 20, 21):
        trail.append([note(day, f"2026-11-{day}T10:00:00.000Z")], at=f"2026-11-{day}T10:00:00.000Z")
    for path in files(tmp_path / "j")[:2]:
        path.unlink()
        path.mkdir()  # to read it raises
    search = Search(str(tmp_path / "j"))

    assert [each["text"] for each in search.events(Query(since="2026-11-21T00:00:00.000Z"))] == [21]
    assert [each["text"] for each in search.events(Query(after=2))] == [21]


RUNS = [
    {"hook": ".claude/settings.json#PreToolUse.guard.py-vckpdn", "name": "python3 guard.py"},
    {
        "hook": ".claude/settings.json#PreToolUse.guard.py-vckpdn",
        "command": {"sha256": "0", "bytes": 1, "value": "python3 Guard.py --fast"},
    },
    {"hook": ".claude/settings.json#PreToolUse.check.py-vckpdn", "name": 7, "command": "guard"},
]


@pytest.mark.parametrize(("run", "found"), list(zip(RUNS, (1, 1, 0), strict=True)))
def test_a_hook_is_found_by_what_it_is_called(
    run: dict[str, Any], found: int, tmp_path: Path
) -> None:
    """By its name, and by its command where that is kept; what is neither is skipped."""
    event = {"type": "event", "id": "e", "at": AT, "stance": "deny"}
    LogFiles(str(tmp_path / "j")).append(
        [{"type": "run", "id": "e.1", "event": "e"} | run, event], at=AT
    )
    search = Search(str(tmp_path / "j"))
    assert len(search.events(Query(hook="guard"))) == found
    assert search.names("hook") == {run["hook"]}
    assert search.has_hook("GUARD") == bool(found)


def test_the_newest_note_about_a_hook_before_a_record_is_found(tmp_path: Path) -> None:
    """By what the hook is approved as."""
    notes = [note(number) | {"identity": identity} for number, identity in enumerate("aba")]
    LogFiles(str(tmp_path / "j")).append(notes, at=AT)
    search = Search(str(tmp_path / "j"))
    found = [
        (search.note_about(identity, before) or {}).get("seq")
        for identity, before in (("a", 4), ("a", 3), ("b", 2), ("", 9))
    ]

    assert found == [3, 1, None, None]


def test_the_last_decision_is_no_note(journal: Journal) -> None:
    """It may be asked for by what it was."""
    search = Search(folder_of(journal))
    assert (search.latest(Query()) or {})["session"] == "beta"
    assert (search.latest(Query(stance="deny")) or {})["session"] == "alpha"
    assert search.latest(Query(stance="halt")) is None
    assert search.names("native_event") == {"tool.before", "approved"}
