"""Retention: whole files go, the oldest first, and the trail says from where on it is whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.journal.log_files import LogFiles, Segment, select_expired
from tests.unit.journal.support import checked, files, kind_of_break, note, records

if TYPE_CHECKING:
    from pathlib import Path

DAYS = [f"2026-11-{day:02d}T10:00:00.000Z" for day in range(1, 11)]


def ten_days(folder: Path, **chosen: object) -> LogFiles:
    """A trail with a record a day."""
    trail = LogFiles(str(folder), **chosen)  # type: ignore[arg-type]  # settings of a trail
    for at in DAYS:
        trail.append([note(at, at)], at=at)
    return trail


@pytest.mark.parametrize(
    ("keep_days", "keep_bytes", "gone"),
    [(0, 0, 0), (3, 0, 1), (1, 0, 2), (0, 350, 1), (0, 1, 3), (100, 250, 2)],
)
def test_what_is_too_old_or_too_much_goes(keep_days: int, keep_bytes: int, gone: int) -> None:
    """The day of the next file counts, and the last file stays."""
    found = [
        Segment(name=f"2026-11-{day}.{day:012d}.jsonl", day=f"2026-11-{day}", seq=day)
        for day in (11, 12, 19, 20)
    ]

    assert select_expired(found, [100] * 4, "2026-11-21", keep_days, keep_bytes) == found[:gone]


def test_a_trail_begins_later_and_is_whole(tmp_path: Path) -> None:
    """Which verify says."""
    ten_days(tmp_path / "j", keep_days=3)
    found = checked(tmp_path / "j")

    assert len(files(tmp_path / "j")) < 6
    assert (found.broken, found.first) == (None, records(tmp_path / "j")[0]["seq"])
    assert "removed by retention" in found.notes[-1]


def test_what_retention_did_not_remove_is_missed(tmp_path: Path) -> None:
    """A cut tells from which record on all of them exist."""
    ten_days(tmp_path / "j", keep_days=3)
    files(tmp_path / "j")[0].unlink()

    assert kind_of_break(tmp_path / "j") == "removed"


def test_a_process_that_was_killed_before_it_removed_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are removed by the next; until then the trail is whole as well."""

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    trail = ten_days(tmp_path / "j", keep_days=0)
    trail.keep_days = 3
    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            trail.prune(at=DAYS[-1])
    assert (kind_of_break(tmp_path / "j"), len(files(tmp_path / "j"))) == ("", 10)

    assert len(trail.prune(at=DAYS[-1])) == 5
    assert kind_of_break(tmp_path / "j") == ""


def test_nothing_to_remove_writes_nothing(tmp_path: Path) -> None:
    """No cut is recorded."""
    trail = ten_days(tmp_path / "j", keep_days=0)

    assert trail.prune(at=DAYS[-1]) == []
    assert len(records(tmp_path / "j")) == 10
    assert LogFiles(str(tmp_path / "new")).prune(at=DAYS[-1]) == []
