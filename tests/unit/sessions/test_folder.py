"""One session's files: under a lock, and whole whatever happens to who writes them."""

from __future__ import annotations

import fcntl
import json
import os
from typing import TYPE_CHECKING

import pytest

from hookline.sessions.folder import DamagedError, Folder, claim, is_abandoned, list_files, read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_the_lock_is_waited_for_only_so_long(tmp_path: Path) -> None:
    """A process that was stopped while it held it must not stop every other."""
    path = str(tmp_path / "base" / "s")
    with (
        Folder(path, 0.0),
        pytest.raises(TimeoutError, match="another process keeps it locked"),
        Folder(path, 0.01),
    ):
        pass

    with Folder(path, 0.0) as folder:
        assert not folder.made


def test_a_folder_that_was_pruned_meanwhile_is_made_again(tmp_path: Path) -> None:
    """The lock counts for the folder of that name, not for one that is gone."""
    path = tmp_path / "base" / "s"
    held = Folder(str(path), 0.0)
    held.__enter__()
    os.rename(path, tmp_path / "base" / "gone")
    with Folder(str(path), 0.0) as folder:
        folder.write({"a": 1})
    held.__exit__()

    assert read(f"{path}/state.json") == {"a": 1}
    assert os.listdir(tmp_path / "base" / "gone") == []


def test_a_folder_of_somebody_elses_is_refused(tmp_path: Path) -> None:
    """What is read from it is told to an agent."""
    (tmp_path / "base").mkdir(mode=0o700)
    (tmp_path / "base" / "s").mkdir()
    (tmp_path / "base" / "s").chmod(0o770)

    with (
        pytest.raises(PermissionError, match="only this user can write to"),
        Folder(str(tmp_path / "base" / "s"), 0.0),
    ):
        pass


def test_what_cannot_be_written_leaves_the_former_state(tmp_path: Path) -> None:
    """And no half file."""
    path = str(tmp_path / "base" / "s")
    with Folder(path, 0.0) as folder:
        folder.write({"a": 1})
        with pytest.raises(TypeError):
            folder.write({"a": {1, 2}})

    assert os.listdir(path) == ["state.json"]
    assert read(f"{path}/state.json") == {"a": 1}


def test_answers_are_in_the_order_in_which_they_were_added(tmp_path: Path) -> None:
    """Even where the clock stands still, or was set back."""
    path = str(tmp_path / "base" / "s")
    with Folder(path, 0.0) as folder:
        (tmp_path / "base" / "s" / "99999999999999999990-1.late").write_text("{}", encoding="utf-8")
        for number in range(5):
            folder.add({"n": number}, wakes=number == 3)
    names = list_files(path, ".late", ".wake")

    assert [
        json.loads((tmp_path / "base" / "s" / name).read_text(encoding="utf-8")).get("n")
        for name in names
    ] == [None, 0, 1, 2, 3, 4]
    assert [name.rpartition(".")[2] for name in names] == [
        "late",
        "late",
        "late",
        "late",
        "wake",
        "late",
    ]


def test_an_answer_is_claimed_once(tmp_path: Path) -> None:
    """Whoever comes second finds it gone; one that cannot be read is gone too, so that it is not told again and again."""
    (tmp_path / "1-1.late").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "2-1.late").write_text("[", encoding="utf-8")

    assert claim(str(tmp_path), "1-1.late") == {"a": 1}
    assert claim(str(tmp_path), "1-1.late") is None
    with pytest.raises(DamagedError):
        claim(str(tmp_path), "2-1.late")
    assert os.listdir(tmp_path) == []


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A state that lies elsewhere is nobody's."""
    (tmp_path / "other").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "state.json").symlink_to(tmp_path / "other")

    with pytest.raises(OSError, match="symbolic"):
        read(f"{tmp_path}/state.json")


def test_a_file_has_a_bound(tmp_path: Path) -> None:
    """A state of more than a mebibyte was not written here."""
    (tmp_path / "state.json").write_text(json.dumps({"a": "x" * (1 << 20)}), encoding="utf-8")

    with pytest.raises(DamagedError):
        read(f"{tmp_path}/state.json")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_plain_file_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """Nobody waits for the other end of a pipe."""
    make(tmp_path / "state.json")

    with pytest.raises(PermissionError, match="not a file that only this user can write to"):
        read(str(tmp_path / "state.json"))


def test_what_others_may_have_written_is_refused(tmp_path: Path) -> None:
    """Whoever the folder belongs to."""
    (tmp_path / "state.json").write_text("{}", encoding="utf-8")
    (tmp_path / "state.json").chmod(0o602)

    with pytest.raises(PermissionError, match="not a file that only this user can write to"):
        read(str(tmp_path / "state.json"))


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    """The former state stays."""
    path = str(tmp_path / "base" / "s")
    with Folder(path, 0.0) as folder:
        folder.write({"a": 1})
        with pytest.raises(OSError, match="more than a session may"):
            folder.write({"a": "x" * (1 << 20)})

    assert read(f"{path}/state.json") == {"a": 1}


def test_a_file_that_is_held_is_not_abandoned(tmp_path: Path) -> None:
    """From the first moment on in which anybody can see it, until its holder lets go of it."""
    with Folder(str(tmp_path / "base" / "s"), 0.0) as folder:
        file, fd = folder.hold({"hook_id": "a"})
    held = is_abandoned(file)
    fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)

    assert (held, is_abandoned(file), is_abandoned(file + "x")) == (False, True, False)
