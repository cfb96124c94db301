"""A home and a project for each test."""

from __future__ import annotations

import pytest

from tests.unit.trust.support import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A home and a project."""
    return World(tmp_path)
