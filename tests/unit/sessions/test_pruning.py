"""Which sessions are forgotten."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.sessions import folder
from hookline.sessions.folder import Folder

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_000_000_000.0
DAY = 86_400.0


def sessions(base: Path, *ages: float) -> None:
    """Folders `a`, `b` ... in which nothing has happened for so many days."""
    for name, age in zip("abcdefgh", ages, strict=False):
        (base / name).mkdir()
        (base / name / "state.json").write_text("{}", encoding="utf-8")
        os.utime(base / name, (NOW - age * DAY, NOW - age * DAY))


@pytest.mark.parametrize(
    ("ages", "days", "most", "spare", "gone"),
    [
        ((1, 40, 29), 30, 10, "", "b"),
        ((1, 2, 3, 4), 30, 3, "", "cd"),  # the one that is being made counts
        ((1, 2, 3, 4), 30, 2, "d", "bc"),  # and stays
        ((40,), 30, 10, "a", ""),
        ((), 30, 10, "", ""),
    ],
)
def test_the_old_go_and_the_oldest_of_too_many(
    tmp_path: Path, ages: tuple[int, ...], days: int, most: int, spare: str, gone: str
) -> None:
    """Age is when something was last added, replaced or taken."""
    sessions(tmp_path, *ages)

    assert sorted(
        Folder(str(tmp_path / (spare or "new"))).prune_others(now=NOW, days=days, most=most)
    ) == sorted(gone)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(
        set("abcdefgh"[: len(ages)]) - set(gone)
    )


def test_a_locked_session_stays(tmp_path: Path) -> None:
    """Somebody is at it."""
    tmp_path.chmod(0o700)
    sessions(tmp_path, 40)
    (tmp_path / "a").chmod(0o700)
    os.utime(tmp_path / "a", (NOW - 40 * DAY, NOW - 40 * DAY))
    with Folder(str(tmp_path / "a")).lock(0.0):
        assert Folder(str(tmp_path / "new")).prune_others(now=NOW, days=30, most=10) == []


def test_what_is_no_session_is_left_alone(tmp_path: Path) -> None:
    """A link is not followed, and a folder with folders in it is none of ours."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "base" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "base" / "link").symlink_to(tmp_path / "elsewhere")

    assert Folder(str(tmp_path / "base/new")).prune_others(now=NOW + 1e10, days=30, most=0) == []
    assert (tmp_path / "elsewhere").exists()


def test_who_prunes_at_the_same_time_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is a session that was gone, or taken up again, after its age was looked at."""
    sessions(tmp_path, 40, 40)
    listed = folder._list_folders

    def others_come_first(base: str) -> list[tuple[float, str]]:
        found = list(listed(base))
        (tmp_path / "a" / "state.json").unlink()
        (tmp_path / "a").rmdir()
        (tmp_path / "b" / "state.json").write_text('{"a": 1}', encoding="utf-8")
        os.utime(tmp_path / "b", (NOW, NOW))
        return found

    monkeypatch.setattr(folder, "_list_folders", others_come_first)

    assert Folder(str(tmp_path / "new")).prune_others(now=NOW, days=30, most=10) == []
    assert (tmp_path / "b" / "state.json").read_text(encoding="utf-8") == '{"a": 1}'
