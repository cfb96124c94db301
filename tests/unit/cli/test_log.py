"""`hookline log`: following, ids, and faults of the folder.

What it prints otherwise is a transcript.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from hookline.cli import log
from hookline.cli.log import render_entry, render_event
from hookline.cli.output import Paint, Printer
from hookline.journal.log_files import LogFiles
from tests.unit.cli.support import DOCKER, LS, SUDO, Desk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def folder_of(desk: Desk) -> str:
    """Where the journal is."""
    return str(desk.folder.parent / "home/.local/state/hookline/journal")


def fire(desk: Desk, payload: object = LS) -> None:
    """One decision more."""
    desk.type("fire", "pre_tool_use", "-c", DOCKER, stdin=payload)


def follow(desk: Desk, *words: str, looks: Iterator[Callable[[], object]]) -> list[dict[str, Any]]:
    """What is shown while all this happens, one thing before each look."""

    def wait() -> bool:
        for act in looks:
            act()
            return True
        return False

    shown: list[dict[str, Any]] = []

    def keep(_printer: Printer, record: dict[str, Any], _page: object) -> None:
        if "seq" in record:
            shown.append(record)

    desk.monkeypatch.setattr(log, "_wait_for_records", wait)
    desk.monkeypatch.setattr(Printer, "print", keep)
    desk.type("log", "--follow", "--limit", "1", *words)
    return shown


def test_what_is_written_meanwhile_is_shown_once(desk: Desk) -> None:
    """`log --follow` shows each new decision that fits the query, in order."""
    fire(desk)
    sent = [lambda payload=payload: fire(desk, payload) for payload in (LS, SUDO, LS, SUDO)]
    shown = follow(desk, "--stance", "deny", looks=iter(sent))

    assert [record["stance"] for record in shown] == ["deny", "deny"]
    assert len({record["id"] for record in shown}) == 2


def test_following_ends_when_the_reader_left(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipe has no reader, or the output is closed."""
    reads, writes = os.pipe()
    with os.fdopen(writes, "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        monkeypatch.setattr(log, "_PAUSE", 0.0)
        assert log._wait_for_records()
        os.close(reads)
        assert not log._wait_for_records()
    assert not log._wait_for_records()


def test_the_newest_are_listed_last(desk: Desk) -> None:
    """The list has as many decisions as the limit allows."""
    for payload in (SUDO, LS, SUDO):
        fire(desk, payload)
    told = desk.type("log", "--limit", "2", "--json")

    assert [json.loads(line)["stance"] for line in told.out.splitlines()] == ["allow", "deny"]


def test_an_id_that_is_not_one_decisions_is_refused(desk: Desk) -> None:
    """The error lists the ids that fit."""
    fire(desk)
    fire(desk)
    told = desk.type("log", "show", "")

    assert told.code == 2
    assert "2 decisions have an id that begins with ``" in told.err


@pytest.mark.parametrize("words", [("--head", "12"), ("--limit", "-1"), ("--stance", "no")])
def test_a_wrong_option_is_a_usage_error(words: tuple[str, ...], desk: Desk) -> None:
    """The error says what would be right."""
    assert desk.type("log", "verify", *words).code == 2


def test_a_remembered_head_is_compared(desk: Desk) -> None:
    """A journal that is whole in itself may still lack the remembered head."""
    fire(desk)
    head = desk.type("log", "verify", "--json").document["head"]

    assert desk.type("log", "verify", "--head", head).code == 0
    told = desk.type("log", "verify", "--head", f"{head.partition(':')[0]}:{'0' * 64}")
    assert (told.code, "not the one that is remembered" in told.out) == (1, True)


def test_another_journal_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """--path names it; the user's own journal is not read."""
    monkeypatch.setenv("HOOKLINE_JOURNAL", str(desk.folder / "mine"))
    fire(desk)
    monkeypatch.delenv("HOOKLINE_JOURNAL")

    assert "records" in desk.type("log", "verify", "--path", "mine").out
    assert desk.type("log", "prune", "--path", "nowhere").code == 2


def test_prune_says_before_it_does(desk: Desk) -> None:
    """--dry-run removes nothing."""
    fire(desk)
    folder = folder_of(desk)
    (name,) = [each for each in os.listdir(folder) if each.endswith(".jsonl")]
    old = name.replace(name[:10], "2001-01-01")
    os.rename(f"{folder}/{name}", f"{folder}/{old}")
    fire(desk)
    fire(desk)
    newer = sorted(each for each in os.listdir(folder) if each.endswith(".jsonl"))

    assert desk.type("log", "prune", "--dry-run", "--json").document["removed"] == []
    assert newer[0] == old
    assert desk.type("log", "verify").code == 0


@pytest.mark.parametrize("width", [20, 60, 200])
def test_a_line_fits_the_width(width: int, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the reason is cut."""
    monkeypatch.setenv("COLUMNS", str(width))
    fire(desk, SUDO)
    record = json.loads(desk.type("log", "--json").out)
    line = "".join(render_event(record | {"reason": "r" * 300}, Paint(on=False)))

    assert "pre_tool_use shell (docker-agent)" in line
    assert len(line) <= max(width, 80)


def test_a_journal_that_was_removed_is_followed_from_its_beginning(desk: Desk) -> None:
    """The new journal's numbers are lower than those shown before."""
    for _ in range(3):
        fire(desk, SUDO)
    before, *shown = follow(
        desk,
        looks=iter([lambda: wipe(desk), lambda: fire(desk, SUDO), lambda: fire(desk, SUDO)]),
    )

    assert len(shown) == 2
    assert before["id"] not in {record["id"] for record in shown}


def wipe(desk: Desk) -> None:
    """Remove the files of the journal."""
    folder = folder_of(desk)
    for name in os.listdir(folder):
        os.unlink(f"{folder}/{name}")


def test_a_wiped_journal_is_nothing_to_verify(desk: Desk) -> None:
    """`verify` does not call it whole."""
    fire(desk)
    wipe(desk)
    told = desk.type("log", "verify")

    assert (told.code, told.out) == (1, "nothing to verify: there is no record\n")
    assert desk.type("log", "verify", "--json").document["ok"] is False


def test_a_payload_with_a_huge_folder_is_listed(desk: Desk) -> None:
    """`log show` shows it, too."""
    desk.type("fire", "pre_tool_use", "-c", DOCKER, stdin=SUDO | {"cwd": "/" + "d" * (4 << 20)})
    (record,) = [json.loads(line) for line in desk.type("log", "--json").out.splitlines()]

    assert (record["native_event"], len(record["cwd"])) == ("pre_tool_use", 2000)
    assert desk.type("log").code == 0
    assert "deny  pre_tool_use" in desk.type("log", "show", record["id"]).out


def test_a_record_with_few_fields_is_listed_and_shown(desk: Desk) -> None:
    """Another version may write fewer fields."""
    runs = [{"type": "run", "id": "x.1", "event": "x"}]
    LogFiles(folder_of(desk)).append(
        [*runs, {"type": "event", "id": "x"}], at="2026-11-21T10:00:00.000Z"
    )

    assert desk.type("log").code == 0
    assert len(desk.type("log").out.splitlines()) == 1
    assert "from: no file" in desk.type("log", "show", "x").out


def test_bytes_that_are_no_text_find_nothing(desk: Desk) -> None:
    """A shell may pass such bytes on."""
    fire(desk)

    assert (desk.type("log", "--hook", "\udcff").code, desk.type("log", "show", "\udcff").code) == (
        0,
        2,
    )


def test_a_digest_of_what_was_run_is_shown() -> None:
    """It stands beside the fingerprint of the declaration."""
    run = {"id": "e.1", "hook": "h", "stance": "deny", "fingerprint": "f" * 64, "content": "c" * 64}
    page = "\n".join(
        render_entry({"event": {"type": "event", "id": "e"}, "runs": [run]}, Paint(on=False))
    )

    assert f"  fingerprint: {'f' * 64}\n  content: {'c' * 64}" in page


def test_a_note_says_what_it_has_and_no_more() -> None:
    """It lacks the fields of an event."""
    note = {
        "type": "note",
        "id": "0123456789",
        "at": "",
        "native_event": "unanswered",
        "message": "no payload",
        "refused": False,
    }

    assert (
        "".join(render_event(note, Paint(on=False)))
        == "  01234567  note    unanswered  message: no payload, refused: false"
    )
    assert list(render_entry({"event": note, "runs": []}, Paint(on=False)))[1:] == [
        "  message: no payload",
        "  refused: false",
    ]
