"""A home for each test, with a repository in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.trust.machine import Home

if TYPE_CHECKING:
    from pathlib import Path

    from tests.trust.machine import Repository


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home."""
    return Home(tmp_path / "home")


@pytest.fixture
def repository(home: Home) -> Repository:
    """An empty repository in it."""
    return home.repository()
