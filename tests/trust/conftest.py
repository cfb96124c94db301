"""A home for each test, with a repository in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.trust.machine import Home

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fork_server import ForkServer
    from tests.trust.machine import Repository


@pytest.fixture
def home(tmp_path: Path, fork_server: ForkServer) -> Home:
    """An empty home."""
    return Home(tmp_path / "home", fork_server)


@pytest.fixture
def repository(home: Home) -> Repository:
    """An empty repository in it."""
    return home.repository()
