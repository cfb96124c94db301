"""A home for each test, with a repository in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.trust.fork_server import ForkServer
from tests.trust.machine import Home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.trust.machine import Repository


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """The process of which all commands are forks."""
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def home(tmp_path: Path, fork_server: ForkServer) -> Home:
    """An empty home."""
    return Home(tmp_path / "home", fork_server)


@pytest.fixture
def repository(home: Home) -> Repository:
    """An empty repository in it."""
    return home.repository()
