"""Vsock: listeners and connections of AF_VSOCK, and a relay to a unix socket, because gRPC's wheels lack vsock.

The kernel vouches for the CID of a machine, as for a peer's uid on a unix socket
(docs/formats/a3s.md 10.2, 10.3).
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import socket
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

from hookline.remote.addresses import ANY_CID, make_taken_error

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator, Awaitable, Callable

    from hookline.errors import ConfigError

    # The two directions of a connection; a dial raises OSError if there is none.
    Ends: TypeAlias = tuple[StreamReader, StreamWriter]
    Dial: TypeAlias = Callable[[], Awaitable[Ends]]

_BACKLOG = 128
_CHUNK = 1 << 16  # bytes
_MOST = 64  # connections at once
_PATIENCE = 10.0  # seconds for a connection


def _check_transport() -> None:
    """Raise OSError if the kernel has no vsock transport: bind and listen succeed, and no connection can ever arrive."""
    try:
        with open("/dev/vsock", "rb") as device:
            cid = fcntl.ioctl(device, socket.IOCTL_VM_SOCKETS_GET_LOCAL_CID, bytes(4))
    except (OSError, AttributeError):  # a container often has no device, and vsock nevertheless
        return
    if int.from_bytes(cid, sys.byteorder) == ANY_CID:
        raise OSError(errno.ENODEV, "the kernel has no vsock transport")


def listen(cid: int, port: int) -> socket.socket:
    """Return a socket that listens; with `ANY_CID` any machine that reaches this one can connect.

    Raises:
        ConfigError: the port is taken, this machine has no vsock, or the kernel has no transport
            for it.
    """
    try:
        sock = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    except OSError as error:
        raise _make_error(cid, port, error) from None
    try:
        sock.bind((cid, port))
        sock.listen(_BACKLOG)
        _check_transport()
    except OSError as error:
        sock.close()
        raise _make_error(cid, port, error) from None
    return sock


def _make_error(cid: int, port: int, error: OSError) -> ConfigError:
    name = f"vsock:{'any' if cid == ANY_CID else cid}:{port}"
    return make_taken_error(name, error, "serve.address")


async def dial(cid: int, port: int) -> Ends:
    """Connect to a port on another machine.

    Raises:
        OSError: the connection fails.
    """
    sock = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, (cid, port))
        return await asyncio.open_connection(sock=sock)
    except BaseException:
        sock.close()
        raise


@asynccontextmanager
async def relay(accept: socket.socket, dial: Dial) -> AsyncIterator[None]:
    """Copy bytes both ways between each accepted connection and a dialled one, within a block.

    Its end breaks all of them.

    `accept` is already listening, and is closed at the end. At most 64 connections are open at
    once; further ones are closed.
    """
    running: set[asyncio.Task[None]] = set()

    async def relay_one(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            if len(running) <= _MOST:
                async with asyncio.timeout(_PATIENCE):
                    far_reader, far_writer = await dial()
                await _copy_both((reader, writer), (far_reader, far_writer))
        except OSError:  # nothing listens there, or not in time
            pass
        finally:
            writer.transport.abort()

    def begin(reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(relay_one(reader, writer))
        running.add(task)
        task.add_done_callback(running.discard)

    server = await asyncio.start_server(begin, sock=accept)
    try:
        yield
    finally:
        server.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _copy_both(near: Ends, far: Ends) -> None:
    """Copy until both directions have ended, or one breaks."""
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_copy(near[0], far[1]))
            group.create_task(_copy(far[0], near[1]))
        async with asyncio.timeout(_PATIENCE):  # for bytes that the kernel did not take yet
            for _, writer in (near, far):
                writer.close()
                await writer.wait_closed()
    except* OSError:
        pass
    finally:
        far[1].transport.abort()


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    """Copy everything as fast as it is taken, then pass on the end.

    The other direction stays open.
    """
    while data := await reader.read(_CHUNK):
        writer.write(data)
        await writer.drain()
    writer.write_eof()
