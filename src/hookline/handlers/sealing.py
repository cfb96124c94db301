"""Sealing: run verified bytes instead of whatever lies at their path by then, as each interpreter allows (`security.md` 4).

Python and Node get them by a small loader, a POSIX shell as `-c`, a binary runs from a sealed file in memory; each keeps its own
name for the script, so that `dirname "$0"` and imports of siblings work as ever. Where an interpreter cannot be given bytes without
a difference that the script may notice, it runs from its place, and is looked at again after the run. What is too large to be held
is copied when it is run, and runs if the copy is what was looked at.
"""

from __future__ import annotations

import os
import re
import stat

from hookline.errors import HandlerError
from hookline.handlers.noticing import LONGEST_TEXT, OWN_SOURCE, node_notices, shell_notices
from hookline.model.sight import Piece, Sealed
from hookline.text.digest import hashing

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from hookline.handlers.contents import Contents

    # Words from the interpreter up to the script -> words that run the bytes.
    Way: TypeAlias = Callable[[Sequence[str], Contents, "Pieces"], list[str]]

_MODE = 0o500  # of a private copy
_PART = 1 << 20
# Where a process finds its open descriptors as files.
FDS = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
# Python runs this as a file in memory, and not as `-c`: that would make the working folder the first place for imports, of which
# 3.13 does one (`linecache`) before any line of ours.
_PYTHON = b"""import os,sys
l,n,p=sys.argv[:3];sys.argv[:3]=[p];__file__=os.path.join(os.getcwd(),p)
with os.fdopen(int(n),'rb') as f:b=f.read()
os.close(int(l.rpartition('/')[2]))
if not getattr(sys.flags,'safe_path',0) and not getattr(sys.flags,'isolated',0):sys.path[0]=os.path.dirname(os.path.realpath(p))
if hasattr(globals().get('__loader__'),'path'):__loader__.path=__file__
c=compile(b,__file__,'exec',dont_inherit=True)
del l,n,p,b,f,os,sys
exec(globals().pop('c'))
"""
_NODE = (
    "const [n,p,r]=process.argv.splice(1,3),M=require('module'),s=require('fs').readFileSync(+n,'utf8').replace(/^#!.*/,'');"
    "process.argv.splice(1,0,require('path').resolve(p));"
    "const m=new M(r,null);m.id='.';m.filename=r;m.paths=M._nodeModulePaths(require('path').dirname(r));"
    "process.mainModule=m;M._cache[r]=m;m._compile(s,r);m.loaded=true"
)


