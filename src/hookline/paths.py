"""Paths: folders above a folder, and reads and writes of files that end, whatever lies there."""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from contextlib import suppress

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PATIENCE = 1_000  # milliseconds for data of a pipe
# A configuration is text that people write; what is larger is something else.
_LARGEST_TEXT = 1 << 20  # bytes
_OPEN_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


def find_home(environ: Mapping[str, str]) -> str:
    """Return the home folder by an environment, else by the account."""
    return environ.get("HOME") or os.path.expanduser("~")


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder, or leads into it, by name."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def shorten_home(path: str, environ: Mapping[str, str]) -> str:
    """Return a whole path with `~` for the home; as it is where it lies elsewhere."""
    home = (environ.get("HOME") or os.path.expanduser("~")).rstrip("/")
    return f"~{path[len(home) :]}" if home and path.startswith(f"{home}/") else path


def list_parents(folder: str) -> Iterator[str]:
    """Yield a folder and each folder above it, up to the root."""
    path = os.path.abspath(folder)
    yield path
    while path != (path := os.path.dirname(path)):
        yield path


def descend(folder: str) -> Iterator[tuple[str, int]]:
    """Yield each folder from the root down to `folder`, as its path and an open descriptor.

    The time grows with the depth, not with its square. The descriptor is closed when the next
    folder is asked for. Ends early at a folder that cannot be opened.
    """
    path, at = "/", os.open("/", _OPEN_FOLDER)
    try:
        yield path, at
        for name in filter(None, os.path.abspath(folder).split("/")):
            try:
                inner = os.open(name, _OPEN_FOLDER, dir_fd=at)
            except (OSError, ValueError):
                return
            os.close(at)
            at, path = inner, os.path.join(path, name)
            yield path, at
    finally:
        os.close(at)


def has_entry(folder: int, name: str, *, follow: bool = True) -> bool:
    """Whether an open folder has an entry; with `follow`, one that is no dangling link."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=follow)
    except (OSError, ValueError):
        return False
    return True


def nearest_with(folder: str, name: str) -> str:
    """Return the nearest folder, from `folder` upwards, with an entry of this name.

    Empty if none has it.
    """
    found = ""
    for path, descriptor in descend(folder):
        if has_entry(descriptor, name, follow=False):
            found = path
    return found


def state_folder(environ: Mapping[str, str]) -> str:
    """Return the folder for lasting state: below an absolute XDG_STATE_HOME, else below home."""
    base = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = f"{find_home(environ)}/.local/state"
    return f"{base}/hookline"


def data_folder(environ: Mapping[str, str]) -> str:
    """Return the folder for installed data: below an absolute XDG_DATA_HOME, else below home."""
    base = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(base):
        base = f"{find_home(environ)}/.local/share"
    return f"{base}/hookline"


def open_nonblocking(path: str, flags: int) -> int:
    """Open a file as `opener` of `open`, without waiting for the other end of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)


def read_start(path: str, most: int) -> bytes:
    """Return at most so many bytes from the start of a file.

    A pipe or a terminal is read as long as data arrives within a second.

    Raises:
        OSError: the file cannot be read, or no data arrived in time.
    """
    with open(path, "rb", buffering=0, opener=open_nonblocking) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file.read(most)
        poll = select.poll()
        poll.register(file, select.POLLIN)
        data = b""
        while len(data) < most:
            if not poll.poll(_PATIENCE):
                raise OSError(errno.ETIMEDOUT, "no data arrived within a second", path)
            chunk = file.read(most - len(data))
            if not chunk:
                break
            data += chunk
        return data


def read_regular(path: str, most: int) -> tuple[os.stat_result, bytes] | None:
    """Return status and first bytes of a regular file; None if it cannot be read. Never blocks."""
    try:
        with open(path, "rb", opener=open_nonblocking) as file:
            found = os.fstat(file.fileno())
            return (found, file.read(most)) if stat.S_ISREG(found.st_mode) else None
    except (OSError, ValueError):
        return None


def read_text(path: str) -> str:
    """Return the text of a file that people write.

    Raises:
        ConfigError: it cannot be read, is too large, or is no text.
    """
    try:
        raw = read_start(path, _LARGEST_TEXT + 1)
    except OSError as error:
        raise make_unreadable_error(path, error) from None
    if len(raw) > _LARGEST_TEXT:
        message, hint = f"larger than {_LARGEST_TEXT >> 20} MiB", "keep the hooks in a smaller file"
        raise ConfigError(message, name="config.too-large", place=path, hint=hint)
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        place = f"{path}:{line}:{column}"
        raise ConfigError(
            "not UTF-8 text", name="config.unreadable", place=place, hint="save it as UTF-8"
        ) from None


def make_unreadable_error(path: str, error: OSError) -> ConfigError:
    """Return the error for a file or folder that cannot be read."""
    message = f"cannot be read: {(error.strerror or 'unreadable').lower()}"
    return ConfigError(message, name="config.unreadable", place=path)


def make_private_folder(path: str) -> None:
    """Make a folder, and those around it that are missing, for this user only, whatever the umask.

    Raises:
        OSError: a folder cannot be made.
    """
    if path and not os.path.isdir(path):
        make_private_folder(os.path.dirname(path))
        with suppress(FileExistsError):  # another process made it
            os.mkdir(path, 0o700)


def read_private(path: str, most: int, *, secret: bool = True) -> bytes:
    """Return at most so many bytes from the start of a file that only this user can read.

    Without `secret`: one that others cannot write; it may be root's.

    Raises:
        OSError: it cannot be read, is a link or no plain file, belongs to another user, or others
            may read it.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        found = os.fstat(descriptor)
        owners = {os.geteuid()} if secret else {os.geteuid(), 0}
        if not stat.S_ISREG(found.st_mode) or found.st_uid not in owners:
            raise PermissionError(errno.EPERM, "it is not a file of this user", path)
        if found.st_mode & (0o077 if secret else 0o022):
            why = f"it may be {'read' if secret else 'written'} by others (chmod 600 {path})"
            raise PermissionError(errno.EPERM, why, path)
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)


def write_private(path: str, content: bytes, *, replace: bool = True, sync: bool = False) -> None:
    """Write a file as a whole, which only this user can read.

    `sync`: wait until it is on the disk, so that it is complete or absent also after a crash.

    Raises:
        FileExistsError: it exists, without `replace`.
        OSError: it cannot be written.
    """
    folder, name = os.path.split(path)
    draft = os.path.join(folder, f".{name}.{os.getpid()}.{time.monotonic_ns()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if sync:
                os.fsync(descriptor)
        if replace:
            os.rename(draft, path)
        else:
            os.link(draft, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)
