"""Vsock: relays between AF_VSOCK and a private unix socket, because gRPC's wheels lack vsock."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from hookline.remote.addresses import listen_unix, make_taken_error

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator

    Ends: TypeAlias = tuple[StreamReader, StreamWriter]

_CHUNK = 1 << 16  # bytes
_MOST = 64  # connections at once


@asynccontextmanager
async def relay(cid: int, port: int, *, inward: bool) -> AsyncIterator[str]:
    """Copy bytes, within a block, between a vsock port and the address that is yielded.

    `inward`: it accepts connections of other machines, and dials that address; otherwise it does
    the reverse. It closes connections beyond the first 64. The end of one direction ends both.

    Raises:
        ConfigError: the port is taken, or this machine has no vsock.
    """
    running: set[asyncio.Task[None]] = set()

    def begin(reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.ensure_future(relay_one(reader, writer))
        running.add(task)
        task.add_done_callback(running.discard)

    async def relay_one(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            if len(running) <= _MOST:
                far_reader, far_writer = await connect()
                await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))
        except OSError:  # nothing listens there, or one end broke off
            pass
        finally:
            writer.close()

    with tempfile.TemporaryDirectory(prefix="hookline-") as folder:  # its mode is 0700
        path = f"{folder}/bridge"
        connect = (
            partial(asyncio.open_unix_connection, path) if inward else partial(dial, cid, port)
        )
        accept = listen(cid, port) if inward else listen_unix(path)
        server = await asyncio.start_server(begin, sock=accept)
        try:
            yield f"unix:{path}"
        finally:
            server.close()
            for task in running:
                task.cancel()


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    """Copy until the end, and then close; that also ends the copying in the other direction."""
    try:
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


def listen(cid: int, port: int) -> socket.socket:
    """Return a socket that listens; with `ANY_CID` any machine that reaches this one can connect.

    Raises:
        ConfigError: the port is taken, or this machine has no vsock.
    """
    sock = None
    try:
        sock = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
        sock.bind((cid, port))
        sock.listen()
    except OSError as error:
        if sock is not None:
            sock.close()
        raise make_taken_error(f"vsock:{cid}:{port}", error, "remote.address") from None
    return sock


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
    except OSError:
        sock.close()
        raise
