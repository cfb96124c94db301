"""Inspections: which of the files changed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hookline.trust.inspection import find_changes
from hookline.trust.inspector import inspect_command
from tests.unit.trust.test_inspector import far, project, started

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["project"]


def test_another_inode_alone_counts_only_with_other_bytes(project: Path) -> None:
    """Some file systems number files again."""
    inspector = partial(inspect_command, clock=far)
    before = inspector(started(project))
    moved = [file.replace(stamp=[1, 2, *file.stamp[2:]]) for file in before.files]

    assert find_changes(before.replace(files=tuple(moved))) == []
    assert find_changes(before.replace(files=(moved[0].replace(sha256="0"),))) == ["a.sh"]
