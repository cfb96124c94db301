"""Who may attach, whose hooks count, and what a peer that means no good can do about it."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from hookline import ConfigError, Engine, Stance
from hookline.a3s import HookMatcher
from hookline.dialects.a3s.table import TABLE
from hookline.remote.bridge import Bridge
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import (
    CALL,
    PATIENCE,
    SELF,
    STRANGER,
    TOKEN,
    End,
    Time,
    attached,
    hook,
    on_loop,
    settled,
    until,
)


def goaway(frames: list[pb.EngineFrame]) -> str:
    """Why the stream was ended."""
    return next(frame.goaway.why for frame in frames if frame.WhichOneof("kind") == "goaway")


# -- who is let in -----------------------------------------------------------------------------------------------------


@on_loop
async def test_whoever_says_hello_is_welcome() -> None:
    """The Welcome says what there is room for, and gives a key by which the place is taken again."""
    bounds = Bounds(in_flight=3, payload=1000, ping=2.0)
    end = End(Bridge(Engine(), bounds=bounds))
    welcome = await end.hello()

    assert (
        welcome.protocol,
        welcome.max_in_flight,
        welcome.max_payload_bytes,
        welcome.ping_ms,
    ) == (1, 3, 1000, 2000)
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


# -- whose place it is -------------------------------------------------------------------------------------------------


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
    """After its memory anybody who is let in may have it; until its hooks are replaced they stay, and fail."""
    time = Time()
    bridge = Bridge(
        engine := Engine(), bounds=Bounds(memory=60), clock=time.clock, sleep=time.sleep
    )
    end, _ = await attached(bridge)
    end.hang_up()
    await end.talk
    early = End(bridge)
    early.send(hello=pb.Hello(protocol=1, instance_id="policy"))
    assert goaway(await early.rest()).startswith("HKL5105")

    await time.passes(61)
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


# -- hooks -------------------------------------------------------------------------------------------------------------


@on_loop
async def test_a_registry_replaces_the_whole_set() -> None:
    """What is not in it is gone."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge, hook("a"), hook("b"))
    await end.register(hook("b"), hook("c"), generation=2)

    assert sorted(spec.id for spec in engine.hooks) == ["b", "c"]


@on_loop
async def test_two_peers_do_not_share_ids() -> None:
    """A guest that registers a hook of the policy's name puts nothing in its place."""
    bridge = Bridge(engine := Engine())
    await attached(bridge, hook("guard", priority=1))
    await attached(bridge, hook("guard", priority=2), instance="guest")

    assert [spec.id for spec in engine.hooks] == ["guard", "guard~2"]


@on_loop
async def test_hooks_are_those_of_every_engine() -> None:
    """Hosts that have an engine of their own are guarded too."""
    engines = [Engine(), Engine()]
    await attached(Bridge(engines[0], others=lambda: engines[1:]))

    assert [[spec.id for spec in engine.hooks] for engine in engines] == [["guard"], ["guard"]]


@on_loop
async def test_hooks_are_those_of_engines_that_come_later() -> None:
    """As a server has them after a reload; and of those that have gone they are no more."""
    first, second, others = Engine(), Engine(), [Engine()]
    bridge = Bridge(Engine(), others=lambda: others)
    await attached(bridge, hook("guard"))
    others[:] = [first, second]
    await attached(bridge, hook("other"), instance="guest")

    assert [spec.id for engine in others for spec in engine.hooks] == ["other", "other"]


REJECTED = [
    ("an unknown event", {"event_type": "pre_tool_uze"}, "did you mean `pre_tool_use`?"),
    (
        "an expression that RE2 refuses",
        {"event_type": "pre_tool_use", "matcher": pb.Matcher(command_pattern="(")},
        "`(`",
    ),
    (
        "a look-around",
        {"event_type": "pre_tool_use", "matcher": pb.Matcher(command_pattern="(?=x)")},
        "(?=x)",
    ),
    ("an unknown fail mode", {"event_type": "pre_tool_use", "fail_mode": 7}, "fail_mode"),
    ("a limit that is none", {"event_type": "pre_tool_use", "timeout_ms": 2**32 - 1}, "timeout_ms"),
]


@pytest.mark.parametrize(
    ("fields", "said"), [row[1:] for row in REJECTED], ids=[row[0] for row in REJECTED]
)
@on_loop
async def test_a_hook_is_rejected_in_the_loaders_words(fields, said) -> None:
    """The others count; and where its event is known, the one that cannot be read takes part as a failure."""
    bridge = Bridge(engine := Engine())
    end = End(bridge)
    await end.hello()
    ack = await end.register(
        hook("good", priority=200), pb.HookSpec(id="bad", priority=100, **fields)
    )

    assert [rejected.hook_id for rejected in ack.rejected] == ["bad"]
    assert said in ack.rejected[0].problem
    assert "good" in [spec.id for spec in engine.hooks]
    if fields["event_type"] == "pre_tool_use":
        decision = await engine.fire_async("pre_tool_use", CALL, dialect="a3s")
        assert decision.stance is Stance.DENY
        assert decision.reason.startswith("Required hook 'bad' failed: could not be loaded")


