"""Paths: real paths, searches through the folders above, and reads that end, whatever lies at a path.

The cost of a search grows linearly with the depth of a folder; `os.path.realpath` and a loop over
parents give the kernel the whole path once for each of its parts.
"""

from __future__ import annotations

import errno
import os
import select
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Parts of a path up to which the functions of `os.path` are as quick as anything else.
_SHALLOW = 32
_PATIENCE = 1_000  # milliseconds for data of a pipe
_OPEN_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY


def real_path(named: str | os.PathLike[str]) -> str:
    """Return what `os.path.realpath` returns: the absolute path without symbolic links."""
    path = os.fspath(named)
    if path.count("/") <= _SHALLOW and os.path.isabs(path):
        return os.path.realpath(path)
    if ".." in path.split("/") or not hasattr(os, "O_PATH"):
        return os.path.realpath(path)
    whole = os.path.abspath(path)
    below: list[str] = []
    while whole != "/" and not os.path.lexists(whole):
        whole, name = os.path.split(whole)
        below.append(name)
    found = _resolve(whole) or os.path.realpath(whole)
    return os.path.join(found, *reversed(below))


def _resolve(path: str) -> str:
    """Return the name that the kernel has for an existing path.

    Empty if it has none that leads there.
    """
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        found = os.readlink(f"/proc/self/fd/{descriptor}")
        is_same = os.path.samestat(os.stat(found), os.fstat(descriptor))
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return found if is_same and os.path.isabs(found) else ""


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder, or leads into it, by name."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def open_nonblocking(path: str, flags: int) -> int:
    """Open a file as `opener` of `open`, without waiting for the other end of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)


def read_start(path: str, most: int) -> bytes:
    """Return at most so many bytes from the start of a file.

    A pipe or a terminal is read as long as data arrives within a second.

    Raises:
        OSError: the file cannot be read, or no data arrived in time.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        is_plain = stat.S_ISREG(os.fstat(descriptor).st_mode)
        chunks: list[bytes] = []
        while most > 0:
            if not is_plain:
                _wait_for_data(descriptor, path)
            chunk = os.read(descriptor, min(most, 1 << 20))
            if not chunk:
                break
            chunks.append(chunk)
            most -= len(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def _wait_for_data(descriptor: int, path: str) -> None:

    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    if not poll.poll(_PATIENCE):
        raise OSError(errno.ETIMEDOUT, "no data arrived within a second", path)


def descend(folder: str) -> Iterator[tuple[str, int]]:
    """Yield each folder from the root down to `folder`, as its path and an open descriptor.

    The descriptor is closed when the next one is asked for. Ends early at a folder that cannot be
    opened.
    """
    path = "/"
    at = os.open(path, _OPEN_FOLDER)
    try:
        yield path, at
        for name in filter(None, os.path.abspath(folder).split("/")):
            try:
                inner = os.open(name, _OPEN_FOLDER, dir_fd=at)
            except (OSError, ValueError):
                return
            os.close(at)
            at, path = inner, f"{path.rstrip('/')}/{name}"
            yield path, at
    finally:
        os.close(at)


def holds_name(folder: int, name: str, *, follow: bool = True) -> bool:
    """Whether an open folder has an entry at this relative path.

    With `follow`, one that is no dangling link.
    """
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=follow)
    except (OSError, ValueError):
        return False
    return True


def nearest_with(folder: str, name: str) -> str:
    """Return the nearest folder, from `folder` upwards, that has an entry of this name.

    Empty if none has.
    """
    found = ""
    for path, descriptor in descend(folder):
        if holds_name(descriptor, name, follow=False):
            found = path
    return found


def state_folder(environ: Mapping[str, str]) -> str:
    """Return the folder for lasting state: below XDG_STATE_HOME if that is absolute, else below the home folder."""
    state = environ.get("XDG_STATE_HOME", "")
    base = (
        state
        if os.path.isabs(state)
        else f"{environ.get('HOME') or os.path.expanduser('~')}/.local/state"
    )
    return f"{base}/hookline"


def read_private(path: str, most: int) -> bytes:
    """Return at most so many bytes from the start of a file that only this user can read.

    Raises:
        OSError: it cannot be read, is a link or no plain file, belongs to another user, or others
            may read it.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, "it is not a file of this user", path)
        if stat.S_IMODE(found.st_mode) & 0o077:
            why = f"it may be read by others (chmod 600 {path})"
            raise PermissionError(errno.EPERM, why, path)
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)


def write_private(path: str, content: bytes, *, replace: bool = True) -> None:
    """Write a file as a whole, which only this user can read.

    Raises:
        FileExistsError: it exists, without `replace`.
        OSError: it cannot be written.
    """
    draft = f"{path}.{os.getpid()}.new"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        if replace:
            os.rename(draft, path)
        else:
            os.link(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)
