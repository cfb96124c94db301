"""Framed: the bridge's messages on a unix socket without gRPC, each after its length.

A connection begins with `HKL1` and one byte for what it is; then both sides send messages, each with its size before it, four
bytes, the highest first. Who may connect is asked of the socket's file, and of the kernel.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from google.protobuf.message import DecodeError, Message

from hookline.remote.addresses import remove, unix_listener
from hookline.remote.talking import LinkError

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from hookline.remote.outbox import Outbox

    # What is done with a connection of one kind: its messages, and where its own are written.
    Serve = Callable[[StreamReader, StreamWriter], Awaitable[None]]

M = TypeVar("M", bound=Message)
ATTACH, SERVE, FIRE, ANSWER = "attach", "serve", "fire", "answer"
METHODS = {ATTACH: b"\x01", SERVE: b"\x02", FIRE: b"\x03", ANSWER: b"\x04"}
_MAGIC = b"HKL1"
_SIZE = struct.Struct(">I")
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid
_PATIENCE = 5.0  # seconds, for the first bytes, and for the last ones
_MOST = 256  # connections at once


class FramedServer:
    """A unix socket, and what is done with each kind of connection. `uid`: whose processes may connect."""

    def __init__(self, path: str, serves: Mapping[str, Serve], *, uid: int | None = None) -> None:
        self.path = path
        self.refused = 0
        self._serves = {METHODS[name]: serve for name, serve in serves.items()}
        self._uid = os.geteuid() if uid is None else uid
        self._running: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen.

        Raises:
            ConfigError: the path cannot be listened on.
        """
        listening = unix_listener(self.path)
        self._made = os.lstat(self.path)
        self._server = await asyncio.start_unix_server(self._accepted, sock=listening)

    async def close(self) -> None:
        """Accept nothing more, and break off what there is."""
        self._server.close()
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)
        remove(self.path, self._made)

    def _accepted(self, reader: StreamReader, writer: StreamWriter) -> None:
        if len(self._running) >= _MOST or _uid_of(writer.get_extra_info("socket")) not in (
            self._uid,
            0,
        ):
            self.refused += 1
            writer.transport.abort()
            return
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                opening = await reader.readexactly(len(_MAGIC) + 1)
            serve = self._serves.get(opening[-1:]) if opening.startswith(_MAGIC) else None
            if serve is None:
                self.refused += 1
                return
            await serve(reader, writer)
        except (
            OSError,
            EOFError,
            LinkError,
        ):  # TimeoutError is an OSError; whoever it was has gone
            return
        finally:
            await _end(writer)


def _uid_of(sock: Any) -> int:
    """The user of the process at the other end, as it was when that connected."""
    _, uid, _ = _CREDENTIALS.unpack(
        sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    )
    return int(uid)


@asynccontextmanager
async def framed(path: str, method: str) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    """A connection of one kind.

    Raises:
        LinkError: nobody is there.
    """
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError as error:
        raise LinkError((error.strerror or str(error)).lower()) from None
    try:
        writer.write(_MAGIC + METHODS[method])
        yield reader, writer
    finally:
        await _end(writer)


async def messages(reader: StreamReader, kind: type[M], most: int) -> AsyncIterator[M]:
    """The messages that come in, until the end.

    Raises:
        LinkError: what came is none, or larger than `most` bytes.
    """
    while True:
        try:
            (size,) = _SIZE.unpack(await reader.readexactly(_SIZE.size))
            if size > most:
                raise LinkError(f"a message of {size:,} bytes, and {most:,} are the most")
            text = await reader.readexactly(size)
        except (OSError, EOFError):
            return
        try:
            yield kind.FromString(text)
        except DecodeError:
            raise LinkError("what came is no message") from None


async def pour(outbox: Outbox[Any], writer: StreamWriter) -> None:
    """Write what is posted, until the outbox is closed and empty; the one writer of its stream."""
    try:
        async for message in outbox:
            text = message.SerializeToString()
            writer.write(_SIZE.pack(len(text)) + text)
            await writer.drain()
    except OSError:
        outbox.close(now=True)


@asynccontextmanager
async def poured(outbox: Outbox[Any], writer: StreamWriter) -> AsyncIterator[None]:
    """Meanwhile what is posted is written; at the end, what was posted last."""
    pouring = asyncio.get_running_loop().create_task(pour(outbox, writer))
    try:
        yield
        outbox.close()
        await asyncio.wait([pouring], timeout=_PATIENCE)
    finally:
        outbox.close()
        pouring.cancel()
        await asyncio.wait([pouring])


async def _end(writer: StreamWriter) -> None:
    try:
        writer.close()
        async with asyncio.timeout(_PATIENCE):
            await writer.wait_closed()
    except OSError:
        writer.transport.abort()
