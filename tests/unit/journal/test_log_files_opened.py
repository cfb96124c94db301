"""Files: only what is this user's own and no link is opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.errors import JournalError
from hookline.journal.log_files import _open_folder, _open_own, open_to_read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WRITE = os.O_RDWR | os.O_CREAT


def test_a_folder_is_made_where_it_is_missing(tmp_path: Path) -> None:
    """With those above it."""
    descriptor = _open_folder(str(tmp_path / "a" / "b"))
    os.close(_open_own("x", WRITE, descriptor))
    os.close(descriptor)

    assert (tmp_path / "a" / "b" / "x").is_file()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A pipe in its place would stop every writer; a link would lead elsewhere."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    folder = _open_folder(str(tmp_path))
    try:
        for name in ("pipe", "link"):
            with pytest.raises(JournalError) as caught:
                _open_own(name, WRITE, folder)
            assert caught.value.name == "journal.place"
    finally:
        os.close(folder)
    assert not (tmp_path / "target").exists()


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """It says that it is no folder."""
    (tmp_path / "x").touch()

    with pytest.raises(JournalError, match="not a folder"):
        _open_folder(str(tmp_path / "x"))


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to("/etc/passwd"), lambda path: path.mkdir()]
)
def test_what_is_no_file_is_not_read(make: Callable[[Path], None], tmp_path: Path) -> None:
    """A pipe is not waited for, and a link not followed."""
    make(tmp_path / "head")

    with pytest.raises(JournalError) as caught:
        open_to_read(str(tmp_path / "head"))
    assert caught.value.name == "journal.place"


def test_a_file_is_read(tmp_path: Path) -> None:
    """One that is missing is not made."""
    (tmp_path / "head").write_bytes(b"x")
    descriptor = open_to_read(str(tmp_path / "head"))
    try:
        assert os.read(descriptor, 9) == b"x"
    finally:
        os.close(descriptor)
    with pytest.raises(FileNotFoundError):
        open_to_read(str(tmp_path / "none"))