WHOLE = [
    ("too many", [hook(f"h{at}") for at in range(6)], "5 are the most"),
    (
        "patterns without an end",
        [hook(f"h{at}", matcher=HookMatcher(path_pattern="*" * 30)) for at in range(4)],
        "100 are the most",
    ),
]


@pytest.mark.parametrize(
    ("hooks", "said"), [row[1:] for row in WHOLE], ids=[row[0] for row in WHOLE]
)
@on_loop
async def test_a_registry_is_rejected_as_a_whole(hooks, said) -> None:
    """The set before it stays, and the generation too."""
    bridge = Bridge(engine := Engine(), bounds=Bounds(hooks=5, patterns=100))
    end, _ = await attached(bridge, hook("former"))
    ack = await end.register(*hooks, generation=2)

    assert [(rejected.hook_id, said in rejected.problem) for rejected in ack.rejected] == [
        ("", True)
    ]
    assert [spec.id for spec in engine.hooks] == ["former"]
    assert not (await end.register(hook("later"), generation=2)).rejected


ODD = [
    ("an id twice", "guard", "stands twice", "hook 2 of 2"),
    ("an id that would write to a terminal", "a\x1b[2J", "not printable", "hook 2 of 2"),
    ("an id of two lines", "a\nb", "not printable", "hook 2 of 2"),
    ("an id without an end", "a" * 201, "longer than 200", "hook 2 of 2"),
]


@pytest.mark.parametrize(
    ("wanted", "said", "given"), [row[1:] for row in ODD], ids=[row[0] for row in ODD]
)
@on_loop
async def test_an_id_that_none_can_have_disarms_nobody(wanted, said, given) -> None:
    """The other hooks are in place, and its own guard is a broken one under another name."""
    end = End(Bridge(engine := Engine()))
    await end.hello()
    ack = await end.register(
        hook("guard", "pre_prompt"), pb.HookSpec(id=wanted, event_type="pre_tool_use", priority=100)
    )

    assert [(rejected.hook_id, said in rejected.problem) for rejected in ack.rejected] == [
        (wanted, True)
    ]
    assert {spec.id for spec in engine.hooks} == {"guard", given}
    decision = await engine.fire_async("pre_tool_use", CALL, dialect="a3s")
    assert decision.stance is Stance.DENY
    assert said in decision.reason


@pytest.mark.parametrize("generation", [0, 1, 4, 5])
@on_loop
async def test_an_older_generation_is_refused(generation: int) -> None:
    """A frame that was overtaken does not bring back what was withdrawn."""
    bridge = Bridge(engine := Engine())
    end = End(bridge)
    await end.hello()
    await end.register(hook("new"), generation=5)
    ack = await end.register(generation=generation)

    assert "is not newer than 5" in ack.rejected[0].problem
    assert [spec.id for spec in engine.hooks] == ["new"]
    assert bridge.counts["stale"] == 1


@on_loop
async def test_a_flood_of_registries_ends_the_stream() -> None:
    """Each of them costs the engine work; the guards of whoever floods stay, and fail closed."""
    time = Time()
    bridge = Bridge(
        engine := Engine(),
        bounds=Bounds(registries=3, ping=1000),
        clock=time.clock,
        sleep=time.sleep,
    )
    end = End(bridge)
    await end.hello()
    for generation in (1, 2, 3):
        await end.register(hook(), generation=generation)
    await time.passes(61)
    for generation in (4, 5, 6):
        await end.register(hook(), generation=generation)
    end.send(registry=pb.Registry(generation=7))

    assert goaway(await end.rest()).startswith("HKL5107")
    await end.talk
    assert (await engine.fire_async("pre_tool_use", CALL, dialect="a3s")).stance is Stance.DENY


@on_loop
async def test_a_flood_that_hangs_up_in_between_is_a_flood() -> None:
    """What is counted is what an instance tells, by whichever link."""
    bridge = Bridge(Engine(), bounds=Bounds(registries=3))
    end, welcome = await attached(bridge)
    for _ in range(2):
        end.hang_up()
        await end.talk
        end = End(bridge)
        welcome = await end.hello(resume=welcome.session_key)
        await end.register(hook())
    end.send(registry=pb.Registry(generation=9))

    assert goaway(await end.rest()).startswith("HKL5107: more than 3")


