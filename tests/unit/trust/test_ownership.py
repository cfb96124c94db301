"""Who else may write a file, or put one into a folder?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.errors import TrustError
from hookline.trust.ownership import damaged, is_others, own_file, own_folder, unwritable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("mode", "left"), [(0o700, 0o700), (0o755, 0o755), (0o775, 0o755), (0o770, 0o750)]
)
def test_a_folder_of_ones_own_is_fine(mode: int, left: int, tmp_path: Path) -> None:
    """What a loose umask let its group do is taken back."""
    tmp_path.chmod(mode)
    own_folder(str(tmp_path))

    assert tmp_path.stat().st_mode & 0o777 == left


def test_a_folder_that_all_may_write_is_none(tmp_path: Path) -> None:
    """Somebody may have put something there already."""
    tmp_path.chmod(0o777)

    with pytest.raises(TrustError, match="others may put files into") as caught:
        own_folder(str(tmp_path))
    assert caught.value.name == "trust.exposed"
    tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    ("mode", "fine"), [(0o600, True), (0o644, True), (0o620, False), (0o602, False)]
)
def test_a_file_is_ones_own_where_nobody_else_writes_it(
    mode: int, fine: bool, tmp_path: Path
) -> None:
    """By its mode."""
    path = tmp_path / "file"
    path.touch()
    path.chmod(mode)

    assert is_others(os.stat(path)) is not fine
    if fine:
        own_file(str(path))
        return
    with pytest.raises(TrustError, match="somebody else's"):
        own_file(str(path))


def test_a_link_is_no_file_and_nothing_is_nobodys(tmp_path: Path) -> None:
    """Where there is no file, nothing is wrong yet."""
    own_file(str(tmp_path / "none"))
    (tmp_path / "link").symlink_to(tmp_path / "none")

    with pytest.raises(TrustError):
        own_file(str(tmp_path / "link"))


def test_what_is_wrong_with_a_store_is_a_sentence() -> None:
    """With what to do."""
    assert (damaged("/t.db", "torn").code, str(damaged("/t.db", "torn"))) == (
        "HKL3007", "the approvals in `/t.db` cannot be read: torn (move the file away and approve again)",
    )  # fmt: skip
    assert unwritable("/t.db", "full").code == "HKL3009"
