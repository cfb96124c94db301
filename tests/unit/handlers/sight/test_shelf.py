"""Is a large file read once, and again as soon as anything about it changed, or could have?"""

from __future__ import annotations

import os
import sys

import pytest

from hookline.handlers.sight import contents as module
from hookline.handlers.sight.contents import LARGEST, contents
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

if sys.platform != "linux":
    pytest.skip("elsewhere nobody can be kept from writing", allow_module_level=True)

OLD, YOUNG = 0, 1 << 62  # grains of a clock: each time is old by the one, and lately by the other
BYTES = b"x" * (LARGEST + 1)


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is too large to be held, and whose times are old."""
    monkeypatch.setattr(module, "_GRAIN", OLD)
    path = tmp_path / "large"
    path.write_bytes(BYTES)
    return path


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state/verified"


def kept(shelf: Path) -> list[Path]:
    """The digests that are kept."""
    return [*shelf.glob("digests/*")]


def digest_of(path: Path, shelf: Path) -> str:
    """What a new process takes a file for."""
    module._known.clear()
    read = contents(str(path), str(shelf))
    assert read is not None
    assert (read.data, read.head) == (None, path.read_bytes()[: 1 << 20])
    return read.digest


def test_it_is_read_once(large: Path, shelf: Path) -> None:
    """By the next process it is known; nobody else may read what is kept of it."""
    assert digest_of(large, shelf) == sha256(BYTES)
    (note,) = kept(shelf)
    assert [each.stat().st_mode & 0o777 for each in (note, note.parent, shelf)] == [
        0o600,
        0o700,
        0o700,
    ]

    note.write_text(
        note.read_text(encoding="ascii").replace(sha256(BYTES), "known"), encoding="ascii"
    )
    assert digest_of(large, shelf) == "known"


def _rewritten(path: Path) -> None:
    before = path.stat()
    with path.open("r+b") as file:
        file.write(b"y")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"y" + BYTES[1:])
    other.replace(path)


@pytest.mark.parametrize(
    "change", [_rewritten, _replaced], ids=lambda change: change.__name__.strip("_")
)
def test_it_is_read_again_once_it_changed(large: Path, shelf: Path, change) -> None:
    """Also when its time was set back: that of its last change cannot be."""
    digest_of(large, shelf)
    change(large)

    assert digest_of(large, shelf) == sha256(b"y" + BYTES[1:])


def test_what_changed_lately_is_not_kept_until_it_is_old(
    large: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another change could have the same time; a process that goes on keeps it then."""
    monkeypatch.setattr(module, "_GRAIN", YOUNG)
    assert (digest_of(large, shelf), kept(shelf)) == (sha256(BYTES), [])
    monkeypatch.setattr(module, "_GRAIN", OLD)
    read = contents(str(large), str(shelf))

    assert read is not None
    assert (read.settled, len(kept(shelf))) == (True, 1)


def test_what_somebody_may_be_writing_is_not_kept(large: Path, shelf: Path) -> None:
    """Who has it open, or mapped, may write without a new time."""
    with large.open("r+b"):
        assert (digest_of(large, shelf), kept(shelf)) == (sha256(BYTES), [])


def test_what_is_held_needs_no_keeping(large: Path, shelf: Path) -> None:
    """Its bytes are read anyway; nor is anything kept where nobody says where."""
    large.write_bytes(b"x")
    module._known.clear()
    small = contents(str(large), str(shelf))
    large.write_bytes(BYTES)
    nowhere = contents(str(large))

    assert small is not None
    assert nowhere is not None
    assert (small.data, nowhere.digest, kept(shelf)) == (b"x", sha256(BYTES), [])


def _opened(note: Path) -> None:
    note.chmod(0o622)


def _linked(note: Path) -> None:
    note.rename(note.with_name("other"))
    note.symlink_to("other")


def _garbled(note: Path) -> None:
    note.write_bytes(b"\xff\xfe")


def _emptied(note: Path) -> None:
    note.write_bytes(b"")


@pytest.mark.parametrize(
    "spoil", [_opened, _linked, _garbled, _emptied], ids=lambda spoil: spoil.__name__.strip("_")
)
def test_a_note_that_others_may_have_made_is_not_believed(large: Path, shelf: Path, spoil) -> None:
    """The file is read."""
    digest_of(large, shelf)
    (note,) = kept(shelf)
    note.write_text(
        note.read_text(encoding="ascii").replace(sha256(BYTES), "known"), encoding="ascii"
    )
    spoil(note)

    assert digest_of(large, shelf) == sha256(BYTES)


def test_where_nothing_can_be_kept_it_is_read_each_time(large: Path, shelf: Path) -> None:
    """A folder that others may enter is not used; one that cannot be made is none."""
    (shelf / "digests").mkdir(parents=True)
    (shelf / "digests").chmod(0o777)
    assert (digest_of(large, shelf), kept(shelf)) == (sha256(BYTES), [])

    assert digest_of(large, large / "below a file") == sha256(BYTES)
    assert (digest_of(large, shelf.parent / "none/verified"), (shelf.parent / "none").exists()) == (
        sha256(BYTES),
        False,
    )
