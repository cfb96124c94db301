"""Addresses of vsock are read, and a guest is dialled by the unix socket of its VMM."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from hookline.engine.engine import Engine
from hookline.errors import ConfigError
from hookline.remote import serve_engine, vsock
from tests.unit.remote.relaying import PATIENCE, serving

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from pathlib import Path


@pytest.mark.parametrize(
    ("address", "cid", "port"),
    [
        ("vsock:3:4088", 3, 4088),
        ("vsock:host:4088", 2, 4088),
        ("vsock:local:1", 1, 1),
        ("vsock:any:4088", vsock.ANY, 4088),
        ("vsock:4294967295:4294967295", vsock.ANY, vsock.ANY),
        ("vsock:0:0", 0, 0),
    ],
)
def test_an_address_is_a_machine_and_a_port(address: str, cid: int, port: int) -> None:
    """By number, or by a name where the number has one."""
    assert vsock.parse_vsock(address) == (cid, port)


@pytest.mark.parametrize(
    "address",
    [
        "vsock:3",
        "vsock:guest:1",
        "vsock:-1:1",
        "vsock:3:-1",
        "vsock:4294967296:1",
        "vsock:3:4294967296",
        "vsock:٣:1",
        "unix:/x",
        "vsock:3:1 ",
        "vsock:" + "9" * 5000 + ":1",
    ],
    ids=lambda address: address[:20],
)
def test_what_is_no_address_is_said(address: str) -> None:
    """With one that is."""
    with pytest.raises(ConfigError, match="is not a vsock address") as caught:
        vsock.parse_vsock(address)
    assert "vsock:host:4088" in caught.value.hint


def test_machines_are_judged_by_their_cid() -> None:
    """The port is anybody's choice."""
    judge = vsock.allow_cids({3, 4})

    assert [judge((cid, 99)) for cid in (2, 3, 4)] == [False, True, True]
    assert vsock.allow_cids({vsock.ANY})((77, 1))


def test_what_cannot_be_listened_on_is_said() -> None:
    """A CID that is not this machine's, or no vsock at all."""
    with pytest.raises(ConfigError, match="cannot listen on `vsock:77777:4088`"):
        vsock.listen(77777, 4088)


def test_a_kernel_without_a_transport_is_an_error() -> None:
    """There bind and listen succeed, and no connection could ever arrive."""
    with pytest.raises(ConfigError, match="`vsock:any:4088`: the kernel has no vsock transport"):
        vsock.listen(vsock.ANY, 4088, local_cid=lambda: vsock.ANY)


def test_grpc_is_not_asked_for_vsock(capfd: pytest.CaptureFixture[str]) -> None:
    """Its wheels refuse vsock on stderr, which reads as if the server did not listen."""
    try:
        vsock.listen(vsock.ANY, vsock.ANY).close()
    except ConfigError as error:
        pytest.skip(f"this machine cannot listen on vsock: {error}")

    serve_engine(Engine(), f"vsock:any:{vsock.ANY}", token="t" * 20).close()

    assert "VSOCK" not in capfd.readouterr().err


# -- a guest behind a unix socket --------------------------------------------------------------------------------------


def dialled(tmp_path: Path, answer: bytes) -> tuple[bytes, bytes]:
    """What a VMM was sent for port 52, and what came after its answer."""
    asked: list[bytes] = []

    async def vmm(reader: StreamReader, writer: StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.write(answer)
        await writer.drain()
        writer.write_eof()
        await reader.read()

    async def run() -> bytes:
        async with serving(tmp_path / "vmm", vmm) as path, asyncio.timeout(PATIENCE):
            reader, writer = await vsock.dial_guest(path, 52)()
            rest = await reader.read()
            writer.close()
            await writer.wait_closed()
            return rest

    rest = asyncio.run(run())
    return asked[0], rest


def test_a_guest_is_asked_for_by_its_port(tmp_path: Path) -> None:
    """What it sends at once is not lost."""
    assert dialled(tmp_path, b"OK 1073741824\nhello") == (b"CONNECT 52\n", b"hello")


@pytest.mark.parametrize(
    "answer",
    [b"", b"OK", b"NO 5\n", b"OK x\n", b"\n", b"x" * 200_000],
    ids=lambda answer: repr(answer[:8]),
)
def test_a_guest_that_does_not_listen_is_an_error_of_connecting(
    answer: bytes, tmp_path: Path
) -> None:
    """Whatever the VMM says instead of `OK`, or when it says nothing."""
    with pytest.raises(ConnectionRefusedError):
        dialled(tmp_path, answer)


def test_a_guest_dials_a_path_with_its_port() -> None:
    """Beside the socket of the VMM."""
    assert vsock.guest_path("/run/vm/v.sock", 4088) == "/run/vm/v.sock_4088"
