"""Who may attach, whose hooks count, and what a peer that means no good can do about it."""

from __future__ import annotations

import asyncio

import pytest

from hookline import Engine
from hookline.remote.bridge import Bridge
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import (
    CALL,
    SELF,
    STRANGER,
    TOKEN,
    End,
    attached,
    goaway,
    hook,
    on_loop,
    settled,
)

# -- who is let in ---------------------------------------------------------------------------------


@on_loop
async def test_whoever_says_hello_is_welcome() -> None:
    """The Welcome says what there is room for, and gives a key by which the place is taken again."""
    bounds = Bounds(in_flight=3, payload=1000)
    end = End(Bridge(Engine(), bounds=bounds))
    welcome = await end.hello()

    assert (welcome.protocol, welcome.max_in_flight, welcome.max_payload_bytes) == (1, 3, 1000)
    assert len(welcome.event_types) == 28
    assert len(welcome.session_key) >= 24
    assert not welcome.resumed


REFUSED = [
    ("a stranger without a token", STRANGER, {"token": b""}, "HKL5103"),
    ("a stranger with another token", STRANGER, {"token": b"wrong"}, "HKL5103"),
    ("a token that is no text", STRANGER, {"token": b"\xff\xfe"}, "HKL5103"),
    ("another protocol", SELF, {"protocol": 2}, "HKL5104"),
    ("no protocol", SELF, {"protocol": 0}, "HKL5104"),
    ("a name that is none", SELF, {"instance_id": ""}, "HKL5104"),
    ("a name that would be seen as something else", SELF, {"instance_id": "a\nb"}, "HKL5104"),
    ("a name without an end", SELF, {"instance_id": "x" * 200}, "HKL5104"),
]


