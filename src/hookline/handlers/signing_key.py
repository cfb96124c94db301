"""Signing key: a secret of this user, created on first use, by which their processes recognise each other's messages."""

from __future__ import annotations

import contextlib
import os
import stat

from hookline.paths import state_folder
from hookline.text.digest import keyed_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = "firing.key"
_LENGTH = 32


def load_key(environ: Mapping[str, str], *, make: bool = False) -> bytes:
    """Return the key; empty if there is none, it cannot be read, or another user could have read or written it.

    `make`: create a missing key, but not a missing home folder.
    """
    path = f"{state_folder(environ)}/{_NAME}"
    key = _read(path)
    if (
        not key
        and make
        and (environ.get("XDG_STATE_HOME") or os.path.isdir(environ.get("HOME", "")))
    ):
        if not os.path.lexists(path):
            _make(path)
        key = _read(path)  # another process may have created it meanwhile
    return key


def sign(key: bytes, text: str) -> str:
    """Return the signature of a text, which only a holder of the key can make."""
    return keyed_digest(key, text.encode("utf-8", "surrogatepass"))


def is_signed(key: bytes, text: str, mark: str) -> bool:
    """Return whether the signature of a text is valid; always False without a key."""
    from hmac import compare_digest  # noqa: PLC0415 - only needed inside a hook

    return bool(key) and compare_digest(
        sign(key, text).encode(), mark.encode("utf-8", "surrogatepass")
    )


def _read(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        found = os.fstat(fd)
        ours = (
            stat.S_ISREG(found.st_mode)
            and found.st_uid == os.geteuid()
            and not stat.S_IMODE(found.st_mode) & 0o077
        )
        key = os.read(fd, _LENGTH + 1) if ours else b""
    except OSError:
        return b""
    finally:
        os.close(fd)
    return key if len(key) == _LENGTH else b""


def _make(path: str) -> None:
    """Create the key atomically; if another process was faster, its key counts."""
    beside = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    with contextlib.suppress(OSError):  # signatures are then unavailable
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, os.urandom(_LENGTH))
            os.close(fd)
            os.link(beside, path)
        finally:
            os.unlink(beside)
