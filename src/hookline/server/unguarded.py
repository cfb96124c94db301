"""Unguarded: the mark of a server that approves hooks without a token, which is there for as long as that server runs."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from hookline.model.problem import Problem
from hookline.server.tokens import token_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_PREFIX = "serve.self-approve."
_LONGEST = 4096  # bytes of a mark


@contextmanager
def marked(
    environ: Mapping[str, str], addresses: Iterable[str], tell: Callable[[str], object]
) -> Iterator[None]:
    """Leave a mark beside the token, with these addresses; it is locked, so that it says nothing once its server is dead."""
    path = os.path.join(os.path.dirname(token_place(environ)), f"{_PREFIX}{os.getpid()}")
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


def unguarded(environ: Mapping[str, str]) -> Iterator[Problem]:
    """What the servers of this user cost that run and approve without a token, one by one."""
    folder = os.path.dirname(token_place(environ))
    names = sorted(name for name in _listed(folder) if name.startswith(_PREFIX))
    for name in names:
        addresses = _of_running(os.path.join(folder, name))
        if addresses is not None:
            number = name.removeprefix(_PREFIX)
            at = f" at {addresses}" if addresses else ""
            message = f"a server{at} (process {number}) lets every program of this machine approve hooks without a token"
            hint = f"end it, and start it without --self-approve: kill {number}"
            yield Problem(name="trust.self-approve", message=message, hint=hint, severity="warning")


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _of_running(path: str) -> str | None:
    """The addresses in a mark whose server runs; None where it does not any more."""
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
