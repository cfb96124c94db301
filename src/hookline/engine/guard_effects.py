"""Carries out what a guard answers beside its verdict: appends lines to log files."""

from __future__ import annotations

import fcntl
import os
import stat

from hookline.errors import HandlerError
from hookline.paths import find_home, is_below, make_private_folder, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.guards.finding import Append

_FLAGS = (
    os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
)  # fmt: skip
_TRIES = 8


def append_line(append: Append, environ: Mapping[str, str], *, is_cloned: bool) -> None:
    """Append a line to a log file, with one write.

    Args:
        append: the line, and the file.
        environ: tells where the user's home and hookline's state are.
        is_cloned: a project's file names the log file, so it must lie in hookline's own folder.

    Raises:
        HandlerError: the file must not be written.
        OSError: it cannot be written.
    """
    path = _find_file(append.path, environ, is_cloned=is_cloned)
    line = append.line.encode("utf-8", "replace") + b"\n"
    make_private_folder(os.path.dirname(path))
    descriptor = _open_with_room(path, append.largest - len(line))
    try:
        if os.write(descriptor, line) != len(line):
            raise OSError(f"`{path}` took only a part of the line")
    finally:
        os.close(descriptor)


def _find_file(path: str, environ: Mapping[str, str], *, is_cloned: bool) -> str:
    """Return the absolute path of a log file.

    It ends in `.jsonl`, so that no start-up file of a shell and no list of keys ever gets a line.
    """
    folder = f"{state_folder(environ)}/logs"
    whole = f"{find_home(environ)}{path[1:]}" if path.startswith("~/") else path
    whole = os.path.normpath(os.path.join(folder, whole))
    if not whole.endswith(".jsonl"):
        raise HandlerError(f"the log file `{path}` must end in `.jsonl`")
    if is_cloned and not is_below(whole, folder):
        raise HandlerError(f"a project's file can only choose a log file in `{folder}`")
    return whole


def _open_with_room(path: str, most: int) -> int:
    """Return a descriptor of a file that has at most so many bytes, to append to.

    A larger file is put aside first, by only one of the processes that find it so.
    """
    for _ in range(_TRIES):
        descriptor = _open(path)
        size = os.fstat(descriptor).st_size
        if size <= max(most, 0) or not size:
            return descriptor
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(descriptor), os.lstat(path)):
                os.replace(path, f"{path}.1")
        except FileNotFoundError:
            pass  # another process has put it aside
        finally:
            os.close(descriptor)
    raise OSError(f"other processes fill `{path}`")


def _open(path: str) -> int:
    descriptor = os.open(path, _FLAGS, 0o600)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
        os.close(descriptor)
        raise HandlerError(f"`{path}` is not a file of this user")
    return descriptor
