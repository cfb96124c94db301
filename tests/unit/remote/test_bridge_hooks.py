"""Which hooks of attached handlers count, what a bad set does, and what is expected of whom."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from hookline import ConfigError, Engine, Stance
from hookline.a3s import HookMatcher
from hookline.dialects.a3s.table import TABLE
from hookline.remote.bridge import Bridge
from hookline.remote.definitions import read_hooks
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import (
    CALL,
    PATIENCE,
    End,
    attached,
    goaway,
    hook,
    on_loop,
    until,
)

# -- hooks -----------------------------------------------------------------------------------------


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
    """The others count.

    And where its event is known, the one that cannot be read takes part as a failure.
    """
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


@on_loop
async def test_a_flood_of_registries_ends_the_stream() -> None:
    """Each of them costs the engine work; the guards of whoever floods stay, and fail closed."""
    bridge = Bridge(engine := Engine(), bounds=Bounds(registries=3))
    end = End(bridge)
    await end.hello()
    for generation in (1, 2, 3):
        await end.register(hook(), generation=generation)
    end.send(registry=pb.Registry(generation=4))

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
async def test_who_reads_a_heavy_set_holds_up_nobody_else(monkeypatch) -> None:
    """While one guest's patterns are compiled, other guests' answers are heard.

    Its own frames wait.
    """
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge)
    heavy, _ = await attached(bridge, hook("watch", "session_start"), instance="heavy")
    reading, go = threading.Event(), threading.Event()

    def slowly(*given: Any) -> Any:
        reading.set()
        assert go.wait(PATIENCE)
        return read_hooks(*given)

    monkeypatch.setattr("hookline.remote.bridge.read_hooks", slowly)
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
async def test_a_set_that_is_read_too_late_is_dropped(monkeypatch) -> None:
    """Somebody with the key took its place meanwhile, and told its own."""
    bridge = Bridge(engine := Engine())
    end, welcome = await attached(bridge)
    reading, go = threading.Event(), threading.Event()

    def slowly(*given: Any) -> Any:
        reading.set()
        go.wait(PATIENCE)
        return read_hooks(*given)

    monkeypatch.setattr("hookline.remote.bridge.read_hooks", slowly)
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


# -- who is expected -------------------------------------------------------------------------------

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
    """In every engine, from the beginning.

    What is no gate goes on, as it does where a guest is away.
    """
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
    """The gates are closed until its hooks are known, and then they are its own.

    Whoever else comes opens none.
    """
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
