"""Frames on a unix socket: who may connect, and what becomes of those that send something else."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import struct

import pytest

from hookline import Engine, Stance
from hookline.remote import Bounds, serve_engine
from hookline.remote.framed import FramedServer
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import CALL, PATIENCE, hook, on_loop

HELLO = pb.HandlerFrame(hello=pb.Hello(protocol=1, instance_id="policy")).SerializeToString()
REGISTRY = pb.HandlerFrame(registry=pb.Registry(generation=1, hooks=[hook()])).SerializeToString()


def framed(*messages: bytes) -> bytes:
    return b"HKL1\x01" + b"".join(struct.pack(">I", len(message)) + message for message in messages)


def dialled(path: str, sent: bytes) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(PATIENCE)
    sock.connect(path)
    sock.sendall(sent)
    return sock


def read(sock: socket.socket, kind: str) -> pb.EngineFrame:
    while True:
        (size,) = struct.unpack(">I", sock.recv(4, socket.MSG_WAITALL))
        frame = pb.EngineFrame.FromString(sock.recv(size, socket.MSG_WAITALL))
        if frame.WhichOneof("kind") == kind:
            return frame


def until_the_end(sock: socket.socket) -> None:
    """The other side hangs up; what it said before is of no interest."""
    try:
        while sock.recv(1 << 16):
            pass
    except ConnectionResetError:
        return


OPENINGS = [
    ("nothing", b""),
    ("another protocol", b"GET / HTTP/1.1\r\n\r\n"),
    ("an unknown kind", b"HKL1\x09"),
    ("the kind of the other role", b"HKL1\x02"),
    ("garbage for a frame", framed(b"\xff\xff\xff\xff")),
    ("a frame that breaks off", framed(HELLO)[:-3]),
    ("a length that breaks off", b"HKL1\x01\x00\x00"),
    ("a frame without an end", b"HKL1\x01\xff\xff\xff\xff" + b"x" * 1000),
    ("a huge message", b"HKL1\x01" + struct.pack(">I", 1 << 20)),
]


@pytest.mark.parametrize("sent", [row[1] for row in OPENINGS], ids=[row[0] for row in OPENINGS])
def test_what_is_no_frame_ends_the_connection(sent: bytes, tmp_path) -> None:
    """And nothing else: the next one is heard."""
    path = f"{tmp_path}/s"
    with serve_engine(Engine(), f"framed+unix:{path}", bounds=Bounds(payload=1000)):
        with dialled(path, sent) as sock:
            sock.shutdown(socket.SHUT_WR)
            until_the_end(sock)
        with dialled(path, framed(HELLO)) as sock:
            assert read(sock, "welcome").welcome.protocol == 1


def test_a_guard_that_goes_mad_stays_a_closed_gate(tmp_path) -> None:
    """Garbage after its Registry costs it the link, and nobody the guard."""
    path = f"{tmp_path}/s"
    engine = Engine()
    with serve_engine(engine, f"framed+unix:{path}") as opened:
        with dialled(path, framed(HELLO, REGISTRY)) as sock:
            assert not read(sock, "registry_ack").registry_ack.rejected
            sock.sendall(struct.pack(">I", 4) + b"\xff\xff\xff\xff")
            until_the_end(sock)
        decision = engine.fire("pre_tool_use", CALL, dialect="a3s")

        assert decision.stance is Stance.DENY
        assert opened.bridge.attached == ()


def test_the_socket_is_its_users_only(tmp_path) -> None:
    """By its mode; it is gone when nobody listens any more."""
    path = f"{tmp_path}/s"
    with serve_engine(Engine(), f"framed+unix:{path}"):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert not os.path.exists(path)


@on_loop
async def test_another_users_process_is_refused(tmp_path) -> None:
    """The kernel says whose it is; the superuser's may do everything anyway, and is let in."""
    server = FramedServer(f"{tmp_path}/s", {}, uid=os.geteuid() + 1)
    await server.start()
    with dialled(f"{tmp_path}/s", b"HKL1\x01") as sock:
        sock.setblocking(False)
        try:
            ended = await asyncio.get_running_loop().sock_recv(sock, 1)
        except ConnectionResetError:
            ended = b""
    await server.close()

    assert ended == b""
    assert server.refused == 1  # as superuser it is refused for its kind, which nobody serves
