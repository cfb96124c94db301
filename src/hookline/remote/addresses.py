"""Addresses of a bridge in one line: `unix:/path`, `127.0.0.1:4088`, `vsock:host:4088`."""

from __future__ import annotations

import errno
import ipaddress
import os
import re
import socket
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ipaddress import IPv4Address, IPv6Address

UNIX, TCP, VSOCK = "unix", "tcp", "vsock"
ANY_CID = 0xFFFFFFFF  # VMADDR_CID_ANY; the same number stands for any port
_CIDS = {"any": ANY_CID, "local": 1, "host": 2}
_TCP = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]/]+)):(\d{1,5})", re.ASCII)
_VSOCK = re.compile(r"vsock:(any|local|host|\d{1,10}):(\d{1,10})", re.ASCII)
_LONGEST_PATH = 107  # bytes, of a unix socket's
_LARGEST_PORT = 65535
_PATIENCE = 1.0  # seconds to wait for an answer on an existing socket
_EXAMPLES = "unix:/run/user/1000/bridge.sock, 127.0.0.1:4088 or vsock:host:4088"


class Address(Frozen):
    """A parsed address. `target`: as gRPC spells it; vsock has a CID and a port instead."""

    way: str
    target: str = ""
    cid: int = 0
    port: int = 0

    @property
    def proven(self) -> bool:
        """Return whether only this user on this machine can connect or listen there."""
        return self.way == UNIX


def parse_address(text: str) -> Address:
    """Parse an address.

    Raises:
        ConfigError: it is not an address, or not one of this machine alone.
    """
    way, _, rest = text.partition(":")
    path = os.path.abspath(rest)
    if way == UNIX and rest and "\0" not in rest and len(os.fsencode(path)) <= _LONGEST_PATH:
        return Address(way=UNIX, target=f"unix:{path}")
    if found := _VSOCK.fullmatch(text):
        cid, port = _CIDS.get(found[1]) or int(found[1]), int(found[2])
        if max(cid, port) <= ANY_CID:
            return Address(way=VSOCK, cid=cid, port=port)
    ip, port = parse_host_and_port(text)
    if ip is None or not ip.is_loopback:
        hint = f"for example {_EXAMPLES}; another machine needs vsock, or a tunnel to a unix socket"
        words = f"`{text:.200}` is not an address on this machine"
        raise ConfigError(words, name="remote.address", hint=hint)
    target = f"[{ip}]:{port}" if ":" in str(ip) else f"{ip}:{port}"
    return Address(way=TCP, target=target)


def parse_host_and_port(text: str) -> tuple[IPv4Address | IPv6Address | None, int]:
    """Return the IP address and the port of `HOST:PORT`; the host may be `localhost`.

    None for the address if it is something else.
    """
    found = _TCP.fullmatch(text)
    host = (found[1] or found[2]) if found else ""
    try:
        ip = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:  # a name may lead to another address tomorrow
        return None, 0
    port = int(found[3]) if found else 0
    return (ip, port) if port <= _LARGEST_PORT else (None, 0)


@contextmanager
def reserve_path(path: str, *, name: str = "remote.address") -> Iterator[None]:
    """Make room for a new socket, of this user only, that a `with` block makes.

    A socket without a listener is removed.

    `name`: the name of the error.

    Raises:
        ConfigError: another file is there, a server listens there, or the socket cannot be made.
    """
    before = os.umask(
        0o177
    )  # changing the mode later would leave a moment in which others may connect
    try:
        _remove_stale_socket(path)
        yield
    except OSError as error:
        raise make_taken_error(path, error, name) from None
    finally:
        os.umask(before)


def _remove_stale_socket(path: str) -> None:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise OSError(errno.EEXIST, "this is not a socket; hookline leaves it as it is")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PATIENCE)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except TimeoutError:  # the server is busy
            pass
    raise OSError(errno.EADDRINUSE, "")


def make_taken_error(address: str, error: OSError, name: str) -> ConfigError:
    """Return the error that a server cannot listen on an address."""
    is_taken = error.errno == errno.EADDRINUSE
    why = "another server listens there" if is_taken else (error.strerror or str(error)).lower()
    hint = "end that server, or name another address" if is_taken else "name another address"
    return ConfigError(f"cannot listen on `{address}`: {why}", name=name, hint=hint)


def listen_unix(path: str, *, name: str = "remote.address", backlog: int = 128) -> socket.socket:
    """Return a socket that listens at a path, for this user only. `name`: the name of the error.

    Raises:
        ConfigError: as `reserve_path`.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with reserve_path(path, name=name):
            listening.bind(path)
            listening.listen(backlog)
    except ConfigError:
        listening.close()
        raise
    return listening