class Pieces:
    """The pieces of one command line, in the order in which they were put down, and what of it is none."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.in_place: set[str] = set()  # scripts that run from where they lie

    def put(self, data: bytes) -> str:
        """Keep a piece of our own; the mark that stands for its number."""
        return self._mark(Piece(data=data))

    def take(self, read: Contents, name: str = "") -> str:
        """Keep what a file held; the mark that stands for its number, or for its path where it has a name."""
        if read.data is None:
            return self._mark(Piece(name=name, source=read.real, digest=read.digest))
        return self._mark(Piece(data=read.data, name=name))

    def file(self, read: Contents) -> str:
        """Keep what a file held; the path by which whoever inherits it finds it."""
        return f"{FDS}/{self.take(read)}"

    def _mark(self, piece: Piece) -> str:
        self.pieces.append(piece)
        return Sealed.mark(len(self.pieces) - 1)


def sealed_words(family: str, words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    """The words from an interpreter up to its script, as words that run what the script held when it was read."""
    return _WAYS.get(family, _in_place)(words, script, pieces)


def _in_place(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    """The words as they are: what the script loads is found from where it lies, and it is looked at again after the run."""
    pieces.in_place.add(script.real)
    return list(words)


def _before(words: Sequence[str]) -> list[str]:
    """The interpreter and its options, without a `--` that would end them before ours."""
    return [*words[:-2], *(word for word in words[-2:-1] if word != "--" or len(words) == 2)]  # noqa: PLR2004 - the program itself


def _python(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    if b"\0" in script.head or script.head[:2] == b"PK":  # compiled, or an archive
        return _in_place(words, script, pieces)
    return [*_before(words), f"{FDS}/{pieces.put(_PYTHON)}", pieces.take(script), words[-1]]


def _shell(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    program, *options = _before(words)
    name = os.path.basename(program)
    if b"\0" in script.head or shell_notices(name, script):
        return _in_place(words, script, pieces)
    # With a text, and started from afar, bash would read the user's `.bashrc` first.
    unasked = ["--norc"] if name == "bash" else []
    return [program, *unasked, *options, "-c", _text_of(script, pieces), words[-1]]


def _text_of(script: Contents, pieces: Pieces) -> str:
    """A text for `-c` that does what a script does; one that is too long for an argument is read from memory."""
    data = script.data
    if data is None or len(data) > LONGEST_TEXT:
        return f". {pieces.file(script)}"
    if b"BASH_SOURCE" in data:
        # Empty in a `-c` text, and nobody may set it.
        data = b"HOOKLINE_SOURCE=$0; " + OWN_SOURCE.sub(lambda found: found[0].replace(b"BASH", b"HOOKLINE"), data)
    return os.fsdecode(data)


def _node(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    if node_notices(words, script):
        return _in_place(words, script, pieces)
    return [*_before(words), "-e", _NODE, "--", pieces.take(script), words[-1], script.real]


_WAYS: Mapping[str, Way] = {"python": _python, "shell": _shell, "node": _node}


# -- when it is run ----------------------------------------------------------------------------------------------------


def ready(sealed: Sealed, folder: str, closing: contextlib.ExitStack) -> tuple[tuple[str, ...], str | None, tuple[int, ...]]:
    """The words and the file to execute, and the descriptors to hand over, which are closed with `closing`.

    Raises:
        HandlerError: no private copy can be made, or what is too large to be held changed since it was looked at.
    """
    told: list[str] = []
    passed: list[int] = []
    for piece in sealed.pieces:
        if piece.name:
            told.append(_private_copy(piece, folder))
            continue
        fd = _in_memory(piece)
        closing.callback(os.close, fd)
        passed.append(fd)
        told.append(str(fd))
    return tuple(_filled(word, told) for word in sealed.argv), _filled(sealed.executable, told) or None, tuple(passed)


def _filled(word: str, told: Sequence[str]) -> str:
    return re.sub("\0(\\d+)\0", lambda found: told[int(found[1])], word) if "\0" in word else word


def _in_memory(piece: Piece) -> int:
    """An immutable copy in memory, to be read from its beginning; where a system has no such thing, a file without a name."""
    if not hasattr(os, "memfd_create"):
        return _nameless(piece)
    import fcntl  # noqa: PLC0415 - only verified hooks need it

    writer = os.memfd_create("hook", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    try:
        _write(writer, piece)
        fcntl.fcntl(writer, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
        # What somebody holds open for writing cannot be executed, sealed or not.
        return os.open(f"/proc/self/fd/{writer}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(writer)


def _nameless(piece: Piece) -> int:
    import tempfile  # noqa: PLC0415 - as above

    writer, path = tempfile.mkstemp(prefix="hookline-")
    try:
        _write(writer, piece)
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(writer)
        os.unlink(path)


def _write(fd: int, piece: Piece) -> None:
    """Put a piece into a file of ours.

    Raises:
        HandlerError: it is read from where it lies, and is not what it was.
    """
    digest = hashing()
    for part in _parts(piece):
        digest.update(part)
        view = memoryview(part)
        while view:
            view = view[os.write(fd, view) :]
    if piece.source and digest.hexdigest() != piece.digest:
        raise HandlerError(f"`{piece.source}` changed since it was looked at")
    os.lseek(fd, 0, os.SEEK_SET)


def _parts(piece: Piece) -> Iterator[bytes]:
    if not piece.source:
        yield piece.data
        return
    try:
        fd = os.open(piece.source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return  # nothing has another digest
    with open(fd, "rb", buffering=0) as file:
        while part := file.read(_PART):
            yield part


def _private_copy(piece: Piece, folder: str) -> str:
    """A file that only we may read, with these bytes, under their digest: made when it is missing, compared when it is not."""
    digest = piece.digest or _digest_of(_parts(piece))
    home = os.path.join(folder, digest[:32])
    path = os.path.join(home, piece.name)
    try:
        for each in (folder, home):
            _own_folder(each)
        if not _holds(path, digest):
            _replace(path, piece)
        if not _holds(path, digest):
            raise HandlerError(f"the private copy `{path}` does not stay what it is")
    except OSError as error:
        raise HandlerError(f"no private copy of `{piece.name}` can be made: {(error.strerror or '').lower()}") from None
    return path


def _digest_of(parts: Iterable[bytes]) -> str:
    digest = hashing()
    for part in parts:
        digest.update(part)
    found: str = digest.hexdigest()
    return found


def _own_folder(folder: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    found = os.lstat(folder)
    if found.st_uid != os.geteuid() or found.st_mode & 0o077 or not stat.S_ISDIR(found.st_mode):
        raise HandlerError(f"`{folder}` is not a folder of our own; others must not enter it (chmod 700)")


def _holds(path: str, digest: str) -> bool:
    """Whether the file is ours, and holds the bytes of this digest."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    with open(fd, "rb", buffering=0) as file:
        found = os.fstat(fd)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != _MODE or found.st_nlink != 1:
            return False
        return _digest_of(iter(lambda: file.read(_PART), b"")) == digest


def _replace(path: str, piece: Piece) -> None:
    """A whole file or none: written beside, then put in place."""
    beside = f"{path}.{os.urandom(6).hex()}"
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
    try:
        _write(fd, piece)
        os.fchmod(fd, _MODE)
        os.replace(beside, path)
    except HandlerError:
        os.unlink(beside)
        raise
    finally:
        os.close(fd)
