"""Memory: put verified bytes where a process can run them and nobody can change them, and see that they are what was looked at.

What is too large to be held is copied when it is run, and runs if the copy is what was looked at.
"""

from __future__ import annotations

import os
import re
import stat

from hookline.errors import HandlerError
from hookline.handlers.sealing.lease import itself
from hookline.handlers.sealing.pieces import FDS
from hookline.text.digest import new_sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextlib
    from collections.abc import Iterable, Iterator, Sequence

    from hookline.model.sight import Piece, Sealed

_MODE = 0o500  # of a private copy
_PART = 1 << 20


def ready(
    sealed: Sealed,
    folder: str,
    closing: contextlib.ExitStack,
    lasting: contextlib.ExitStack | None = None,
) -> tuple[tuple[str, ...], str | None, tuple[int, ...]]:
    """The words and the file to execute, and the descriptors to hand over, which are closed with `closing`.

    `lasting`: what must last until the end of the run is closed with it; without it, no program runs as its own file.

    Raises:
        HandlerError: no private copy can be made, or what is too large to be held changed since it was looked at.
    """
    told: list[str] = []
    passed: list[int] = []
    for piece in sealed.pieces:
        if piece.name:
            told.append(_private_copy(piece, folder))
            continue
        fd = itself(piece, lasting) if piece.real and lasting is not None else None
        fd = _in_memory(piece) if fd is None else fd
        closing.callback(os.close, fd)
        passed.append(fd)
        told.append(_called(piece.called, fd, folder) if piece.called else str(fd))
    return (
        tuple(_filled(word, told) for word in sealed.argv),
        _filled(sealed.executable, told) or None,
        tuple(passed),
    )


def _called(name: str, fd: int, folder: str) -> str:
    """A path by which whoever inherits a descriptor executes it, and which ends with a name: programs of many names go by theirs.

    It is a link to what the descriptor is to who follows it, so that it can stay for whatever has this number the next time.
    """
    target = f"{FDS}/{fd}"
    home, path = f"{folder}/fd/{fd}", f"{folder}/fd/{fd}/{name}"
    try:
        for each in (folder, os.path.dirname(home), home):
            _own_folder(each)
        if not os.path.islink(path):
            beside = f"{path}.{os.urandom(6).hex()}"
            os.symlink(target, beside)
            os.replace(beside, path)
        is_right = (
            os.readlink(path) == target and "'" not in path
        )  # a text has it between such quotes
    except (OSError, HandlerError):
        return target
    return path if is_right else target


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
        fcntl.fcntl(
            writer,
            fcntl.F_ADD_SEALS,
            fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL,
        )
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
    digest = new_sha256()
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
        raise HandlerError(
            f"no private copy of `{piece.name}` can be made: {(error.strerror or '').lower()}"
        ) from None
    return path


def _digest_of(parts: Iterable[bytes]) -> str:
    digest = new_sha256()
    for part in parts:
        digest.update(part)
    found: str = digest.hexdigest()
    return found


def _own_folder(folder: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    found = os.lstat(folder)
    if found.st_uid != os.geteuid() or found.st_mode & 0o077 or not stat.S_ISDIR(found.st_mode):
        raise HandlerError(
            f"`{folder}` is not a folder of our own; others must not enter it (chmod 700)"
        )


def _holds(path: str, digest: str) -> bool:
    """Whether the file is ours, and holds the bytes of this digest."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    with open(fd, "rb", buffering=0) as file:
        found = os.fstat(fd)
        if (
            found.st_uid != os.geteuid()
            or stat.S_IMODE(found.st_mode) != _MODE
            or found.st_nlink != 1
        ):
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
