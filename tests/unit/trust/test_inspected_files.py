"""Which of the files that were found changed, and which lie in a folder?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.trust.inspected_files import find_changes, list_files_within
from hookline.trust.inspection import Inspector
from tests.unit.trust.test_inspection import far, project, started

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["project"]


def test_another_inode_alone_counts_only_with_other_bytes(project: Path) -> None:
    """Some file systems number files anew."""
    inspector = Inspector(None, clock=far)
    before = inspector.inspect(started(project))
    moved = [file.replace(stamp=(1, 2, *file.stamp[2:])) for file in before.files]

    assert find_changes(before.replace(files=tuple(moved))) == ()
    assert find_changes(before.replace(files=(moved[0].replace(sha256="0"),))) == ("a.sh",)  # fmt: skip


def test_files_of_a_folder_are_found_by_name_and_by_real_path(project: Path) -> None:
    """So that a link does not hide them."""
    (project.parent / "link").symlink_to(project / "lib")
    found = Inspector(None).inspect(started(project, "bash ../link/b.sh"))

    assert [file.path for file in list_files_within(found, str(project / "lib"))] == [str(project.parent / "link/b.sh")]  # fmt: skip
    assert list_files_within(found, str(project.parent / "link")) == found.files
    assert list_files_within(found, str(project / "li")) == ()
