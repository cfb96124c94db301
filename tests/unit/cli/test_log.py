"""`hookline log`: following, ids, and faults of the folder; what it prints otherwise is a transcript."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from hookline.cli import log
from hookline.cli.paint import Paint
from hookline.cli.recorded import event_line
from hookline.journal.index import Index
from hookline.journal.query import Query
from tests.unit.cli.support import DOCKER, LS, SUDO, Desk


def folder_of(desk: Desk) -> str:
    """Where the journal is."""
    return str(desk.folder.parent / "home/.local/state/hookline/journal")


def fire(desk: Desk, payload: object = LS) -> None:
    """One decision more."""
    desk.type("fire", "pre_tool_use", "-c", DOCKER, stdin=payload)


def test_what_is_written_meanwhile_is_shown_once(desk: Desk) -> None:
    """Each new decision that the query asks for, in its order."""
    fire(desk)
    shown: list[dict[str, Any]] = []
    looks = iter([LS, SUDO, None, SUDO])

    def wait() -> bool:
        for payload in looks:
            if payload is not None:
                fire(desk, payload)
            return True
        return False

    with Index(folder_of(desk)) as index:
        index.refresh()
        log._follow(index, Query(stance="deny", after=index.last), shown.append, wait)

    assert [record["stance"] for record in shown] == ["deny", "deny"]
    assert len({record["id"] for record in shown}) == 2


def test_following_ends_when_nobody_reads(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe whose reader has gone, or an output that is closed."""
    reads, writes = os.pipe()
    with os.fdopen(writes, "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        monkeypatch.setattr(log, "_PAUSE", 0.0)
        assert log._pause()
        os.close(reads)
        assert not log._pause()
    assert not log._pause()


def test_the_newest_are_listed_last(desk: Desk) -> None:
    """As many as are asked for."""
    for payload in (SUDO, LS, SUDO):
        fire(desk, payload)
    told = desk.type("log", "--limit", "2", "--json")

    assert [json.loads(line)["stance"] for line in told.out.splitlines()] == ["allow", "deny"]


def test_an_id_that_is_not_one_decisions_is_refused(desk: Desk) -> None:
    """It says which there are."""
    fire(desk)
    fire(desk)
    told = desk.type("log", "show", "")

    assert told.code == 2
    assert "2 decisions have an id that begins with ``" in told.err


@pytest.mark.parametrize("words", [("--head", "12"), ("--limit", "-1"), ("--stance", "no")])
def test_a_wrong_option_is_a_usage_error(words: tuple[str, ...], desk: Desk) -> None:
    """With what would be right."""
    assert desk.type("log", "verify", *words).code == 2


def test_a_remembered_head_is_compared(desk: Desk) -> None:
    """Whole in itself, and not the one that was."""
    fire(desk)
    head = desk.type("log", "verify", "--json").document["head"]

    assert desk.type("log", "verify", "--head", head).code == 0
    told = desk.type("log", "verify", "--head", f"{head.partition(':')[0]}:{'0' * 64}")
    assert (told.code, "not the one that is remembered" in told.out) == (1, True)


def test_another_journal_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """By --path, wherever this user's is."""
    monkeypatch.setenv("HOOKLINE_JOURNAL", str(desk.folder / "mine"))
    fire(desk)
    monkeypatch.delenv("HOOKLINE_JOURNAL")

    assert "records" in desk.type("log", "verify", "--path", "mine").out
    assert desk.type("log", "prune", "--path", "nowhere").code == 2


def test_a_folder_that_cannot_be_listed_is_told(desk: Desk) -> None:
    """It is a file."""
    desk.file("file", "")

    assert "HKL6008" in desk.type("log", "reindex", "--path", "file").err


def test_prune_says_before_it_does(desk: Desk) -> None:
    """With --dry-run, nothing is removed."""
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
    """The reason is cut, nothing else."""
    monkeypatch.setenv("COLUMNS", str(width))
    fire(desk, SUDO)
    record = json.loads(desk.type("log", "--json").out)
    line = event_line(record | {"reason": "r" * 300}, Paint(on=False))

    assert "pre_tool_use shell (docker-agent)" in line
    assert len(line) <= max(width, 80)
