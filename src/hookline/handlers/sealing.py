"""Sealing: run verified bytes instead of whatever lies at their path by then, as each interpreter allows (`security.md` 4).

Python compiles them, a POSIX shell gets them as `-c`, Node and Perl by a small loader, a binary runs from a sealed file in
memory; each keeps its own name for the script, so that `dirname "$0"` and imports of siblings work as ever. Anything else
gets a private copy, whose folder holds no siblings.
"""

from __future__ import annotations

import os
import re
import stat

from hookline.errors import HandlerError
from hookline.model.sight import Piece, Sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from hookline.handlers.contents import Contents

    # Words from the interpreter up to the script -> words that run the bytes.
    Way: TypeAlias = Callable[[Sequence[str], Contents, "Pieces"], list[str]]

_MODE = 0o500  # of a private copy
_LONGEST_TEXT = 100_000  # bytes; the kernel takes 128 KiB in one argument
_PYTHON = (
    "import os,sys\n"
    "n,p=sys.argv[1:3];sys.argv[:3]=[p];__file__=os.path.join(os.getcwd(),p)\n"
    "with open(int(n),'rb') as f:b=f.read()\n"
    "if not getattr(sys.flags,'safe_path',0) and not sys.flags.isolated:sys.path[0]=os.path.dirname(os.path.realpath(p))\n"
    "c=compile(b,__file__,'exec',dont_inherit=True)\n"
    "del n,p,b,f,os,sys\n"
    "exec(globals().pop('c'))"
)
_NODE = (
    "const [n,p,r]=process.argv.splice(1,3),M=require('module'),s=require('fs').readFileSync(+n,'utf8').replace(/^#!.*/,'');"
    "process.argv.splice(1,0,require('path').resolve(p));"
    "const m=new M(r,null);m.id='.';m.filename=r;m.paths=M._nodeModulePaths(require('path').dirname(r));"
    "process.mainModule=m;M._cache[r]=m;m._compile(s,r);m.loaded=true"
)
_PERL = (
    'my $s=do{open(my $f,"<&=",shift @ARGV) or die "hookline: $!";binmode $f;local $/;<$f>};$0=shift @ARGV;'
    'eval qq{#line 1 "$0"\\n$s};die $@ if $@;'
)
_ESM = re.compile(rb"^\s*(?:import\b(?!\s*\()|export\b)", re.MULTILINE)


