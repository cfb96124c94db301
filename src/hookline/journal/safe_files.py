"""Safe files: a folder and files that belong to this user, that no other user can write, and that are not links."""

from __future__ import annotations

import errno
import os
import stat

from hookline.errors import JournalError

_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def open_folder(path: str) -> int:
    """Open the journal's folder; create it if it is missing.

    Raises:
        JournalError: it is a link, belongs to another user, or others may write to it.
        OSError: it cannot be created or opened.
    """
    try:
        return _open_checked(path)
    except FileNotFoundError:
        os.makedirs(path, mode=0o700, exist_ok=True)  # another process may have been faster
        return _open_checked(path)


def open_file(name: str, folder: int, *, append: bool = False) -> int:
    """Open a file in that folder for reading and writing; create it for this user only if it is missing.

    Raises:
        JournalError: it is not a regular file, or belongs to another user.
        OSError: it cannot be created or opened.
    """
    try:
        descriptor = os.open(name, _OPEN | (os.O_APPEND if append else 0), 0o600, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _unsafe_error(name, "is a link") from None
        raise
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
        return descriptor
    os.close(descriptor)
    raise _unsafe_error(name, "is not a file of yours")


def open_to_read(path: str) -> int:
    """Open a file of a journal for reading. It must be a regular file of the folder's owner, or of this user.

    Raises:
        JournalError: it is something else.
        OSError: it cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _unsafe_error(path, "is a link") from None
        raise
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_uid in (
        os.geteuid(),
        os.stat(os.path.dirname(path) or ".").st_uid,
    ):
        return descriptor
    os.close(descriptor)
    raise _unsafe_error(path, "is not a file of yours")


def _open_checked(path: str) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except NotADirectoryError:
        raise _unsafe_error(path, "is a link or not a folder") from None
    found = os.fstat(descriptor)
    is_own, open_to_others = found.st_uid == os.geteuid(), found.st_mode & 0o022
    if is_own and not open_to_others:
        return descriptor
    os.close(descriptor)
    if not is_own:
        raise _unsafe_error(path, "is not yours")
    import shlex  # noqa: PLC0415 - `answer` opens a journal for every event, and few are open to others

    raise _unsafe_error(path, "may be written to by others", f"chmod 700 {shlex.quote(path)}, or ")


def _unsafe_error(path: str, why: str, mend: str = "") -> JournalError:
    return JournalError(
        f"`{path}` {why}", name="journal.place", hint=f"{mend}HOOKLINE_JOURNAL names another folder"
    )
