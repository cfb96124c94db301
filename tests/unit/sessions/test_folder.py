"""One session's files: under a lock, and whole whatever happens to who writes them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hookline.sessions.folder import Folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_the_lock_is_waited_for_only_so_long(tmp_path: Path) -> None:
    """A process that was stopped while it held it must not stop every other."""
    path = str(tmp_path / "base" / "s")
    with (
        Folder(path).lock(0.0),
        pytest.raises(TimeoutError, match="another process keeps it locked"),
        Folder(path).lock(0.01),
    ):
        pass

    with Folder(path).lock(0.0) as is_new:
        assert not is_new


def test_a_folder_that_was_pruned_meanwhile_is_made_again(tmp_path: Path) -> None:
    """The lock counts for the folder of that name, not for one that is gone."""
    path = tmp_path / "base" / "s"
    held = Folder(str(path)).lock(0.0)
    held.__enter__()
    os.rename(path, tmp_path / "base" / "gone")
    with Folder(str(path)).lock(0.0):
        Folder(str(path)).write({"a": 1})
    held.__exit__(None, None, None)

    assert Folder(str(path)).read("s") == {"a": 1}
    assert os.listdir(tmp_path / "base" / "gone") == []


def test_a_folder_of_somebody_elses_is_refused(tmp_path: Path) -> None:
    """What is read from it is told to an agent."""
    (tmp_path / "base").mkdir(mode=0o700)
    (tmp_path / "base" / "s").mkdir()
    (tmp_path / "base" / "s").chmod(0o770)

    with (
        pytest.raises(PermissionError, match="only this user can write to"),
        Folder(str(tmp_path / "base" / "s")).lock(0.0),
    ):
        pass


def test_what_cannot_be_written_leaves_the_former_state(tmp_path: Path) -> None:
    """And no half file."""
    path = str(tmp_path / "base" / "s")
    with Folder(path).lock(0.0):
        Folder(path).write({"a": 1})
        with pytest.raises(TypeError):
            Folder(path).write({"a": {1, 2}})

    assert os.listdir(path) == ["state.json"]
    assert Folder(str(path)).read("s") == {"a": 1}


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A state that lies elsewhere is nobody's."""
    (tmp_path / "other").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "state.json").symlink_to(tmp_path / "other")

    with pytest.raises(OSError, match="symbolic"):
        Folder(str(tmp_path)).read("s")


def test_a_file_has_a_bound(tmp_path: Path) -> None:
    """A state of more than a mebibyte was not written here."""
    (tmp_path / "state.json").write_text(json.dumps({"a": "x" * (1 << 20)}), encoding="utf-8")

    with pytest.raises(ValueError, match="Unterminated"):
        Folder(str(tmp_path)).read("s")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_plain_file_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """Nobody waits for the other end of a pipe."""
    make(tmp_path / "state.json")

    with pytest.raises(PermissionError, match="not a file that only this user can write to"):
        Folder(str(tmp_path)).read("s")


def test_what_others_may_have_written_is_refused(tmp_path: Path) -> None:
    """Whoever the folder belongs to."""
    (tmp_path / "state.json").write_text("{}", encoding="utf-8")
    (tmp_path / "state.json").chmod(0o602)

    with pytest.raises(PermissionError, match="not a file that only this user can write to"):
        Folder(str(tmp_path)).read("s")


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    """The former state stays."""
    path = str(tmp_path / "base" / "s")
    with Folder(path).lock(0.0):
        Folder(path).write({"a": 1})
        with pytest.raises(OSError, match="more than a session may"):
            Folder(path).write({"a": "x" * (1 << 20)})

    assert Folder(str(path)).read("s") == {"a": 1}


def test_a_mark_is_lost_when_its_process_is_gone(tmp_path: Path) -> None:
    """Not while that lives, and not where the hook came to its end; each is reported once."""
    path = str(tmp_path / "base" / "s")
    with Folder(path).lock(0.0):
        runs, ended, gone = (Folder(path).make_mark(name) for name in ("runs", "ended", "gone"))
        ended.remove()
        os.close(gone.fd)  # as the system does where a process is killed
        assert (Folder(path).take_lost_marks(), Folder(path).take_lost_marks()) == (["gone"], [])
        runs.remove()

    assert os.listdir(path) == []