@pytest.mark.parametrize(
    ("caller", "fields", "code"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
@on_loop
async def test_somebody_is_not_let_in(caller, fields, code) -> None:
    """The refusal begins with its code, and the stream ends."""
    bridge = Bridge(Engine(), token=TOKEN)
    end = End(bridge, caller)
    end.send(hello=pb.Hello(**{"protocol": 1, "instance_id": "policy", **fields}))
    frames = await end.rest()

    assert goaway(frames).startswith(f"{code}: ")
    assert bridge.peers == {}
    assert bridge.counts["refused"] == 1
    await end.talk


@on_loop
async def test_a_stranger_with_the_token_is_let_in() -> None:
    """A token is what a stranger has to show."""
    end = End(Bridge(Engine(), token=TOKEN), STRANGER)

    assert (await end.hello(token=TOKEN.encode())).protocol == 1


@on_loop
async def test_nobody_is_let_in_by_a_token_that_nobody_has() -> None:
    """Without a token to compare with there is none that is right."""
    end = End(Bridge(Engine()), STRANGER)
    end.send(hello=pb.Hello(protocol=1, instance_id="policy"))

    assert goaway(await end.rest()).startswith("HKL5103")


@on_loop
async def test_the_first_frame_must_be_a_hello() -> None:
    """Nothing is registered by somebody whom nobody knows."""
    end = End(Bridge(engine := Engine()))
    end.send(registry=pb.Registry(generation=1, hooks=[hook()]))

    assert goaway(await end.rest()).startswith("HKL5104")
    assert engine.hooks == ()


@on_loop
async def test_a_second_hello_ends_the_stream() -> None:
    """Nobody becomes somebody else."""
    end, _ = await attached(Bridge(Engine()))
    end.send(hello=pb.Hello(protocol=1, instance_id="other"))

    assert goaway(await end.rest()).startswith("HKL5104")


@on_loop
async def test_a_closed_bridge_lets_nobody_in() -> None:
    """It says so."""
    bridge = Bridge(Engine())
    await bridge.close_async(0)
    end = End(bridge)

    assert goaway(await end.rest()) == "the bridge is closed"


# -- whose place it is -----------------------------------------------------------------------------


@on_loop
async def test_an_attached_instance_is_taken_over_with_its_key_only() -> None:
    """Whoever does not know the key changes nothing."""
    bridge = Bridge(engine := Engine())
    end, welcome = await attached(bridge)
    thief = End(bridge)
    thief.send(hello=pb.Hello(protocol=1, instance_id="policy", resume_id="guessed"))
    assert goaway(await thief.rest()).startswith("HKL5105")
    assert [spec.id for spec in engine.hooks] == ["guard"]

    owner = End(bridge)
    again = await owner.hello(resume=welcome.session_key)

    assert again.resumed
    assert again.session_key == welcome.session_key
    assert goaway(await end.rest()) == "another process with its key took its place"
    assert bridge.counts["resumed"] == 1


@on_loop
async def test_a_place_is_kept_for_its_owner_for_a_while() -> None:
    """After its memory anybody who is let in may have it.

    Until its hooks are replaced they stay, and fail.
    """
    bridge = Bridge(engine := Engine(), bounds=Bounds(memory=0.5))
    end, _ = await attached(bridge)
    end.hang_up()
    await end.talk
    early = End(bridge)
    early.send(hello=pb.Hello(protocol=1, instance_id="policy"))
    assert goaway(await early.rest()).startswith("HKL5105")

    await asyncio.sleep(0.6)
    late = End(bridge)
    welcome = await late.hello()

    assert not welcome.resumed
    assert [spec.id for spec in engine.hooks] == ["guard"]


@on_loop
async def test_an_instances_own_token_proves_which_one_it_is() -> None:
    """Also by a unix socket, and without the key; the common token does not."""
    bridge = Bridge(Engine(), token=TOKEN, tokens={"policy": "its own"})
    wrong = End(bridge)
    wrong.send(hello=pb.Hello(protocol=1, instance_id="policy", token=TOKEN.encode()))
    assert goaway(await wrong.rest()).startswith("HKL5103")
    first = End(bridge)
    await first.hello(token=b"its own")

    second = End(bridge)

    assert not (await second.hello(token=b"its own")).resumed


@on_loop
async def test_there_is_room_for_so_many_instances() -> None:
    """Those that left nothing behind make room; those whose guards are missed do not."""
    bridge = Bridge(Engine(), bounds=Bounds(peers=2))
    guard, _ = await attached(bridge)
    guard.hang_up()
    idle = End(bridge)
    await idle.hello("idle")
    idle.hang_up()
    await asyncio.gather(guard.talk, idle.talk)
    third, fourth = End(bridge), End(bridge)

    await third.hello("third")
    fourth.send(hello=pb.Hello(protocol=1, instance_id="fourth"))

    assert goaway(await fourth.rest()).startswith("HKL5107")
    assert sorted(bridge.peers) == ["policy", "third"]


# -- the end ---------------------------------------------------------------------------------------


@on_loop
async def test_the_end_waits_for_what_is_under_way() -> None:
    """Whoever answers in time is heard; then everybody is gone, and the gates are closed."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge)
    firing = asyncio.get_running_loop().create_task(
        engine.fire_async("pre_tool_use", CALL, dialect="a3s")
    )
    invoke = await end.next("invoke")
    closing = asyncio.get_running_loop().create_task(bridge.close_async(10))
    assert (await end.next("goaway")).drain_ms == 10_000
    end.answer(invoke, pb.BLOCK, reason="in time")
    await closing

    assert (await firing).reason == "in time"
    await end.talk
    assert (
        "the bridge is closed"
        in (await engine.fire_async("pre_tool_use", CALL, dialect="a3s")).reason
    )


@on_loop
async def test_the_end_does_not_wait_for_ever() -> None:
    """What is not answered by then fails, and is cancelled."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge)
    firing = asyncio.get_running_loop().create_task(
        engine.fire_async("pre_tool_use", CALL, dialect="a3s")
    )
    await end.next("invoke")
    await bridge.close_async(0)

    assert "the engine ends" in (await firing).reason
    assert [frame.WhichOneof("kind") for frame in await end.rest()] == ["goaway", "cancel"]


@on_loop
async def test_a_forgotten_instance_takes_its_hooks_along() -> None:
    """That is the one way to disarm a guard without its owner."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge)

    assert await bridge._forget("policy")
    assert not await bridge._forget("policy")
    assert engine.hooks == ()
    await end.talk
    assert bridge.peers == {}


@on_loop
async def test_a_session_that_ends_takes_its_invocations_along() -> None:
    """Those of other sessions go on."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge)
    ended = asyncio.get_running_loop().create_task(
        engine.fire_async("pre_tool_use", CALL, dialect="a3s")
    )
    going = asyncio.get_running_loop().create_task(
        engine.fire_async("pre_tool_use", {**CALL, "session_id": "t"}, dialect="a3s")
    )
    first, second = await end.next("invoke"), await end.next("invoke")
    bridge.end_session("s")
    cancel = await end.next("cancel")

    assert (cancel.invocation_id, cancel.why) == (first.invocation_id, "its session has ended")
    assert "cancelled: its session has ended" in (await ended).reason
    end.answer(second, pb.BLOCK, reason="heard")
    assert (await going).reason == "heard"
    await settled()
