"""Secret: a key of this user, made when it is first needed, by whose seal one process of theirs knows again what another has written."""

from __future__ import annotations

import contextlib
import os
import stat

from hookline.text.digest import keyed_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = "firing.key"
_LENGTH = 32


def state_folder(environ: Mapping[str, str]) -> str:
    """Where what lasts is kept: below XDG_STATE_HOME, if that is an absolute path."""
    state = environ.get("XDG_STATE_HOME", "")
    base = (
        state
        if os.path.isabs(state)
        else f"{environ.get('HOME') or os.path.expanduser('~')}/.local/state"
    )
    return f"{base}/hookline"


def key_of(environ: Mapping[str, str], *, make: bool = False) -> bytes:
    """The key; empty where there is none, it cannot be read, or somebody else may have read or written it.

    `make`: where there is none, one is made; but no home is.
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
        key = _read(path)  # somebody else may have made it meanwhile
    return key


def seal(key: bytes, text: str) -> str:
    """The seal of a text, which nobody can make without the key."""
    return keyed_digest(key, text.encode("utf-8", "surrogatepass"))


def is_sealed(key: bytes, text: str, mark: str) -> bool:
    """Whether that is the seal of a text; nothing is sealed with no key."""
    from hmac import compare_digest  # noqa: PLC0415 - only inside of a hook

    return bool(key) and compare_digest(
        seal(key, text).encode(), mark.encode("utf-8", "surrogatepass")
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
    """Put a key where none is, whole or not at all; whoever was faster made the one that counts."""
    beside = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    with contextlib.suppress(OSError):  # then nothing is sealed
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, os.urandom(_LENGTH))
            os.close(fd)
            os.link(beside, path)
        finally:
            os.unlink(beside)
