"""Tokens: the secret that proves that a sender may read this user's files, and its file."""

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


def default_token_path(environ: Mapping[str, str]) -> str:
    """Return the default path of the token: in hookline's state folder."""
    state = environ.get("XDG_STATE_HOME", "")
    base = (
        state
        if os.path.isabs(state)
        else os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".local", "state")
    )
    return os.path.join(base, "hookline", "serve.token")


def read_token(path: str) -> str:
    """Return the token in a file; create the file with a new token if it is missing.

    Raises:
        ConfigError: the file belongs to another user, others may read it, it cannot be read or created, or has no token.
    """
    try:
        _make(path)
    except FileExistsError:
        pass
    except OSError as error:
        raise _unusable_error(path, f"cannot be made: {(error.strerror or '').lower()}") from None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise _unusable_error(path, f"cannot be read: {(error.strerror or '').lower()}") from None
    try:
        found = os.fstat(descriptor)
        _check(path, found.st_mode, found.st_uid)
        token = os.read(descriptor, _LONGEST).decode("ascii", "replace").strip()
    finally:
        os.close(descriptor)
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise _unusable_error(
            path, f"holds no token: one line of {_SHORTEST} or more printable characters"
        )
    return token


def copy_token_beside(socket: str, token: str, environ: Mapping[str, str]) -> str:
    """Copy the token beside a socket, for clients that know only the socket; return the path. In our state folder it is there already.

    Raises:
        ConfigError: the path is not a file of this user, or cannot be written.
    """
    if os.path.dirname(os.path.realpath(socket)) == os.path.dirname(
        os.path.realpath(default_token_path(environ))
    ):
        return default_token_path(environ)
    path = os.path.abspath(f"{socket}.token")
    new = f"{path}.{os.getpid()}.new"
    try:
        if os.path.lexists(path):
            _check(path, os.lstat(path).st_mode & ~0o077, os.lstat(path).st_uid)
        _make(new, token)
        os.replace(new, path)
    except OSError as error:
        raise _unusable_error(path, f"cannot be made: {(error.strerror or '').lower()}") from None
    return path


def _make(path: str, token: str = "") -> None:
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        file.write((token or secrets.token_urlsafe(32)) + "\n")


def _check(path: str, mode: int, uid: int) -> None:
    if not stat.S_ISREG(mode):
        raise _unusable_error(path, "is no file")
    if uid != os.geteuid():
        raise _unusable_error(path, "is not yours")
    if stat.S_IMODE(mode) & 0o077:
        raise _unusable_error(path, "may be read by others", hint=f"chmod 600 {path}")


def _unusable_error(
    path: str, why: str, *, hint: str = "name another with --token-file"
) -> ConfigError:
    return ConfigError(f"the token file `{path}` {why}", name="serve.token", hint=hint)
