"""What differs between two versions of a pack is shown as texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.packs.differences import compare_packs
from hookline.packs.lock import Pack, digest_files

if TYPE_CHECKING:
    from pathlib import Path


def make(root: Path, files: dict[str, bytes], **wheels: str) -> Pack:
    """Return a version with these own files."""
    for name, data in files.items():
        path = root / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return Pack(
        name="p", root=str(root), folder="files", wheels=wheels, files=digest_files(str(root))
    )


def test_equal_versions_differ_in_nothing(tmp_path: Path) -> None:
    """Whatever their folders are called."""
    first = make(tmp_path / "1", {"a.sh": b"x\n", "b.bin": b"\0"}, w="1")

    assert compare_packs(first, make(tmp_path / "2", {"a.sh": b"x\n", "b.bin": b"\0"}, w="1")) == ""


def test_each_difference_is_shown(tmp_path: Path) -> None:
    """A text by its lines, other data by its name, files that came or went, wheels by hashes."""
    before = make(tmp_path / "1", {"a.sh": b"x\n", "b.bin": b"\0", "old.sh": b"o\n"}, w="1")
    after = make(tmp_path / "2", {"a.sh": b"y\n", "b.bin": b"\1\0", "d/new.sh": b"n"}, w="2")

    assert compare_packs(before, after).splitlines() == [
        "--- wheels", "+++ wheels", "@@ -1 +1 @@", "-w sha256:1", "+w sha256:2",
        "--- a.sh", "+++ a.sh", "@@ -1 +1 @@", "-x", "+y",
        "b.bin differs, and is no text",
        "--- /dev/null", "+++ d/new.sh", "@@ -0,0 +1 @@", "+n",
        "--- old.sh", "+++ /dev/null", "@@ -1 +0,0 @@", "-o",
    ]  # fmt: skip
