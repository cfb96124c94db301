"""A relay passes on bytes, ends and breaks, and keeps nothing of a connection that is over."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from typing import TYPE_CHECKING, Any

import pytest

from hookline.remote import vsock
from hookline.remote.relay import Relay
from tests.unit.remote.relaying import PATIENCE, listening, open_files, serving, until

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from hookline.remote.relay import Ends

    Talk = Callable[[StreamReader, StreamWriter], Awaitable[None]]


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


def played(
    tmp_path: Path, talk: Talk, play: Callable[[Relay, Path], Awaitable[None]], **options: Any
) -> list[str]:
    """A relay from `near` to `far`, where somebody talks; returns what it told. Nothing stays open and nothing goes on."""
    told: list[str] = []

    async def all_of_it() -> None:
        before = open_files()
        async with serving(tmp_path / "far", talk) as far:
            given = {"dial": vsock.dial_unix(far), "tell": told.append, **options}
            async with (
                Relay(listening(tmp_path / "near"), **given) as relay,
                asyncio.timeout(PATIENCE),
            ):
                await play(relay, tmp_path / "near")
            assert relay.relayed == 0
        await until(lambda: open_files() <= before)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(all_of_it())
    return told


async def connected(path: Path) -> Ends:
    """A client."""
    return await asyncio.open_unix_connection(str(path))


async def gone(relay: Relay) -> None:
    """When the relay has nothing more to do."""
    await until(lambda: not relay.relayed)


# -- what passes -------------------------------------------------------------------------------------------------------


def test_bytes_pass_both_ways(tmp_path: Path) -> None:
    """Of many connections at once, each its own."""

    async def one(path: Path, number: int) -> bytes:
        reader, writer = await connected(path)
        writer.write(b"%d;" % number * 1000)
        writer.write_eof()
        back = await reader.read()
        writer.close()
        return back

    async def play(relay: Relay, path: Path) -> None:
        back = await asyncio.gather(*(one(path, number) for number in range(32)))
        assert back == [b"%d;" % number * 1000 for number in range(32)]
        await gone(relay)

    assert played(tmp_path, echo, play) == []


@pytest.mark.parametrize("size", [0, 1, 5_000_000])
def test_an_end_is_passed_on_and_the_other_way_stays_open(size: int, tmp_path: Path) -> None:
    """The far side answers only when it knows that all has come."""

    async def play(relay: Relay, path: Path) -> None:
        reader, writer = await connected(path)
        writer.write(b"x" * size)
        writer.write_eof()
        assert await reader.read() == b"%d" % size
        writer.close()
        await gone(relay)

    assert played(tmp_path, count, play) == []


def test_who_does_not_read_is_not_written_to(tmp_path: Path) -> None:
    """The client is stopped after what the buffers on the way hold, and all of it arrives when somebody reads."""
    read, sent = asyncio.Event(), 0
    got: list[int] = []

    async def late(reader: StreamReader, _: StreamWriter) -> None:
        await read.wait()
        got.append(len(await reader.read()))

    async def play(_: Relay, path: Path) -> None:
        nonlocal sent
        loop, sock = asyncio.get_running_loop(), socket.socket(socket.AF_UNIX)
        sock.setblocking(False)
        await loop.sock_connect(sock, str(path))
        full = 0
        while full < 1000:  # turns of the loop in which nothing more was taken
            try:
                sent += sock.send(b"x" * 65536)
                full = 0
            except BlockingIOError:
                full += 1
            await asyncio.sleep(0)
        assert 65536 <= sent < 8 << 20
        read.set()
        sock.shutdown(socket.SHUT_WR)
        assert await loop.sock_recv(sock, 1) == b""
        sock.close()

    assert played(tmp_path, late, play) == []
    assert got == [sent]


async def flood(writer: StreamWriter) -> None:
    """Write until nobody takes it any more."""
    while True:
        writer.write(b"x" * 65536)
        await writer.drain()
        await asyncio.sleep(0)


# -- what breaks -------------------------------------------------------------------------------------------------------


def test_a_break_at_one_end_is_one_at_the_other(tmp_path: Path) -> None:
    """The far side goes away in the midst of it: the client is told, and the relay keeps nothing."""

    async def break_off(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readexactly(1)
        writer.transport.abort()

    async def play(relay: Relay, path: Path) -> None:
        reader, writer = await connected(path)
        writer.write(b"x" * 100)
        assert await reader.read() == b""
        with pytest.raises(ConnectionError):
            await flood(writer)
        writer.transport.abort()
        await gone(relay)

    assert played(tmp_path, break_off, play) == []


def test_a_client_that_resets_ends_both(tmp_path: Path) -> None:
    """Over TCP, where a peer can go without a word of good-bye."""
    ended: list[bool] = []

    async def until_the_end(reader: StreamReader, writer: StreamWriter) -> None:
        writer.write(b"there")
        try:
            await reader.read()
        finally:
            ended.append(True)

    async def run() -> None:
        before = open_files()
        accept = socket.create_server(("127.0.0.1", 0))
        port = accept.getsockname()[1]
        async with (
            serving(tmp_path / "far", until_the_end) as far,
            Relay(accept, vsock.dial_unix(far)) as relay,
            asyncio.timeout(PATIENCE),
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await reader.readexactly(5) == b"there"
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
            await gone(relay)
            await until(lambda: bool(ended))
        await until(lambda: open_files() <= before)

    asyncio.run(run())


def test_where_nobody_is_to_be_dialled_the_client_is_closed(tmp_path: Path) -> None:
    """And whoever runs the relay is told why."""

    async def play(relay: Relay, path: Path) -> None:
        reader, writer = await connected(path)
        assert await reader.read() == b""
        writer.close()
        await gone(relay)

    told = played(tmp_path, echo, play, dial=vsock.dial_unix(str(tmp_path / "nobody")))
    assert told == ["cannot reach the target: No such file or directory"]


def test_a_dial_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    """After `patience` seconds."""

    async def never() -> Ends:
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    async def play(_: Relay, path: Path) -> None:
        reader, writer = await connected(path)
        assert await reader.read() == b""
        writer.close()

    assert played(tmp_path, echo, play, dial=never, patience=0.01) == [
        "the target does not answer within 0.01 s"
    ]


# -- who may -----------------------------------------------------------------------------------------------------------


def test_who_is_not_allowed_is_closed_before_anything_is_dialled(tmp_path: Path) -> None:
    """The judge sees the address that the kernel tells."""
    asked: list[Any] = []

    async def never() -> Ends:
        raise AssertionError("dialled")

    async def play(_: Relay, path: Path) -> None:
        reader, writer = await connected(path)
        assert await reader.read() == b""
        writer.close()

    told = played(
        tmp_path, echo, play, dial=never, allow=lambda peer: asked.append(peer) is not None
    )
    assert (asked, told) == ([""], ["connection of '' refused: not allowed"])


def test_connections_are_bounded(tmp_path: Path) -> None:
    """One too many is closed at once, and there is room again when another one has ended."""

    async def play(relay: Relay, path: Path) -> None:
        first, second = await connected(path), await connected(path)
        for _, writer in (first, second):
            writer.write(b"x")
        assert [await reader.readexactly(1) for reader, _ in (first, second)] == [b"x", b"x"]
        reader, writer = await connected(path)
        assert await reader.read() == b""
        writer.close()
        first[1].close()
        await until(lambda: relay.relayed < 2)
        third = await connected(path)
        third[1].write(b"y")
        assert await third[0].readexactly(1) == b"y"
        for _, each in (second, third):
            each.close()
        await gone(relay)

    assert played(tmp_path, echo, play, most=2) == [
        "connection of '' refused: 2 connections at once are the most"
    ]


# -- its own end -------------------------------------------------------------------------------------------------------


def test_closing_ends_what_is_running(tmp_path: Path) -> None:
    """At both ends, also connections that are still being dialled, or were accepted a moment ago."""
    clients: list[StreamWriter] = []

    async def play(relay: Relay, path: Path) -> None:
        for _ in range(3):
            reader, writer = await connected(path)
            writer.write(b"x")
            assert await reader.readexactly(1) == b"x"
            clients.append(writer)
        assert relay.relayed == 3
        clients.extend([(await connected(path))[1] for _ in range(3)])
        await relay.close()
        for writer in clients:
            writer.transport.abort()

    played(tmp_path, echo, play)


def test_one_that_never_started_gives_its_socket_back(tmp_path: Path) -> None:
    """Closing is always allowed."""

    async def run() -> None:
        accept = listening(tmp_path / "near")
        await Relay(accept, vsock.dial_unix("nowhere")).close()
        assert accept.fileno() == -1

    asyncio.run(run())


# -- vsock -------------------------------------------------------------------------------------------------------------


def vsock_loopback() -> str:
    """Why no connection over vsock can be made on this machine; empty where one can."""
    if not hasattr(socket, "AF_VSOCK") or not os.path.exists("/dev/vsock"):
        return "this machine has no vsock"
    try:
        with (
            socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as server,
            socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as client,
        ):
            server.bind((vsock.ANY, vsock.ANY))
            server.listen(1)
            client.settimeout(0.5)
            client.connect((vsock.LOCAL, server.getsockname()[1]))
    except OSError as error:
        return f"a vsock connection to this machine itself does not succeed here: {error}"
    return ""


def test_a_relay_accepts_and_dials_vsock(tmp_path: Path) -> None:
    """Both legs, and the peer is known by its CID."""
    if why := vsock_loopback():
        pytest.skip(why)
    peers: list[tuple[int, int]] = []

    def allow(peer: tuple[int, int]) -> bool:
        peers.append(peer)
        return vsock.allow_cids({vsock.LOCAL})(peer)

    async def run() -> None:
        async with serving(tmp_path / "far", echo) as far:
            accept = vsock.listen(vsock.ANY, vsock.ANY)
            port = accept.getsockname()[1]
            async with Relay(accept, vsock.dial_unix(far), allow):
                reader, writer = await vsock.dial(vsock.LOCAL, port)()
                writer.write(b"x")
                assert await reader.readexactly(1) == b"x"
                writer.close()

    asyncio.run(run())
    assert [cid for cid, _ in peers] == [vsock.LOCAL]
