"""`hookline doctor --fix`: what is mended, and whose files are left alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.cli.doctor import mended
from hookline.engine.soundness import Finding

if TYPE_CHECKING:
    from pathlib import Path


def _file(folder: Path, mode: int) -> Path:
    path = folder / "a hook.sh"
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("check.not-executable", 0o644, 0o755),
        ("check.not-executable", 0o600, 0o700),
        ("check.exposed", 0o777, 0o755),
        ("check.noise", 0o644, 0o644),
    ],
)
def test_a_mode_is_mended(name: str, before: int, after: int, tmp_path: Path) -> None:
    """Only where the mode is what is wrong, and for no more people than may read the file."""
    path = _file(tmp_path, before)
    said = mended(Finding(name=name, message="", path=str(path)))

    assert path.stat().st_mode & 0o777 == after
    assert said == ("" if before == after else f"chmod {after:o} {path}")


def test_words_of_a_hint_name_no_file(tmp_path: Path) -> None:
    """A hook's command may hold any path; only the file that was looked at counts."""
    path = _file(tmp_path, 0o644)

    assert mended(Finding(name="check.not-executable", message="", hint=f"chmod +x {path}")) == ""
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("what", ["link", "folder", "pipe", "nothing"])
def test_what_is_no_file_is_left_alone(what: str, tmp_path: Path) -> None:
    """Neither what a link leads to, nor anything that only has the name."""
    target, path = _file(tmp_path, 0o644), tmp_path / "other"
    {"link": lambda: path.symlink_to(target), "folder": path.mkdir, "pipe": lambda: os.mkfifo(path), "nothing": lambda: None}[what]()

    assert mended(Finding(name="check.not-executable", message="", path=str(path))) == ""
    assert target.stat().st_mode & 0o777 == 0o644
