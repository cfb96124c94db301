"""One stream of the engine's: signs of life, and what is not understood."""

from __future__ import annotations

from hookline import Engine, Stance
from hookline.remote.bridge import Bridge
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import CALL, End, Time, attached, on_loop, settled


@on_loop
async def test_a_ping_is_answered() -> None:
    """With its own number."""
    end, _ = await attached(Bridge(Engine()))
    end.send(ping=pb.Ping(n=7))

    assert (await end.next("pong")).n == 7


@on_loop
async def test_whoever_gives_signs_of_life_stays() -> None:
    """Any frame is one."""
    time = Time()
    bridge = Bridge(Engine(), bounds=Bounds(ping=10), clock=time.clock, sleep=time.sleep)
    end, _ = await attached(bridge)
    for _ in range(10):
        await time.passes(10)
        end.send(pong=pb.Pong(n=(await end.next("ping")).n))
        await settled()

    assert bridge.attached == ("policy",)


@on_loop
async def test_whoever_gives_none_is_gone() -> None:
    """A link that is open and dead disarms nobody: its gates are closed."""
    time = Time()
    bridge = Bridge(engine := Engine(), bounds=Bounds(ping=10), clock=time.clock, sleep=time.sleep)
    end, _ = await attached(bridge)
    for _ in range(4):
        await time.passes(10)
    await end.talk

    assert bridge.attached == ()
    decision = await engine.fire_async("pre_tool_use", CALL, dialect="a3s")
    assert decision.stance is Stance.DENY


@on_loop
async def test_whoever_says_no_hello_is_not_waited_for() -> None:
    """A stream costs something."""
    time = Time()
    end = End(Bridge(Engine(), bounds=Bounds(hello=3), clock=time.clock, sleep=time.sleep))
    assert await time.slept() == 3
    await time.passes(3)

    assert (await end.rest())[0].goaway.why.startswith("HKL5104")


@on_loop
async def test_a_frame_of_a_newer_protocol_is_passed_over() -> None:
    """It is counted, and the link stays."""
    bridge = Bridge(Engine())
    end, _ = await attached(bridge)
    end._incoming.put_nowait(pb.HandlerFrame.FromString(b"\xaa\x06\x00"))
    await settled()

    assert bridge.counts == {"unknown": 1}
    assert bridge.attached == ("policy",)
