"""Vsock: addresses, listeners and connections of AF_VSOCK, and of the unix sockets that Firecracker and libkrun use instead.

The CID says which machine connects (docs/formats/a3s.md 10.2). The kernel vouches for it, as for a peer's uid on a unix socket.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import re
import socket
import sys
from asyncio import IncompleteReadError, LimitOverrunError
from typing import TYPE_CHECKING

from hookline.errors import ConfigError

if TYPE_CHECKING:
    from asyncio import StreamReader
    from collections.abc import Callable, Iterable

    from hookline.remote.relay import Dial, Ends

ANY = 0xFFFFFFFF  # of CIDs and of ports: VMADDR_CID_ANY, VMADDR_PORT_ANY
LOCAL = 1
HOST = 2
_NAMES = {"any": ANY, "local": LOCAL, "host": HOST}
_ADDRESS = re.compile(r"vsock:(?P<cid>\w+):(?P<port>\d{1,10})", re.ASCII)
_OK = re.compile(rb"OK \d{1,10}\r?\n")
_BACKLOG = 128


def parse_vsock(address: str) -> tuple[int, int]:
    """Return the CID and the port of `vsock:CID:PORT`; the CID is a number, or `host` (2), `local` (1) or `any`.

    Raises:
        ConfigError: it is not such an address.
    """
    found = _ADDRESS.fullmatch(address)
    word = found["cid"] if found else ""
    cid = _NAMES.get(word, int(word) if word.isdecimal() and len(word) <= len(str(ANY)) else -1)
    if found is None or not 0 <= cid <= ANY or int(found["port"]) > ANY:
        hint = "for example vsock:any:4088 to listen, vsock:host:4088 or vsock:3:4088 to dial"
        raise ConfigError(f"`{address}` is not a vsock address", name="serve.address", hint=hint)
    return cid, int(found["port"])


def local_cid() -> int | None:
    """Return the CID of this machine: `ANY` if the kernel has no vsock transport, None if it does not tell."""
    try:
        with open("/dev/vsock", "rb") as device:
            answer = fcntl.ioctl(device, socket.IOCTL_VM_SOCKETS_GET_LOCAL_CID, bytes(4))
    except (OSError, AttributeError):  # a container often has no device, and vsock nevertheless
        return None
    return int.from_bytes(answer, sys.byteorder)


def listen(
    cid: int, port: int, *, local_cid: Callable[[], int | None] = local_cid
) -> socket.socket:
    """Return a socket that listens; with `ANY` as the CID any machine that reaches this one can connect.

    Raises:
        ConfigError: the port is taken, this machine has no vsock, or the kernel has no transport for it.
    """
    if local_cid() == ANY:  # bind and listen would succeed, and no connection could ever arrive
        raise _unusable_error(cid, port, OSError(errno.ENODEV, "the kernel has no vsock transport"))
    try:
        listening = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    except OSError as error:
        raise _unusable_error(cid, port, error) from None
    try:
        listening.bind((cid, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise _unusable_error(cid, port, error) from None
    return listening


def _unusable_error(cid: int, port: int, error: OSError) -> ConfigError:
    why = (error.strerror or str(error)).lower()
    hint = "a machine without vsock is reached by a unix socket: unix:PATH"
    return ConfigError(
        f"cannot listen on `vsock:{'any' if cid == ANY else cid}:{port}`: {why}",
        name="serve.address",
        hint=hint,
    )


def allow_cids(cids: Iterable[int]) -> Callable[[tuple[int, int]], bool]:
    """Return a filter that admits only these machines; `ANY` among them admits all."""
    allowed = frozenset(cids)
    return lambda peer: ANY in allowed or peer[0] in allowed


def dial(cid: int, port: int) -> Dial:
    """Return a function that connects to a port on another machine."""

    async def dialled() -> Ends:
        sock = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
        try:
            sock.setblocking(False)
            await asyncio.get_running_loop().sock_connect(sock, (cid, port))
            return await asyncio.open_connection(sock=sock)
        except BaseException:
            sock.close()
            raise

    return dialled


def dial_unix(path: str) -> Dial:
    """Return a function that connects to a unix socket."""

    async def dialled() -> Ends:
        return await asyncio.open_unix_connection(path)

    return dialled


def dial_guest(path: str, port: int) -> Dial:
    """Return a function that connects to a guest's port by the unix socket of its VMM (Firecracker, libkrun).

    It sends `CONNECT PORT` and receives `OK` with a number; the guest's bytes follow that line.
    """

    async def dialled() -> Ends:
        reader, writer = await asyncio.open_unix_connection(path)
        try:
            writer.write(b"CONNECT %d\n" % port)
            answered = await _line(reader)
        except BaseException:
            writer.transport.abort()
            raise
        if not _OK.fullmatch(answered):
            writer.transport.abort()
            raise ConnectionRefusedError(
                f"no server listens on port {port} of the guest behind `{path}`"
            )
        return reader, writer

    return dialled


async def _line(reader: StreamReader) -> bytes:
    """Return the next line; empty if there is none."""
    try:
        return await reader.readuntil(b"\n")
    except (IncompleteReadError, LimitOverrunError):
        return b""


def guest_path(path: str, port: int) -> str:
    """Return the path where a VMM connects when its guest dials the host's port; a server here must listen on it."""
    return f"{path}_{port}"
