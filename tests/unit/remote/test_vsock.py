"""A vsock listener is opened or refused, and a relay passes on bytes, ends and breaks."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hookline.engine.engine import Engine
from hookline.errors import ConfigError
from hookline.remote import serve_engine, vsock
from hookline.remote.addresses import ANY_CID

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator, Awaitable, Callable

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
    """Let other tasks run until `holds` returns true."""
    async with asyncio.timeout(PATIENCE):
        # What is waited for is the loop's own next turns; it has no event to tell of.
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0)


@asynccontextmanager
async def serving(
    path: Path, talk: Callable[[StreamReader, StreamWriter], Awaitable[None]]
) -> AsyncIterator[str]:
    """A server that listens at a path, and ends when every connection has ended.

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
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    talk: Talk,
    play: Callable[[Path], Awaitable[None]],
    *,
    there: bool = True,
) -> None:
    """A relay from `near` to a server that talks.

    Nothing stays open and nothing goes on. A unix socket stands for that of vsock.
    """
    monkeypatch.setattr(vsock, "listen", lambda *_: listening(tmp_path / "near"))

    async def all_of_it() -> None:
        before = open_files()
        async with vsock.relay(LOCAL, 4088, inward=True) as address, asyncio.timeout(PATIENCE):
            far = Path(address.removeprefix("unix:"))
            async with serving(far if there else tmp_path / "missing", talk):
                await play(tmp_path / "near")
        await until(lambda: open_files() <= before)
        await until(lambda: len(asyncio.all_tasks()) == 1)

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


def test_bytes_pass_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many connections at once, each with its own bytes."""

    async def one(path: Path, number: int) -> bytes:
        reader, writer = await connected(path)
        writer.write(b"%d;" % number * 1000)
        back = await reader.readexactly(len(b"%d;" % number * 1000))
        writer.close()
        return back

    async def play(path: Path) -> None:
        back = await asyncio.gather(*(one(path, number) for number in range(32)))
        assert back == [b"%d;" % number * 1000 for number in range(32)]

    played(tmp_path, monkeypatch, echo, play)


async def flood(_: StreamReader, writer: StreamWriter) -> None:
    """It sends much, and hangs up."""
    writer.write(b"x" * 5_000_000)
    await writer.drain()
    writer.close()
    await writer.wait_closed()


def test_what_was_sent_before_the_end_arrives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However slowly it is read."""

    async def play(path: Path) -> None:
        reader, writer = await connected(path)
        assert len(await reader.read()) == 5_000_000
        writer.close()

    played(tmp_path, monkeypatch, flood, play)


def test_a_break_at_one_end_is_one_at_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The far side goes away: the client is told, and the relay keeps nothing."""

    async def break_off(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readexactly(1)
        writer.transport.abort()

    async def play(path: Path) -> None:
        reader, writer = await connected(path)
        writer.write(b"x" * 100)
        assert await reader.read() == b""
        writer.transport.abort()

    played(tmp_path, monkeypatch, break_off, play)


def test_without_a_server_to_dial_the_client_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The relay closes it at once."""

    async def play(path: Path) -> None:
        reader, writer = await connected(path)
        assert await reader.read() == b""
        writer.close()

    played(tmp_path, monkeypatch, echo, play, there=False)


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

    played(tmp_path, monkeypatch, echo, play)


def test_closing_ends_what_is_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client is told."""
    clients: list[Ends] = []

    async def play(path: Path) -> None:
        clients.append(await connected(path))
        clients[0][1].write(b"x")
        assert await clients[0][0].readexactly(1) == b"x"

    async def run() -> None:
        monkeypatch.setattr(vsock, "listen", lambda *_: listening(tmp_path / "near"))
        async with AsyncExitStack() as stack:
            async with vsock.relay(LOCAL, 4088, inward=True) as address:
                far = Path(address.removeprefix("unix:"))
                await stack.enter_async_context(serving(far, echo))
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


def test_a_relay_accepts_and_dials_vsock() -> None:
    """Both directions of the relay."""
    if why := vsock_loopback():
        pytest.skip(why)

    async def run() -> None:
        with vsock.listen(ANY_CID, ANY_CID) as free:
            port = free.getsockname()[1]
        async with (
            vsock.relay(ANY_CID, port, inward=True) as inside,
            serving(Path(inside.removeprefix("unix:")), echo),
            vsock.relay(LOCAL, port, inward=False) as outside,
        ):
            reader, writer = await connected(Path(outside.removeprefix("unix:")))
            writer.write(b"x")
            assert await reader.readexactly(1) == b"x"
            writer.close()

    asyncio.run(run())


def test_what_cannot_be_listened_on_is_said() -> None:
    """A CID that is not this machine's, or no vsock at all."""
    with pytest.raises(ConfigError, match="cannot listen on `vsock:77777:4088`"):
        vsock.listen(77777, 4088)


def test_grpc_is_not_asked_for_vsock(capfd: pytest.CaptureFixture[str]) -> None:
    """With a vsock address gRPC prints a misleading error on stderr."""
    try:
        vsock.listen(ANY_CID, ANY_CID).close()
    except ConfigError as error:
        pytest.skip(f"this machine cannot listen on vsock: {error}")

    serve_engine(Engine(), f"vsock:any:{ANY_CID}", token="t" * 20).close()

    assert "VSOCK" not in capfd.readouterr().err
