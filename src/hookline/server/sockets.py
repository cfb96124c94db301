"""Sockets: the addresses that the server listens on, taken before it says that it is ready."""

from __future__ import annotations

import errno
import ipaddress
import os
import re
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hookline.errors import ConfigError
from hookline.remote.addresses import listen_unix, remove_socket

if TYPE_CHECKING:
    from collections.abc import Iterator

_BACKLOG = 512  # as many connections as there may be at once
_LARGEST_PORT = 65535
_ADDRESS = re.compile(
    r"(?:(?:\[(?P<six>[^\]]+)\]|(?P<four>[^:\[\]]*)):)?(?P<port>\d{1,5})", re.ASCII
)


def http_socket(address: str, *, allow_remote: bool = False) -> socket.socket:
    """A socket that listens at `HOST:PORT`; the host is an IP address or `localhost`, port 0 is any free one.

    Raises:
        ConfigError: it is no address, not one of this machine alone (without `allow_remote`), or it is taken.
    """
    host, port = _parsed(address)
    if not host.is_loopback and not allow_remote:
        hint = "to let other machines ask: --allow-remote, with --token-file"
        raise ConfigError(f"`{address}` is open to other machines", name="serve.address", hint=hint)
    family = socket.AF_INET6 if host.version == 6 else socket.AF_INET  # noqa: PLR2004 - the version of IP
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((str(host), port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise _taken(address, error) from None
    return listening


def _parsed(address: str) -> tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]:
    found = _ADDRESS.fullmatch(address)
    host = (found["six"] or found["four"] or "localhost") if found else ""
    try:
        ip = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        ip = None
    if found is None or ip is None or int(found["port"]) > _LARGEST_PORT:
        # A name may be anybody's address tomorrow.
        raise ConfigError(
            f"`{address}` is no address to listen on",
            name="serve.address",
            hint="for example 127.0.0.1:8465, or [::1]:8465",
        )
    return ip, int(found["port"])


def unix_socket(path: str) -> socket.socket:
    """A socket that listens at a path, for its user only; one that nobody listens on any more is replaced.

    Raises:
        ConfigError: something else is there, another server listens there, or it cannot be made.
    """
    return listen_unix(path, name="serve.address", backlog=_BACKLOG)


def _taken(address: str, error: OSError) -> ConfigError:
    why = (
        "another server listens there"
        if error.errno == errno.EADDRINUSE
        else (error.strerror or str(error)).lower()
    )
    return ConfigError(
        f"cannot listen on `{address}`: {why}",
        name="serve.address",
        hint="name another with --http",
    )


def name_of(listening: socket.socket) -> str:
    """The address of a socket, as a client would write it."""
    at = listening.getsockname()
    if isinstance(at, str):
        return f"unix:{at}"
    host, port = at[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def closing(listening: list[socket.socket]) -> Iterator[None]:
    """In the end the sockets are closed, and the files of those that have one are removed, if they are still ours."""
    files = [
        (sock.getsockname(), os.lstat(sock.getsockname()))
        for sock in listening
        if sock.family == socket.AF_UNIX
    ]
    try:
        yield
    finally:
        for sock in listening:
            sock.close()
        for path, made in files:
            remove_socket(path, made)