@on_loop
async def test_who_reads_a_heavy_set_holds_up_nobody_else() -> None:
    """While one guest's patterns are compiled, other guests' answers are heard; its own frames wait."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge)
    heavy, _ = await attached(bridge, hook("watch", "session_start"), instance="heavy")
    reading, go = threading.Event(), threading.Event()
    enrolled = bridge.read_hooks

    def slowly(registry: pb.Registry) -> Any:
        reading.set()
        assert go.wait(PATIENCE)
        return enrolled(registry)

    bridge.read_hooks = slowly  # type: ignore[method-assign]  # the moment
    heavy.send(
        registry=pb.Registry(
            generation=2,
            hooks=[hook("new", "session_start", matcher=HookMatcher(path_pattern="*.x"))],
        )
    )
    heavy.send(ping=pb.Ping(n=1))
    await until(reading.is_set)
    asked = asyncio.get_running_loop().create_task(
        engine.fire_async("pre_tool_use", CALL, dialect="a3s")
    )
    end.answer(await end.next("invoke"), pb.BLOCK, reason="heard")

    assert (await asked).reason == "heard"
    assert "watch" in [spec.id for spec in engine.hooks]
    go.set()
    assert (await heavy.next("registry_ack")).generation == 2
    assert (await heavy.next("pong")).n == 1
    assert "new" in [spec.id for spec in engine.hooks]


@on_loop
async def test_a_set_that_is_read_too_late_is_dropped() -> None:
    """Somebody with the key took its place meanwhile, and told its own."""
    bridge = Bridge(engine := Engine())
    end, welcome = await attached(bridge)
    reading, go = threading.Event(), threading.Event()
    enrolled = bridge.read_hooks
    bridge.read_hooks = lambda registry: (reading.set(), go.wait(PATIENCE), enrolled(registry))[2]  # type: ignore[method-assign]  # the moment
    end.send(
        registry=pb.Registry(
            generation=2, hooks=[hook("late", matcher=HookMatcher(path_pattern="*.x"))]
        )
    )
    await until(reading.is_set)
    other = End(bridge)
    await other.hello(resume=welcome.session_key)
    go.set()
    await other.register(hook("mine"))
    await end.talk

    assert [spec.id for spec in engine.hooks] == ["mine"]


# -- who is expected ---------------------------------------------------------------------------------------------------

GATES = (
    "pre_tool_use",
    "permission_request",
    "pre_compact",
    "pre_prompt",
    "pre_planning",
    "pre_run_control",
)


@pytest.mark.parametrize("event", TABLE.rows)
@on_loop
async def test_the_gates_of_whoever_is_expected_are_closed(event: str) -> None:
    """In every engine, from the beginning; what is no gate goes on, as it does where a guest is away."""
    engines = [Engine(), Engine()]
    bridge = Bridge(engines[0], others=lambda: engines[1:], expected=["policy"])
    decisions = [await engine.fire_async(event, CALL, dialect="a3s") for engine in engines]

    assert [decision.stance for decision in decisions] == [
        Stance.DENY if event in GATES else Stance.SILENT
    ] * 2
    assert all(
        "the handlers `policy` are expected" in decision.reason for decision in decisions
    ) == (event in GATES)
    assert bridge.attached == ()


@on_loop
async def test_whoever_is_expected_and_comes_is_asked() -> None:
    """The gates are closed until its hooks are known, and then they are its own; whoever else comes opens none."""
    bridge = Bridge(engine := Engine(), expected=["policy"])
    await attached(bridge, hook("watch", "session_start"), instance="other")
    end = End(bridge)
    await end.hello()
    before = await engine.fire_async("pre_tool_use", CALL, dialect="a3s")
    await end.register(hook("watch", "session_start"))
    after = await engine.fire_async("pre_tool_use", CALL, dialect="a3s")

    assert (before.stance, after.stance) == (Stance.DENY, Stance.SILENT)


@on_loop
async def test_whoever_is_expected_may_be_forgotten() -> None:
    """Once."""
    bridge = Bridge(engine := Engine(), expected=["policy"])

    assert await bridge._forget("policy")
    assert engine.hooks == ()
    assert not await bridge._forget("policy")


def test_whoever_is_expected_has_a_name() -> None:
    """One by which somebody can attach."""
    with pytest.raises(ConfigError, match="not a name for an instance"):
        Bridge(Engine(), expected=["a b"])


@on_loop
async def test_a_session_that_ends_here_takes_its_invocations_along() -> None:
    """Whoever fires the end of it, the engine's own host too."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge)
    asked = asyncio.get_running_loop().create_task(
        engine.fire_async("pre_tool_use", CALL, dialect="a3s")
    )
    invoke = await end.next("invoke")
    await engine.fire_async("session_end", {"session_id": "s"}, dialect="a3s")

    assert (await end.next("cancel")).invocation_id == invoke.invocation_id
    assert "cancelled: its session has ended" in (await asked).reason


# -- the end -----------------------------------------------------------------------------------------------------------


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
