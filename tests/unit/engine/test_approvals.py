"""Whether a repository has approvals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.engine.sources import has_approvals

if TYPE_CHECKING:
    from pathlib import Path


def test_a_user_without_a_store_has_approved_nothing(tmp_path: Path) -> None:
    """A look does not create the store."""
    environ = {"HOME": str(tmp_path)}

    assert not has_approvals(str(tmp_path / "code"), environ)
    assert list(tmp_path.iterdir()) == []


def test_the_home_is_no_project(tmp_path: Path) -> None:
    """Files in it are the user's own, and hookline parses them."""
    assert has_approvals(str(tmp_path), {"HOME": str(tmp_path)})
