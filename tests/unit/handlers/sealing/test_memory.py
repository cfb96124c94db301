"""Are the bytes that run the ones that were verified, and nobody else's to change?"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

import pytest

from hookline.errors import HandlerError
from hookline.handlers.sealing.memory import ready
from hookline.handlers.sealing.pieces import Pieces
from hookline.handlers.sealing.shell import sealed as by_shell
from hookline.model.sight import Piece, Sealed
from hookline.text.digest import sha256

COPIED = Sealed(argv=("ruby", Sealed.mark(0)), pieces=(Piece(data=b"puts 1\n", name="x.rb"),))
HANDED = Sealed(
    argv=("python3", Sealed.mark(0)),
    pieces=(Piece(data=b"print(1)\n"),),
    executable=f"/dev/fd/{Sealed.mark(0)}",
)


def copy_in(folder: Path) -> Path:
    """The private copy that would be run."""
    with contextlib.ExitStack() as closing:
        return Path(ready(COPIED, str(folder), closing)[0][1])


@pytest.mark.parametrize("memory", [True, False])
def test_bytes_are_handed_over_and_cannot_be_changed(
    monkeypatch: pytest.MonkeyPatch, *, memory: bool
) -> None:
    """In sealed memory, or in a file without a name; both are closed afterwards."""
    if not memory:
        monkeypatch.delattr(os, "memfd_create")
    with contextlib.ExitStack() as closing:
        argv, executable, (fd,) = ready(HANDED, "/nowhere", closing)

        assert (argv, executable, os.pread(fd, 99, 0)) == (
            ("python3", str(fd)),
            f"/dev/fd/{fd}",
            b"print(1)\n",
        )
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(fd, b"x")
        if memory:
            assert fcntl.fcntl(fd, fcntl.F_GET_SEALS) & fcntl.F_SEAL_WRITE
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


def test_a_copy_is_private_and_used_again(tmp_path: Path) -> None:
    """Under its own name, so that its interpreter knows what it is."""
    folder = tmp_path / "a/copies"
    path = copy_in(folder)

    assert (path.name, path.read_bytes(), path.stat().st_mode & 0o777) == (
        "x.rb",
        b"puts 1\n",
        0o500,
    )
    assert {each.stat().st_mode & 0o777 for each in (folder, path.parent)} == {0o700}
    assert copy_in(folder).stat().st_ino == path.stat().st_ino


def _rewritten(path: Path) -> None:
    path.chmod(0o700)
    path.write_bytes(b"other\n")
    path.chmod(0o500)


def _writable(path: Path) -> None:
    path.chmod(0o700)


def _linked(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def _shared(path: Path) -> None:
    os.link(path, path.with_suffix(".other"))


@pytest.mark.parametrize(
    "spoil",
    [_rewritten, _writable, _linked, _shared, Path.unlink],
    ids=lambda spoil: spoil.__name__.strip("_"),
)
def test_a_copy_that_is_not_what_it_was_is_made_anew(tmp_path: Path, spoil) -> None:
    """What somebody made of it is never run."""
    path = copy_in(tmp_path / "copies")
    spoil(path)
    again = copy_in(tmp_path / "copies")

    assert (
        again.read_bytes(),
        again.stat().st_mode & 0o777,
        again.is_symlink(),
        again.stat().st_nlink,
    ) == (b"puts 1\n", 0o500, False, 1)


def test_a_folder_that_others_may_enter_is_not_used(tmp_path: Path) -> None:
    """Nor is one that cannot be made."""
    (tmp_path / "copies").mkdir()
    (tmp_path / "copies").chmod(0o777)
    with pytest.raises(HandlerError, match="not a folder of our own"):
        copy_in(tmp_path / "copies")

    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HandlerError, match=r"no private copy of `x.rb` can be made"):
        copy_in(tmp_path / "file/copies")


def test_a_script_that_speaks_of_its_source_is_told_its_name() -> None:
    """Bash leaves `BASH_SOURCE` empty for a text."""
    pieces = Pieces()
    script = by_shell(
        ["bash", "./x.sh"], _Script(b'echo "${BASH_SOURCE[0]}" "$MY_BASH_SOURCE"'), pieces
    )

    assert script == [
        "bash",
        "--norc",
        "-c",
        'HOOKLINE_SOURCE=$0; echo "${HOOKLINE_SOURCE[0]}" "$MY_BASH_SOURCE"',
        "./x.sh",
    ]


LARGE = b"0123456789" * 300_000


@pytest.mark.parametrize("name", ["", "x.rb"])
@pytest.mark.parametrize("memory", [True, False])
def test_what_is_too_large_to_be_held_is_copied_when_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, memory: bool
) -> None:
    """If it is what was looked at by then; else nothing is handed over, and no copy is left."""
    if not memory:
        monkeypatch.delattr(os, "memfd_create")
    source = tmp_path / "large"
    source.write_bytes(LARGE)
    sealed = Sealed(
        argv=("x", Sealed.mark(0)),
        pieces=(Piece(name=name, source=str(source), digest=sha256(LARGE)),),
    )
    with contextlib.ExitStack() as closing:
        (_, word), _, passed = ready(sealed, str(tmp_path / "copies"), closing)
        assert (
            Path(word).read_bytes() if name else os.pread(passed[0], len(LARGE) + 1, 0)
        ) == LARGE

    for spoil in (lambda: source.write_bytes(LARGE[:-1] + b"x"), source.unlink):
        spoil()
        with (
            contextlib.ExitStack() as closing,
            pytest.raises(HandlerError, match="changed since it was looked at"),
        ):
            ready(sealed, str(tmp_path / "others"), closing)
    assert [path for path in (tmp_path / "others").rglob("*") if path.is_file()] == []


class _Script:
    """Contents of a script."""

    def __init__(self, data: bytes) -> None:
        self.data = self.head = data
        self.real = "/p/x.sh"
