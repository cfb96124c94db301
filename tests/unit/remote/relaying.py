"""Ends of connections for tests of relays, and what a process holds open."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

PATIENCE = 20.0  # seconds


def listening(path: Path) -> socket.socket:
    """A unix socket that listens there."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.bind(str(path))
    sock.listen(64)
    return sock


def open_files() -> set[str]:
    """What this process holds open, by number and what it is."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{number}: {os.readlink(f'/proc/self/fd/{number}')}")
        except FileNotFoundError:  # that of the listing itself
            continue
    return found


async def until(holds: Callable[[], bool]) -> None:
    """Let everybody else go on until it does."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - what is waited for is the loop's own next turns; it has no event to tell of
            await asyncio.sleep(0)


@asynccontextmanager
async def serving(
    path: Path, talk: Callable[[StreamReader, StreamWriter], Awaitable[None]]
) -> AsyncIterator[str]:
    """Somebody who listens at a path, and is over when every connection is; each is closed when `talk` returns."""
    talks: set[asyncio.Task[None]] = set()

    async def one(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            await talk(reader, writer)
        finally:
            writer.transport.abort()

    def connected(reader: StreamReader, writer: StreamWriter) -> None:
        talks.add(asyncio.get_running_loop().create_task(one(reader, writer)))

    server = await asyncio.start_unix_server(connected, str(path))
    try:
        yield str(path)
    finally:
        server.close()
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
