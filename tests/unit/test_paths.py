"""Searches through the folders above, and the folder for what lasts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.config.places import project_root
from hookline.paths import list_parents, make_private_folder, nearest_with, state_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_the_folders_above_end_at_the_root() -> None:
    """The folder itself comes first."""
    assert list(list_parents("/a/b")) == ["/a/b", "/a", "/"]


def test_the_nearest_folder_with_a_name_is_found(tmp_path: Path) -> None:
    """The search takes the nearest entry, also a dangling link, and none of a missing folder."""
    deep = tmp_path.joinpath(*"abcdefghijkl")
    deep.mkdir(parents=True)
    (deep.parents[9] / ".git").mkdir()
    (deep.parents[4] / ".git").symlink_to("gone")
    assert nearest_with(str(deep), ".git") == str(deep.parents[4])
    assert nearest_with(str(deep / "missing"), ".git") == str(deep.parents[4])
    assert nearest_with(str(deep), ".no-such-name") == ""


def test_no_project_is_found_in_a_home_or_above_it(tmp_path: Path) -> None:
    """A home with a link on the way to it is still recognised; a project below it is found."""
    home = tmp_path / "home"
    (home / "work" / "inner").mkdir(parents=True)
    for folder in (tmp_path, home, home / "work"):
        (folder / ".git").mkdir()
    (tmp_path / "alias").symlink_to(home)
    environ = {"HOME": str(home)}
    assert project_root(str(home / "work" / "inner"), environ) == str(home / "work")
    (home / "work" / ".git").rmdir()
    assert project_root(str(home / "work" / "inner"), environ) == ""
    assert project_root(str(tmp_path / "alias" / "work"), environ) == ""


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"HOME": "/h"}, "/h/.local/state/hookline"),
        ({"HOME": "/h", "XDG_STATE_HOME": "/s"}, "/s/hookline"),
        ({"HOME": "/h", "XDG_STATE_HOME": "s"}, "/h/.local/state/hookline"),
        ({}, os.path.expanduser("~/.local/state/hookline")),
    ],
)
def test_what_lasts_is_below_the_home(environ: dict[str, str], folder: str) -> None:
    """Or in the folder that the XDG variables name."""
    assert state_folder(environ) == folder


@pytest.mark.parametrize("umask", [0o002, 0o022, 0o000])
def test_a_private_folder_is_private_up_to_the_first_that_was_there(
    tmp_path: Path, umask: int
) -> None:
    """Whatever the umask allows others."""
    before = os.umask(umask)
    try:
        make_private_folder(str(tmp_path / "a/b/c"))
        make_private_folder(str(tmp_path / "a/b/c"))
    finally:
        os.umask(before)

    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b", "a/b/c")]
    assert modes == [0o700] * 3
