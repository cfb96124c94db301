"""One stream of the engine's: who it is with, and what is not understood."""

from __future__ import annotations

from hookline import Engine
from hookline.remote.bridge import Bridge
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import End, attached, on_loop, settled


@on_loop
async def test_a_ping_is_answered() -> None:
    """With its own number."""
    end, _ = await attached(Bridge(Engine()))
    end.send(ping=pb.Ping(n=7))

    assert (await end.next("pong")).n == 7


@on_loop
async def test_whoever_says_no_hello_is_not_waited_for() -> None:
    """A stream costs something."""
    end = End(Bridge(Engine(), bounds=Bounds(hello=0.05)))

    assert (await end.rest())[0].goaway.why.startswith("HKL5104")


@on_loop
async def test_a_frame_of_a_newer_protocol_is_passed_over() -> None:
    """The link stays."""
    bridge = Bridge(Engine())
    end, _ = await attached(bridge)
    end._incoming.put_nowait(pb.HandlerFrame.FromString(b"\xaa\x06\x00"))
    await settled()

    assert bridge.attached == ("policy",)
