"""Addresses of a bridge in one line: `unix:/path`, `127.0.0.1:4088`, `vsock:host:4088`."""

from __future__ import annotations

import errno
import fcntl
import ipaddress
import os
import re
import socket
import stat
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.remote import vsock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

UNIX, TCP, VSOCK = "unix", "tcp", "vsock"
_TCP = re.compile(
    r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<four>[^:\[\]/]+)):(?P<port>\d{1,5})", re.ASCII
)
_LONGEST_PATH = 107  # bytes, of a unix socket's
_LARGEST_PORT = 65535
_PATIENCE = 1.0  # seconds to wait for an answer on an existing socket
_TRIES, _PAUSE = (
    20,
    0.05,
)  # seconds between them, for a folder where another process makes a socket
_EXAMPLES = "unix:/run/user/1000/bridge.sock, 127.0.0.1:4088 or vsock:host:4088"


class Address(Frozen):
    """A parsed address. `path` is for a unix socket, `host` and `port` for TCP, `cid` and `port` for vsock."""

    text: str
    way: str
    path: str = ""
    host: str = ""
    cid: int = 0
    port: int = 0

    @property
    def proven(self) -> bool:
        """Return whether only this user on this machine can connect or listen there."""
        return self.way == UNIX

    @property
    def target(self) -> str:
        """Return the address as gRPC spells it."""
        if self.way == UNIX:
            return f"unix:{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Parse an address.

    Raises:
        ConfigError: it is not an address, or not one of this machine alone.
    """
    way, _, rest = text.partition(":")
    if way == UNIX:
        path = os.path.abspath(rest) if rest else ""
        if not rest or len(os.fsencode(path)) > _LONGEST_PATH or "\0" in rest:
            hint = f"at most {_LONGEST_PATH} bytes"
            raise ConfigError(
                f"`{text:.200}` names no path that a socket can have",
                name="remote.address",
                hint=hint,
            )
        return Address(text=text, way=way, path=path)
    if way == VSOCK:
        cid, port = vsock.parse_vsock(text)
        return Address(text=text, way=VSOCK, cid=cid, port=port)
    return _parse_tcp(text)


def _parse_tcp(text: str) -> Address:
    found = _TCP.fullmatch(text)
    host = (found["six"] or found["four"]) if found else ""
    try:
        ip = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        ip = None
    if found is None or ip is None or int(found["port"]) > _LARGEST_PORT:
        raise ConfigError(
            f"`{text:.200}` is not an address of a bridge", name="remote.address", hint=_EXAMPLES
        )
    if not ip.is_loopback:
        hint = "another machine is reached by vsock, or by a tunnel to a unix socket here"
        raise ConfigError(f"`{text}` is not on this machine", name="remote.address", hint=hint)
    return Address(text=text, way=TCP, host=str(ip), port=int(found["port"]))


@contextmanager
def reserve_path(
    path: str, *, name: str = "remote.address", sleep: Callable[[float], object] = time.sleep
) -> Iterator[None]:
    """Reserve a path for a new socket of this user within a `with` block; remove a socket without a listener.

    `name`: the name of the error. It waits at most 1 s for another process that works on sockets of this folder.

    Raises:
        ConfigError: another file is there, a server listens there, or the folder cannot be read.
    """
    folder = os.path.dirname(path) or "."
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise _taken_error(path, (error.strerror or "").lower(), name) from None
    try:
        if not _lock_folder(descriptor, sleep):
            hint = "end the process that holds the lock, or name a path in another folder"
            raise ConfigError(
                f"cannot listen on `{path}`: `{folder}` is locked by another process",
                name=name,
                hint=hint,
            )
        _make_room(path, name)
        before = os.umask(
            0o177
        )  # changing the mode later would leave a moment in which others may connect
        try:
            yield
        finally:
            os.umask(before)
    finally:
        os.close(descriptor)


def _lock_folder(folder: int, sleep: Callable[[float], object]) -> bool:
    """Lock a folder for a moment, so that two servers cannot take each other's socket for a stale one."""
    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if left:
                sleep(_PAUSE)
        else:
            return True
    return False


def _make_room(path: str, name: str) -> None:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise ConfigError(
            f"`{path}` is not a socket; hookline leaves it as it is",
            name=name,
            hint="name another path",
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
        asked.settimeout(_PATIENCE)
        try:
            asked.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except TimeoutError:  # the server is busy
            pass
        except OSError as error:
            raise _taken_error(path, (error.strerror or "no answer").lower(), name) from None
    raise _taken_error(path, "another server listens there", name)


def listen_unix(path: str, *, name: str = "remote.address", backlog: int = 128) -> socket.socket:
    """Return a socket that listens at a path, for this user only. `name`: the name of the error.

    Raises:
        ConfigError: as `reserve_path`, or it cannot be created.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with reserve_path(path, name=name):
            listening.bind(path)
            listening.listen(backlog)  # so that another server does not take it for a stale one
    except OSError as error:
        listening.close()
        why = (
            "another server listens there"
            if error.errno == errno.EADDRINUSE
            else (error.strerror or str(error)).lower()
        )
        raise _taken_error(path, why, name) from None
    except ConfigError:
        listening.close()
        raise
    return listening


def remove_socket(path: str, made: os.stat_result) -> None:
    """Remove the file of a socket, if it is still the same one."""
    with suppress(OSError):
        found = os.lstat(path)
        if (found.st_dev, found.st_ino) == (made.st_dev, made.st_ino):
            os.unlink(path)


def _taken_error(where: str, why: str, name: str) -> ConfigError:
    hint = (
        "end that server, or name another path"
        if why == "another server listens there"
        else "name another path"
    )
    return ConfigError(f"cannot listen on `{where}`: {why}", name=name, hint=hint)
