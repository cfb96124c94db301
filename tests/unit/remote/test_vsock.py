"""A vsock listener is opened or refused, and a relay passes on bytes, ends and breaks, and keeps nothing of a connection that is over."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import pytest

from hookline.engine.engine import Engine
from hookline.errors import ConfigError
from hookline.remote import serve_engine, vsock
from hookline.remote.addresses import ANY_CID

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from hookline.remote.vsock import Ends

    Talk = Callable[[StreamReader, StreamWriter], Awaitable[None]]

LOCAL = 1
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
        # What is waited for is the loop's own next turns; it has no event to tell of.
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0)


@asynccontextmanager
async def serving(
    path: Path, talk: Callable[[StreamReader, StreamWriter], Awaitable[None]]
) -> AsyncIterator[str]:
    """Somebody who listens at a path, and is over when every connection is.

    Each is closed when `talk` returns.
    """
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


def played(
    tmp_path: Path, talk: Talk, play: Callable[[Path], Awaitable[None]], *, there: bool = True
) -> None:
    """A relay from `near` to `far`, where somebody talks.

    Nothing stays open and nothing goes on.
    """

    async def all_of_it() -> None:
        before = open_files()
        async with serving(tmp_path / "far", talk) as far:
            dial = partial(asyncio.open_unix_connection, far if there else f"{far}.nobody")
            async with vsock.relay(listening(tmp_path / "near"), dial), asyncio.timeout(PATIENCE):
                await play(tmp_path / "near")
        await until(lambda: open_files() <= before)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(all_of_it())


async def connected(path: Path) -> Ends:
    """A client."""
    return await asyncio.open_unix_connection(str(path))


async def echo(reader: StreamReader, writer: StreamWriter) -> None:
    """What comes goes back, up to the end."""
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
    writer.write_eof()
    await reader.read()


async def count(reader: StreamReader, writer: StreamWriter) -> None:
    """It says how much came, when all of it has."""
    writer.write(b"%d" % len(await reader.read()))
    await writer.drain()
    writer.write_eof()
    await asyncio.wait_for(writer.wait_closed(), PATIENCE)


def test_bytes_pass_both_ways(tmp_path: Path) -> None:
    """Of many connections at once, each its own."""

    async def one(path: Path, number: int) -> bytes:
        reader, writer = await connected(path)
        writer.write(b"%d;" % number * 1000)
        writer.write_eof()
        back = await reader.read()
        writer.close()
        return back

    async def play(path: Path) -> None:
        back = await asyncio.gather(*(one(path, number) for number in range(32)))
        assert back == [b"%d;" % number * 1000 for number in range(32)]

    played(tmp_path, echo, play)


@pytest.mark.parametrize("size", [0, 1, 5_000_000])
def test_an_end_is_passed_on_and_the_other_way_stays_open(size: int, tmp_path: Path) -> None:
    """The far side answers only when it knows that all has come."""

    async def play(path: Path) -> None:
        reader, writer = await connected(path)
        writer.write(b"x" * size)
        writer.write_eof()
        assert await reader.read() == b"%d" % size
        writer.close()

    played(tmp_path, count, play)


def test_a_break_at_one_end_is_one_at_the_other(tmp_path: Path) -> None:
    """The far side goes away in the midst of it: the client is told, and the relay keeps nothing."""

    async def break_off(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readexactly(1)
        writer.transport.abort()

    async def play(path: Path) -> None:
        reader, writer = await connected(path)
        writer.write(b"x" * 100)
        assert await reader.read() == b""
        writer.transport.abort()

    played(tmp_path, break_off, play)


def test_where_nobody_is_to_be_dialled_the_client_is_closed(tmp_path: Path) -> None:
    """At once."""

    async def play(path: Path) -> None:
        reader, writer = await connected(path)
        assert await reader.read() == b""
        writer.close()

    played(tmp_path, echo, play, there=False)


def test_connections_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One too many is closed at once, and there is room again when another one has ended."""
    monkeypatch.setattr(vsock, "_MOST", 1)

    async def play(path: Path) -> None:
        reader, writer = await connected(path)
        writer.write(b"x")
        assert await reader.readexactly(1) == b"x"
        second, further = await connected(path)
        assert await second.read() == b""
        further.close()
        writer.close()
        answer = b""
        while not answer:
            reader, writer = await connected(path)
            writer.write(b"y")
            with suppress(ConnectionError):
                answer = await reader.read(1)
            writer.close()

    played(tmp_path, echo, play)


def test_closing_ends_what_is_running(tmp_path: Path) -> None:
    """The client is told."""
    clients: list[Ends] = []

    async def play(path: Path) -> None:
        clients.append(await connected(path))
        clients[0][1].write(b"x")
        assert await clients[0][0].readexactly(1) == b"x"

    async def run() -> None:
        async with serving(tmp_path / "far", echo) as far:
            dial = partial(asyncio.open_unix_connection, far)
            async with vsock.relay(listening(tmp_path / "near"), dial):
                await play(tmp_path / "near")
            assert await clients[0][0].read() == b""
            clients[0][1].close()

    asyncio.run(run())


# -- vsock -----------------------------------------------------------------------------------------


def vsock_loopback() -> str:
    """Why no connection over vsock can be made on this machine; empty where one can."""
    if not hasattr(socket, "AF_VSOCK") or not os.path.exists("/dev/vsock"):
        return "this machine has no vsock"
    try:
        with (
            socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as server,
            socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as client,
        ):
            server.bind((ANY_CID, ANY_CID))
            server.listen(1)
            client.settimeout(0.5)
            client.connect((LOCAL, server.getsockname()[1]))
    except OSError as error:
        return f"a vsock connection to this machine itself does not succeed here: {error}"
    return ""


def test_a_relay_accepts_and_dials_vsock(tmp_path: Path) -> None:
    """Both legs."""
    if why := vsock_loopback():
        pytest.skip(why)

    async def run() -> None:
        async with serving(tmp_path / "far", echo) as far:
            accept = vsock.listen(ANY_CID, ANY_CID)
            port = accept.getsockname()[1]
            async with vsock.relay(accept, partial(asyncio.open_unix_connection, far)):
                reader, writer = await vsock.dial(LOCAL, port)
                writer.write(b"x")
                assert await reader.readexactly(1) == b"x"
                writer.close()

    asyncio.run(run())


def test_what_cannot_be_listened_on_is_said() -> None:
    """A CID that is not this machine's, or no vsock at all."""
    with pytest.raises(ConfigError, match="cannot listen on `vsock:77777:4088`"):
        vsock.listen(77777, 4088)


def test_grpc_is_not_asked_for_vsock(capfd: pytest.CaptureFixture[str]) -> None:
    """Its wheels refuse vsock on stderr, which reads as if the server did not listen."""
    try:
        vsock.listen(ANY_CID, ANY_CID).close()
    except ConfigError as error:
        pytest.skip(f"this machine cannot listen on vsock: {error}")

    serve_engine(Engine(), f"vsock:any:{ANY_CID}", token="t" * 20).close()

    assert "VSOCK" not in capfd.readouterr().err
