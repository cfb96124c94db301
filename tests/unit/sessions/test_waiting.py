"""Late answers as files of a session's folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hookline.core.late import Late
from hookline.sessions.folder import Folder
from hookline.sessions.memory import MOST_CHARACTERS
from hookline.sessions.waiting import keep, take

if TYPE_CHECKING:
    from pathlib import Path


def never(file: str, error: ValueError) -> None:
    """Nothing is damaged here."""
    raise AssertionError(file) from error


def test_too_much_text_makes_the_oldest_fall_out(tmp_path: Path) -> None:
    """The newest stays whatever its length; how many fell out of which hook is written down beside what was known."""
    path = str(tmp_path / "base" / "s")
    with Folder(path, 0.0) as folder:
        for name in ("a", "b", "c"):
            keep(folder, Late(hook_id=name, for_agent="x" * (MOST_CHARACTERS // 2)), lambda: {"facts": {"k": 1}})
        written = (tmp_path / "base" / "s" / "state.json").read_text(encoding="utf-8")

    assert written == '{"facts": {"k": 1}, "dropped": {"a": 1}}'
    assert [late.hook_id for late in take(path, False, never)] == ["b", "c"]
    assert os.listdir(path) == ["state.json"]


def test_a_damaged_answer_falls_out_like_any_other(tmp_path: Path) -> None:
    """Whose it was nobody knows."""
    path = tmp_path / "base" / "s"
    with Folder(str(path), 0.0) as folder:
        for number in range(32):
            (path / f"{number:020d}-1.late").write_text("", encoding="utf-8")
        keep(folder, Late(hook_id="a", for_agent="x"), dict)
        assert (path / "state.json").read_text(encoding="utf-8") == '{"dropped": {"": 1}}'
