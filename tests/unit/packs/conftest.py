"""A home, a folder with a pack, and an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.packs.support import World

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> World:
    """As above."""
    return World(tmp_path)
