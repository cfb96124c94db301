"""Tokens: the secret that proves that a sender may read this user's files, and its file."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from hookline.errors import ConfigError
from hookline.paths import read_private, state_folder, write_private

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHORTEST = 16  # characters
_LONGEST = 4096  # bytes of the file


def default_token_path(environ: Mapping[str, str]) -> str:
    """Return the default path of the token: in hookline's state folder."""
    return f"{state_folder(environ)}/serve.token"


def read_token(path: str) -> str:
    """Return the token in a file; create the file with a new token if it is missing.

    Raises:
        ConfigError: the file belongs to another user, others may read it, it cannot be read or
            created, or has no token.
    """
    try:
        if not os.path.lexists(path):
            os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
            with suppress(FileExistsError):  # another server has just made it
                write_private(path, f"{secrets.token_urlsafe(32)}\n".encode(), replace=False)
        token = read_private(path, _LONGEST).decode("ascii", "replace").strip()
    except OSError as error:
        raise _unusable_error(path, error) from None
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        why = f"it holds no token: one line of {_SHORTEST} or more printable characters"
        raise _unusable_error(path, why)
    return token


def copy_token_beside(socket: str, token: str, environ: Mapping[str, str]) -> str:
    """Copy the token beside a socket, for clients that know only the socket; return the path.

    In our state folder it is there already.

    Raises:
        ConfigError: the path is not a file of this user, or cannot be written.
    """
    path, default = os.path.abspath(f"{socket}.token"), default_token_path(environ)
    if os.path.realpath(os.path.dirname(path)) == os.path.realpath(os.path.dirname(default)):
        return default
    try:
        if os.path.lexists(path):
            read_private(path, 0)
        write_private(path, f"{token}\n".encode())
    except OSError as error:
        raise _unusable_error(path, error) from None
    return path


def _unusable_error(path: str, why: OSError | str) -> ConfigError:
    reason = why if isinstance(why, str) else why.strerror or str(why)
    words = f"the token file `{path}` cannot be used: {reason}"
    return ConfigError(words, name="serve.token", hint="name another with --token-file")
