"""Sockets: opens the server's addresses before it reports that it is ready."""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hookline.errors import ConfigError
from hookline.remote.addresses import (
    listen_unix,
    make_taken_error,
    parse_host_and_port,
    remove_socket,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_BACKLOG = 512  # as many connections as there may be at once


def listen_http(address: str, *, allow_remote: bool = False) -> socket.socket:
    """Return a socket that listens at `HOST:PORT`.

    The host is an IP address or `localhost`, port 0 is any free one.

    Raises:
        ConfigError: it is not an address, is reachable from other machines (without
            `allow_remote`), or is taken.
    """
    has_host = ":" in address.removeprefix(":")
    host, port = parse_host_and_port(
        address if has_host else f"localhost:{address.removeprefix(':')}"
    )
    if host is None:
        hint = "for example 127.0.0.1:8465, or [::1]:8465"
        words = f"`{address}` is not an address to listen on"
        raise ConfigError(words, name="serve.address", hint=hint)
    if not host.is_loopback and not allow_remote:
        hint = "to let other machines ask: --allow-remote, with --token-file"
        raise ConfigError(f"`{address}` is open to other machines", name="serve.address", hint=hint)
    # The version of IP.
    family = socket.AF_INET6 if host.version == 6 else socket.AF_INET  # noqa: PLR2004
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((str(host), port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise make_taken_error(address, error, "serve.address") from None
    return listening


def listen_unix_path(path: str) -> socket.socket:
    """Return a socket that listens at a path, for its user only.

    A socket without a listener is replaced.

    Raises:
        ConfigError: another file is there, a server listens there, or it cannot be created.
    """
    return listen_unix(path, name="serve.address", backlog=_BACKLOG)


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
