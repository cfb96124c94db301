"""Late answers as files of a session's folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hookline.core.deferred_results import DeferredResult
from hookline.sessions.folder import Folder
from hookline.sessions.memory import MOST_CHARACTERS
from hookline.sessions.pending import begin, finish, keep, take

if TYPE_CHECKING:
    from pathlib import Path


def never(file: str, error: ValueError | OSError) -> None:
    """Nothing is damaged here."""
    raise AssertionError(file) from error


def test_too_much_text_makes_the_oldest_fall_out(tmp_path: Path) -> None:
    """The newest stays whatever its length; how many fell out of which hook is written down beside what was known."""
    path = str(tmp_path / "base" / "s")
    with Folder(path, 0.0) as folder:
        for name in ("a", "b", "c"):
            keep(
                folder,
                DeferredResult(hook_id=name, for_agent="x" * (MOST_CHARACTERS // 2)),
                lambda: {"facts": {"k": 1}},
            )
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
        keep(folder, DeferredResult(hook_id="a", for_agent="x"), dict)
        assert (path / "state.json").read_text(encoding="utf-8") == '{"dropped": {"": 1}}'


def test_one_file_that_cannot_be_taken_leaves_the_others(tmp_path: Path) -> None:
    """A pipe that nobody writes to, a link, what others may write: each is said, and none is waited for."""
    path = tmp_path / "base" / "s"
    with Folder(str(path), 0.0) as folder:
        os.mkfifo(path / "1-1.late")
        (path / "2-1.late").symlink_to("/etc/passwd")
        (path / "3-1.late").write_text("{}", encoding="utf-8")
        (path / "3-1.late").chmod(0o666)
        keep(folder, DeferredResult(hook_id="a", for_agent="x"), dict)
    wrong: list[str] = []
    lates = take(
        str(path),
        False,
        lambda file, error: wrong.append(f"{os.path.basename(file)} {type(error).__name__}"),
    )

    assert [late.hook_id for late in lates] == ["a"]
    assert wrong == ["1-1.late PermissionError", "2-1.late OSError", "3-1.late PermissionError"]


def test_a_hook_whose_process_is_gone_is_told_of_once(tmp_path: Path) -> None:
    """Not while that lives, not where the hook came to its end, and not at a stop."""
    path = str(tmp_path / "base" / "s")
    with Folder(path, 0.0) as folder:
        runs, ended, gone = begin(folder, "runs"), begin(folder, "ended"), begin(folder, "gone")
    finish(ended)
    os.close(gone.fd)  # as the system does where a process is killed
    at_a_stop, first, second = (
        take(path, True, never),
        take(path, False, never),
        take(path, False, never),
    )
    finish(runs)

    assert at_a_stop == second == []
    assert [(late.hook_id, late.fault) for late in first] == [
        ("gone", "the process that ran it ended before the hook did")
    ]
    assert (
        first[0].for_user
        == "hook `gone` failed in the background: the process that ran it ended before the hook did"
    )
    assert os.listdir(path) == []
