"""Files of hosts: read as they are, compared as a diff, and replaced as a whole through links."""

from __future__ import annotations

import difflib
import os
from contextlib import suppress

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen

_LARGEST = 8 << 20  # bytes of a host's file


class FileChange(Frozen):
    """One file before and after. `path` is as the host names it, `target` what links lead to.

    None is a file that does not exist. `mode`: of a new file.
    """

    path: str
    target: str
    before: bytes | None
    after: bytes | None
    mode: int = 0o644

    def diff(self) -> str:
        """Return the change as a unified diff."""
        old, new = (_split_lines(text) for text in (self.before, self.after))
        names = (
            self.path if self.before is not None else os.devnull,
            self.path if self.after is not None else os.devnull,
        )
        return "".join(difflib.unified_diff(old, new, *names))


def read_file(path: str) -> bytes | None:
    """Return the content of a file, or None if it does not exist.

    Raises:
        ConfigError: it cannot be read, or is no plain file.
    """
    target = os.path.realpath(path)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            raise make_file_error("install.unreadable", path, "it is no plain file")
        with open(target, "rb") as file:
            content = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        why = (error.strerror or "").lower()
        raise make_file_error("install.unreadable", path, f"cannot be read: {why}") from None
    if len(content) > _LARGEST:
        raise make_file_error("install.unreadable", path, f"larger than {_LARGEST >> 20} MiB")
    return content


def make_change(
    path: str, before: bytes | None, after: bytes | None, mode: int = 0o644
) -> FileChange:
    """Return the change of a file, by the name that its host has for it."""
    return FileChange(
        path=path, target=os.path.realpath(path), before=before, after=after, mode=mode
    )


def _split_lines(content: bytes | None) -> list[str]:
    lines = (content or b"").decode(errors="replace").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ no newline at the end of the file\n"
    return lines


def make_file_error(name: str, place: str, why: str, hint: str = "") -> ConfigError:
    """Return the error of a file that cannot be changed."""
    return ConfigError(why, name=name, place=place, hint=hint)


def write_file(target: str, content: bytes | None, mode: int) -> None:
    """Replace a file as a whole, and keep its mode and owner; None removes it."""
    if content is None:
        with suppress(FileNotFoundError):
            os.unlink(target)
        return
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    with suppress(FileNotFoundError):
        mode = os.stat(target).st_mode & 0o7777
    draft = os.path.join(folder, f".{os.path.basename(target)}.hookline-{os.getpid()}")
    try:
        # It may hold secrets, so it is private until it has the mode of the file.
        with open(draft, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(draft, mode)
        with suppress(PermissionError, FileNotFoundError):
            found = os.stat(target)
            os.chown(draft, found.st_uid, found.st_gid)
        os.rename(draft, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)
