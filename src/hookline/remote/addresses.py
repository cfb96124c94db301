"""Addresses: where a bridge is, in one line: `unix:/path`, `127.0.0.1:4088`, `vsock:host:4088`."""

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
_PATIENCE = 1.0  # seconds, for somebody who may listen on a socket that is there
_TRIES, _PAUSE = (
    20,
    0.05,
)  # seconds between them, for a folder in which somebody else makes a socket
_EXAMPLES = "unix:/run/user/1000/bridge.sock, 127.0.0.1:4088 or vsock:host:4088"


class Address(Frozen):
    """An address that was read. `path` is a unix socket's, `host` and `port` TCP's, `cid` and `port` vsock's."""

    text: str
    way: str
    path: str = ""
    host: str = ""
    cid: int = 0
    port: int = 0

    @property
    def proven(self) -> bool:
        """Whether only this machine's same user can be there."""
        return self.way == UNIX

    @property
    def target(self) -> str:
        """As gRPC spells it."""
        if self.way == UNIX:
            return f"unix:{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parsed(text: str) -> Address:
    """An address.

    Raises:
        ConfigError: it is none, or not one of this machine alone.
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
        cid, port = vsock.parsed(text)
        return Address(text=text, way=VSOCK, cid=cid, port=port)
    return _tcp(text)


def _tcp(text: str) -> Address:
    found = _TCP.fullmatch(text)
    host = (found["six"] or found["four"]) if found else ""
    try:
        ip = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        ip = None
    if found is None or ip is None or int(found["port"]) > _LARGEST_PORT:
        raise ConfigError(
            f"`{text:.200}` is no address of a bridge", name="remote.address", hint=_EXAMPLES
        )
    if not ip.is_loopback:
        hint = "another machine is reached by vsock, or by a tunnel to a unix socket here"
        raise ConfigError(f"`{text}` is not on this machine", name="remote.address", hint=hint)
    return Address(text=text, way=TCP, host=str(ip), port=int(found["port"]))


@contextmanager
def room_at(
    path: str, *, name: str = "remote.address", sleep: Callable[[float], object] = time.sleep
) -> Iterator[None]:
    """Meanwhile a socket can be bound at a path, with a mode for its user only; one that nobody listens on any more is removed.

    `name`: that of the error. It waits 1 s at most for somebody else who is looking at the sockets of this folder.

    Raises:
        ConfigError: something else is there, somebody listens there, or the folder cannot be looked into.
    """
    folder = os.path.dirname(path) or "."
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise _taken(path, (error.strerror or "").lower(), name) from None
    try:
        if not _locked(descriptor, sleep):
            hint = "end whoever holds it, or name a path in another folder"
            raise ConfigError(
                f"cannot listen on `{path}`: `{folder}` is locked by somebody else",
                name=name,
                hint=hint,
            )
        _make_room(path, name)
        before = os.umask(
            0o177
        )  # a mode that is changed afterwards leaves a moment in which others may connect
        try:
            yield
        finally:
            os.umask(before)
    finally:
        os.close(descriptor)


def _locked(folder: int, sleep: Callable[[float], object]) -> bool:
    """Whether this folder is ours alone for a moment, lest two of us take each other's socket for a stale one."""
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
            f"`{path}` is no socket, and is left alone", name=name, hint="name another path"
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
        asked.settimeout(_PATIENCE)
        try:
            asked.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except TimeoutError:  # with too much to do
            pass
        except OSError as error:
            raise _taken(path, (error.strerror or "nobody answers").lower(), name) from None
    raise _taken(path, "somebody listens there", name)


def unix_listener(path: str, *, name: str = "remote.address", backlog: int = 128) -> socket.socket:
    """A socket that listens at a path, for this user only. `name`: that of the error.

    Raises:
        ConfigError: as `room_at`, or it cannot be made.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with room_at(path, name=name):
            listening.bind(path)
            listening.listen(
                backlog
            )  # before somebody else who makes a socket here takes it for a stale one
    except OSError as error:
        listening.close()
        why = (
            "somebody listens there"
            if error.errno == errno.EADDRINUSE
            else (error.strerror or str(error)).lower()
        )
        raise _taken(path, why, name) from None
    except ConfigError:
        listening.close()
        raise
    return listening


def remove(path: str, made: os.stat_result) -> None:
    """Remove the file of a socket, if it is still that one."""
    with suppress(OSError):
        found = os.lstat(path)
        if (found.st_dev, found.st_ino) == (made.st_dev, made.st_ino):
            os.unlink(path)


def _taken(where: str, why: str, name: str) -> ConfigError:
    hint = (
        "end that server, or name another path"
        if why == "somebody listens there"
        else "name another path"
    )
    return ConfigError(f"cannot listen on `{where}`: {why}", name=name, hint=hint)