class Pieces:
    """The pieces of one command line, in the order in which they were put down."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []

    def put(self, data: bytes, name: str = "") -> str:
        """Keep a piece; the mark that stands for its number, or for its path."""
        self.pieces.append(Piece(data=data, name=name))
        return Sealed.mark(len(self.pieces) - 1)


def sealed_words(family: str, words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    """The words from an interpreter up to its script, as words that run what the script held when it was read."""
    return _WAYS.get(family, _copy)(words, script, pieces)


def _before(words: Sequence[str]) -> list[str]:
    """The interpreter and its options, without a `--` that would end them before ours."""
    return [*words[:-2], *(word for word in words[-2:-1] if word != "--" or len(words) == 2)]  # noqa: PLR2004 - the program itself


def _python(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    assert script.data is not None  # noqa: S101 - who asks has the bytes
    if b"\0" in script.data or script.data[:2] == b"PK":  # compiled, or an archive
        return _copy(words, script, pieces)
    return [*_before(words), "-c", _PYTHON, pieces.put(script.data), words[-1]]


def _shell(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    data = script.data or b""
    if b"\0" in data or len(data) > _LONGEST_TEXT:
        return _copy(words, script, pieces)
    if b"BASH_SOURCE" in data:
        # Empty in a `-c` text, and nobody may set it.
        data = b"HOOKLINE_SOURCE=$0; " + re.sub(rb"\bBASH_SOURCE\b", b"HOOKLINE_SOURCE", data)
    return [*_before(words), "-c", os.fsdecode(data), words[-1]]


def _node(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    data = script.data or b""
    if script.real.endswith((".mjs", ".ts", ".mts", ".wasm", ".json")) or _ESM.search(data) or _is_module(script.real):
        return _copy(words, script, pieces)
    return [*_before(words), "-e", _NODE, "--", pieces.put(data), words[-1], script.real]


def _is_module(path: str) -> bool:
    """Whether the nearest `package.json` says that a `.js` file is an ES module."""
    if not path.endswith(".js"):
        return False
    folder = os.path.dirname(path)
    while True:
        try:
            with open(f"{folder}/package.json", "rb") as file:
                return re.search(rb'"type"\s*:\s*"module"', file.read(1 << 20)) is not None
        except OSError:
            if folder in ("/", ""):
                return False
            folder = os.path.dirname(folder)


def _perl(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    data = script.data or b""
    if re.search(rb"^__(?:END|DATA)__\s*$", data, re.MULTILINE) or '"' in words[-1] or "\n" in words[-1]:
        return _copy(words, script, pieces)
    return [*_before(words), "-e", _PERL, "--", pieces.put(data), words[-1]]


def _copy(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    return [*words[:-1], pieces.put(script.data or b"", os.path.basename(script.real))]


_WAYS: Mapping[str, Way] = {"python": _python, "shell": _shell, "node": _node, "perl": _perl}


# -- when it is run ----------------------------------------------------------------------------------------------------


def ready(sealed: Sealed, folder: str, closing: contextlib.ExitStack) -> tuple[tuple[str, ...], str | None, tuple[int, ...]]:
    """The words and the file to execute, and the descriptors to hand over, which are closed with `closing`.

    Raises:
        HandlerError: no private copy can be made.
    """
    told: list[str] = []
    passed: list[int] = []
    for piece in sealed.pieces:
        if piece.name:
            told.append(_private_copy(piece, folder))
            continue
        fd = _in_memory(piece.data)
        closing.callback(os.close, fd)
        passed.append(fd)
        told.append(str(fd))
    return tuple(_filled(word, told) for word in sealed.argv), _filled(sealed.executable, told) or None, tuple(passed)


def _filled(word: str, told: Sequence[str]) -> str:
    return re.sub("\0(\\d+)\0", lambda found: told[int(found[1])], word) if "\0" in word else word


def _in_memory(data: bytes) -> int:
    """An immutable copy in memory, to be read from its beginning; where a system has no such thing, a file without a name."""
    if not hasattr(os, "memfd_create"):
        return _nameless(data)
    import fcntl  # noqa: PLC0415 - only verified hooks need it

    writer = os.memfd_create("hook", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    try:
        _write(writer, data)
        fcntl.fcntl(writer, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
        # What somebody holds open for writing cannot be executed, sealed or not.
        return os.open(f"/proc/self/fd/{writer}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(writer)


def _nameless(data: bytes) -> int:
    import tempfile  # noqa: PLC0415 - as above

    writer, path = tempfile.mkstemp(prefix="hookline-")
    try:
        _write(writer, data)
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(writer)
        os.unlink(path)


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)


def _private_copy(piece: Piece, folder: str) -> str:
    """A file that only we may read, with these bytes, under their digest: made when it is missing, compared when it is not."""
    from hookline.text.digest import sha256  # noqa: PLC0415 - as above

    home = os.path.join(folder, sha256(piece.data)[:32])
    path = os.path.join(home, piece.name)
    try:
        for each in (folder, home):
            _own_folder(each)
        if not _holds(path, piece.data):
            _replace(path, piece.data)
        if not _holds(path, piece.data):
            raise HandlerError(f"the private copy `{path}` does not stay what it is")
    except OSError as error:
        raise HandlerError(f"no private copy of `{piece.name}` can be made: {(error.strerror or '').lower()}") from None
    return path


def _own_folder(folder: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    found = os.lstat(folder)
    if found.st_uid != os.geteuid() or found.st_mode & 0o077 or not stat.S_ISDIR(found.st_mode):
        raise HandlerError(f"`{folder}` is not a folder of our own; others must not enter it (chmod 700)")


def _holds(path: str, data: bytes) -> bool:
    """Whether the file is ours, and holds these bytes."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        return found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) == _MODE and found.st_nlink == 1 and file.read() == data


def _replace(path: str, data: bytes) -> None:
    """A whole file or none: written beside, then put in place."""
    beside = f"{path}.{os.urandom(6).hex()}"
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
    try:
        _write(fd, data)
        os.fchmod(fd, _MODE)
    finally:
        os.close(fd)
    os.replace(beside, path)
