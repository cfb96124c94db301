"""Segments: the files of a journal in order, opened only if no other user can change them, and the lines in them."""

from __future__ import annotations

import errno
import os
import stat

from hookline.errors import JournalError
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDING = ".jsonl"
_DIGITS = 12
_SAFE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_PART = 1 << 20  # bytes that are read at once


class Segment(Frozen):
    """A file of the journal, by its name: the day it was begun, and the number of its first record."""

    name: str
    day: str
    seq: int


def segment_name(day: str, seq: int) -> str:
    """Return the name of the file that starts with a record of that day and number."""
    return f"{day}.{seq:0{_DIGITS}d}{_ENDING}"


def parse_segment_name(name: str) -> Segment | None:
    """Parse the name of a segment; None if it is not one."""
    day, _, number = name.removesuffix(_ENDING).partition(".")
    if name.endswith(_ENDING) and number.isdecimal() and len(day) == len("2026-11-21"):
        return Segment(name=name, day=day, seq=int(number))
    return None


def list_segments(folder: str | int) -> list[Segment]:
    """Return the segments of a folder, given by path or descriptor, oldest first.

    Raises:
        OSError: the folder cannot be listed.
    """
    found = (parse_segment_name(name) for name in os.listdir(folder))
    segments = [each for each in found if each is not None]
    return sorted(segments, key=lambda each: (each.seq, each.name))


def open_folder(path: str) -> int:
    """Open the journal's folder; create it if it is missing.

    Raises:
        JournalError: it is a link, belongs to another user, or others may write to it.
        OSError: it cannot be created or opened.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY
    try:
        return _open_own(path, flags)
    except FileNotFoundError:
        os.makedirs(path, mode=0o700, exist_ok=True)  # another process may have been faster
        return _open_own(path, flags)


def open_file(name: str, folder: int, *, append: bool = False) -> int:
    """Open a file in that folder for reading and writing; create it for this user only if it is missing.

    Raises:
        JournalError: it is not a regular file, or belongs to another user.
        OSError: it cannot be created or opened.
    """
    flags = os.O_RDWR | os.O_CREAT | (os.O_APPEND if append else 0)
    return _open_own(name, flags, folder)


def open_to_read(path: str) -> int:
    """Open a file of a journal for reading. It must be a regular file of the folder's owner, or of this user.

    Raises:
        JournalError: it is something else.
        OSError: it cannot be opened.
    """
    return _open_own(path, os.O_RDONLY, owner=os.stat(os.path.dirname(path) or ".").st_uid)


def read_lines(path: str, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file up to an offset, each with its offset and line break; the last line may lack a break.

    Raises:
        JournalError, OSError: as `open_to_read`.
    """
    at = 0
    with open(open_to_read(path), "rb", buffering=_PART) as file:
        for line in file:
            kept = line if end is None else line[: max(0, end - at)]
            if not kept:
                return
            yield at, kept
            at += len(line)


def _open_own(path: str, flags: int, folder: int | None = None, owner: int | None = None) -> int:
    """Open a file or a folder that belongs to this user or to `owner`."""
    is_folder = bool(flags & os.O_DIRECTORY)
    kind = "folder" if is_folder else "file"
    try:
        descriptor = os.open(path, flags | _SAFE, 0o600, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _unsafe_error(path, f"is a link or not a {kind}") from None
        raise
    found = os.fstat(descriptor)
    is_kind = stat.S_ISDIR(found.st_mode) if is_folder else stat.S_ISREG(found.st_mode)
    if not is_kind or found.st_uid not in (os.geteuid(), owner):
        problem = _unsafe_error(path, f"is not a {kind} of yours")
    elif is_folder and found.st_mode & 0o022:
        import shlex  # noqa: PLC0415 - `answer` opens a journal for every event, and few are open to others

        mend = f"chmod 700 {shlex.quote(path)}, or "
        problem = _unsafe_error(path, "may be written to by others", mend)
    else:
        return descriptor
    os.close(descriptor)
    raise problem


def _unsafe_error(path: str, why: str, mend: str = "") -> JournalError:
    return JournalError(
        f"`{path}` {why}", name="journal.place", hint=f"{mend}HOOKLINE_JOURNAL names another folder"
    )
