"""Is a file's content what it is now, and is it read only when it changed?"""

from __future__ import annotations

import os
import sys

import pytest

from hookline.handlers.sight import contents as module
from hookline.handlers.sight.contents import contents
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with something in it."""
    path = tmp_path / "file"
    path.write_bytes(b"one")
    path.chmod(0o644)
    return path


def test_a_file_is_read_once_while_nothing_about_it_changes(file: Path) -> None:
    """The bytes and the digest are of the same reading."""
    first = contents(str(file))

    assert first is not None
    assert (first.data, first.digest) == (b"one", sha256(b"one"))
    assert contents(str(file)) is first


def test_a_restored_time_hides_nothing(file: Path) -> None:
    """Of the same length, with the same times."""
    before, found = contents(str(file)), file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
    after = contents(str(file))

    assert before is not None
    assert after is not None
    assert (before.data, after.data, before.stamp[3]) == (b"one", b"two", after.stamp[3])


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "loop", "zero"])
def test_what_is_no_file_has_no_contents(tmp_path: Path, kind: str) -> None:
    """And a pipe is not waited for."""
    path = tmp_path / "x"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path)

    assert contents(f"{path}\0" if kind == "zero" else str(path)) is None


def test_a_link_is_what_it_leads_to(file: Path, tmp_path: Path) -> None:
    """`real` says where that is."""
    (tmp_path / "link").symlink_to(file)
    found = contents(str(tmp_path / "link"))

    assert found is not None
    assert (found.real, found.data) == (str(file), b"one")


def test_a_large_file_is_hashed_and_not_held(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs is a copy, which is hashed when it is made; how it begins is kept."""
    monkeypatch.setattr(module, "LARGEST", 2)
    found = contents(str(file))

    assert found is not None
    assert (found.data, found.head, found.digest) == (None, b"one", sha256(b"one"))
    assert contents(str(file)) is found


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        (0o644, ""),
        (0o600, ""),
        (0o755, ""),
        (0o646, "everybody may write"),
        (0o777, "everybody may write"),
    ],
)
def test_it_is_told_who_else_may_write(file: Path, mode: int, why: str) -> None:
    """Whether it can be read by others does not matter."""
    file.chmod(mode)
    found = contents(str(file))

    assert found is not None
    assert found.exposed.startswith(why)
    assert bool(found.exposed) == bool(why)


def test_a_group_of_its_own_is_no_other(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many systems make a group for each user, and files that it may write."""
    import grp  # noqa: PLC0415 - what is faked

    file.chmod(0o664)
    name = grp.getgrgid(file.stat().st_gid).gr_name
    members: list[str] = []
    monkeypatch.setitem(sys.modules, "grp", _Groups(name, members))
    module._known.clear()
    assert contents(str(file)).exposed == ""  # type: ignore[union-attr]  # it is there

    members.append("mallory")
    module._known.clear()
    assert contents(str(file)).exposed.startswith("its group may write")  # type: ignore[union-attr]  # as above


class _Groups:
    """The system's groups, of which there is one."""

    def __init__(self, name: str, members: list[str]) -> None:
        self.gr_name, self.gr_mem = name, members

    def getgrgid(self, number: int) -> _Groups:  # noqa: ARG002 - there is one
        return self
