"""Sockets: opens the server's addresses before it reports that it is ready."""

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


def listen_http(address: str, *, allow_remote: bool = False) -> socket.socket:
    """Return a socket that listens at `HOST:PORT`; the host is an IP address or `localhost`, port 0 is any free one.

    Raises:
        ConfigError: it is not an address, is reachable from other machines (without `allow_remote`), or is taken.
    """
    host, port = _parse_address(address)
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
        raise _taken_error(address, error) from None
    return listening


def _parse_address(address: str) -> tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]:
    found = _ADDRESS.fullmatch(address)
    host = (found["six"] or found["four"] or "localhost") if found else ""
    try:
        ip = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        ip = None
    if found is None or ip is None or int(found["port"]) > _LARGEST_PORT:
        # a name may lead to another address tomorrow
        raise ConfigError(
            f"`{address}` is not an address to listen on",
            name="serve.address",
            hint="for example 127.0.0.1:8465, or [::1]:8465",
        )
    return ip, int(found["port"])


def listen_unix_path(path: str) -> socket.socket:
    """Return a socket that listens at a path, for its user only; a socket without a listener is replaced.

    Raises:
        ConfigError: another file is there, a server listens there, or it cannot be created.
    """
    return listen_unix(path, name="serve.address", backlog=_BACKLOG)


def _taken_error(address: str, error: OSError) -> ConfigError:
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


def describe_socket(listening: socket.socket) -> str:
    """Return the address of a socket as a client writes it."""
    at = listening.getsockname()
    if isinstance(at, str):
        return f"unix:{at}"
    host, port = at[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def close_sockets(listening: list[socket.socket]) -> Iterator[None]:
    """Close the sockets at the end of a block, and remove their files if they are still the same."""
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
