"""Real paths and searches through the folders above, whose cost grows linearly with the depth."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookline.config.places import project_root
from hookline.config.project_env import drop_project_env
from hookline.paths import nearest_with, real_path, state_folder

if TYPE_CHECKING:
    from pathlib import Path

LEVELS = 300


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A folder 300 levels deep."""
    folder = tmp_path.joinpath(*["d"] * LEVELS)
    folder.mkdir(parents=True)
    return folder


def builtin_calls(function: Any, *given: Any) -> int:
    """How many functions of the interpreter a call makes, system calls among them."""
    count = 0

    def seen(_frame: object, event: str, _called: object) -> None:
        nonlocal count
        count += event == "c_call"

    sys.setprofile(seen)
    try:
        function(*given)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "function",
    [
        lambda folder: project_root(folder, {"HOME": "/nonexistent"}),
        lambda folder: nearest_with(folder, ".git"),
        lambda folder: drop_project_env({"CODEX_HOME": "/x"}, folder),
        real_path,
    ],
    ids=["project_root", "nearest_with", "drop_project_env", "real_path"],
)
def test_a_search_makes_as_many_calls_as_the_folder_has_levels(deep: Path, function: Any) -> None:
    """A walk that resolves each level from the root makes a quadratic number of calls."""
    assert builtin_calls(function, str(deep)) < 60 * LEVELS


def test_a_real_path_is_that_of_the_standard_library(tmp_path: Path, deep: Path) -> None:
    """Links, missing parts and dangling links give what `os.path.realpath` gives, at every depth."""
    (tmp_path / "link").symlink_to(deep)
    (deep / "file").write_text("x")
    (deep / "dangling").symlink_to("gone")
    (deep / "up").symlink_to(tmp_path)
    for path in (
        tmp_path / "link",
        tmp_path / "link" / "file",
        deep / "dangling",
        deep / "dangling" / "x",
        deep / "missing" / "more",
        deep / "up" / "link",
        deep / "up" / "missing",
        tmp_path / "link" / ".." / "x",
    ):
        assert real_path(str(path)) == os.path.realpath(path)


def test_the_nearest_folder_with_a_name_is_found(deep: Path) -> None:
    """The search takes the nearest entry, also a dangling link, and none of a missing folder."""
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
    """Or where the user has it."""
    assert state_folder(environ) == folder
