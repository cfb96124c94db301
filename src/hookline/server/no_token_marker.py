"""No-token marker: shows that a server approves hooks without a token, for as long as that server runs."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from hookline.model.spec import Problem
from hookline.server.tokens import default_token_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_PREFIX = "serve.self-approve."
_LONGEST = 4096  # bytes of a marker


@contextmanager
def keep_marker(
    environ: Mapping[str, str], addresses: Iterable[str], tell: Callable[[str], object]
) -> Iterator[None]:
    """Keep a marker with these addresses beside the token.

    Its lock ends with the server, so it cannot outlive it.
    """
    path = os.path.join(os.path.dirname(default_token_path(environ)), f"{_PREFIX}{os.getpid()}")
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(
            path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
    except OSError as error:
        tell(
            f"`hookline doctor` will not know of this: `{path}` cannot be made: {(error.strerror or '').lower()}"
        )
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, " ".join(addresses).encode("utf-8", "replace")[:_LONGEST])
        yield
    finally:
        with suppress(OSError):
            os.unlink(path)
        os.close(descriptor)


def list_unprotected_servers(environ: Mapping[str, str]) -> Iterator[Problem]:
    """Yield a warning for each running server of this user that approves hooks without a token."""
    folder = os.path.dirname(default_token_path(environ))
    names = sorted(name for name in _list_names(folder) if name.startswith(_PREFIX))
    for name in names:
        addresses = _read_if_running(os.path.join(folder, name))
        if addresses is not None:
            number = name.removeprefix(_PREFIX)
            at = f" at {addresses}" if addresses else ""
            message = f"a server{at} (process {number}) lets every program of this machine approve hooks without a token"
            hint = f"end it, and start it without --self-approve: kill {number}"
            yield Problem(name="trust.self-approve", message=message, hint=hint, severity="warning")


def _list_names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read_if_running(path: str) -> str | None:
    """Return the addresses in a marker whose server runs; None if it has ended."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(descriptor, _LONGEST).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None
