"""Tokens: the secret by which a request shows that its sender may read this user's files, and where that lies."""

from __future__ import annotations

import os
import secrets
import stat
from typing import TYPE_CHECKING

from hookline.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHORTEST = 16  # characters
_LONGEST = 4096  # bytes of the file


def token_place(environ: Mapping[str, str]) -> str:
    """Where the token lies when nobody says: in the folder of hookline's state."""
    state = environ.get("XDG_STATE_HOME", "")
    base = (
        state
        if os.path.isabs(state)
        else os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".local", "state")
    )
    return os.path.join(base, "hookline", "serve.token")


def token_in(path: str) -> str:
    """The token in a file, which is made with a new one where it is missing.

    Raises:
        ConfigError: the file is somebody else's, others may read it, it cannot be read or made, or it holds no token.
    """
    try:
        _make(path)
    except FileExistsError:
        pass
    except OSError as error:
        raise _unusable(path, f"cannot be made: {(error.strerror or '').lower()}") from None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise _unusable(path, f"cannot be read: {(error.strerror or '').lower()}") from None
    try:
        found = os.fstat(descriptor)
        _check(path, found.st_mode, found.st_uid)
        token = os.read(descriptor, _LONGEST).decode("ascii", "replace").strip()
    finally:
        os.close(descriptor)
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise _unusable(
            path, f"holds no token: one line of {_SHORTEST} or more printable characters"
        )
    return token


def token_beside(socket: str, token: str, environ: Mapping[str, str]) -> str:
    """The token once more, beside a socket, for whoever knows only that; where it then lies. In the folder of our state it does already.

    Raises:
        ConfigError: what lies there is somebody else's, or no file, or nothing can be written there.
    """
    if os.path.dirname(os.path.realpath(socket)) == os.path.dirname(
        os.path.realpath(token_place(environ))
    ):
        return token_place(environ)
    path = os.path.abspath(f"{socket}.token")
    new = f"{path}.{os.getpid()}.new"
    try:
        if os.path.lexists(path):
            _check(path, os.lstat(path).st_mode & ~0o077, os.lstat(path).st_uid)
        _make(new, token)
        os.replace(new, path)
    except OSError as error:
        raise _unusable(path, f"cannot be made: {(error.strerror or '').lower()}") from None
    return path


def _make(path: str, token: str = "") -> None:
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        file.write((token or secrets.token_urlsafe(32)) + "\n")


def _check(path: str, mode: int, uid: int) -> None:
    if not stat.S_ISREG(mode):
        raise _unusable(path, "is no file")
    if uid != os.geteuid():
        raise _unusable(path, "is not yours")
    if stat.S_IMODE(mode) & 0o077:
        raise _unusable(path, "may be read by others", hint=f"chmod 600 {path}")


def _unusable(path: str, why: str, *, hint: str = "name another with --token-file") -> ConfigError:
    return ConfigError(f"the token file `{path}` {why}", name="serve.token", hint=hint)
