"""Who may attach, whose hooks count, and what is expected of whom."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from hookline import ConfigError, Engine, Stance
from hookline.a3s import HookMatcher
from hookline.dialects.a3s.table import TABLE
from hookline.remote import bridge as bridge_module
from hookline.remote.bridge import Bridge
from hookline.remote.messages import read_hooks
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import CALL, PATIENCE, End, attached, hook, on_loop, until

# -- who is let in ---------------------------------------------------------------------------------


@on_loop
async def test_a_hello_is_welcomed() -> None:
    """The Welcome names the engine's limits."""
    welcome = await End(Bridge(Engine())).hello()

    assert (welcome.protocol, welcome.max_in_flight, welcome.max_payload_bytes) == (1, 64, 4 << 20)
    assert len(welcome.event_types) == 28


REFUSED = [
    ("another protocol", {"protocol": 2}),
    ("no protocol", {"protocol": 0}),
    ("a name that is none", {"instance_id": ""}),
    ("a name that would be seen as something else", {"instance_id": "a\nb"}),
    ("a name without an end", {"instance_id": "x" * 200}),
]


@pytest.mark.parametrize("fields", [row[1] for row in REFUSED], ids=[row[0] for row in REFUSED])
@on_loop
async def test_an_invalid_hello_is_refused(fields: dict[str, Any]) -> None:
    """The refusal begins with its code, and the stream ends."""
    end = End(bridge := Bridge(Engine()))
    end.send(hello=pb.Hello(**{"protocol": 1, "instance_id": "policy", **fields}))

    assert (await end.next("goaway")).why.startswith("HKL5104: ")
    await end.talk
    assert bridge.links == {}


@on_loop
async def test_the_first_frame_must_be_a_hello() -> None:
    """A client without a hello registers nothing."""
    end = End(Bridge(engine := Engine()))
    end.send(registry=pb.Registry(generation=1, hooks=[hook()]))

    assert (await end.next("goaway")).why.startswith("HKL5104")
    assert engine.hooks == ()


@on_loop
async def test_a_second_hello_changes_nothing() -> None:
    """A client cannot change its name."""
    end = await attached(bridge := Bridge(Engine()))
    end.send(hello=pb.Hello(protocol=1, instance_id="other"))
    await end.register()

    assert [*bridge.links] == ["policy"]


@on_loop
async def test_a_name_belongs_to_one_stream() -> None:
    """It is free as soon as that stream has ended; until its hooks are replaced, they stay."""
    bridge = Bridge(engine := Engine())
    end = await attached(bridge)
    thief = End(bridge)
    thief.send(hello=pb.Hello(protocol=1, instance_id="policy"))
    assert (await thief.next("goaway")).why.startswith("HKL5105")
    await end.hang_up()

    await End(bridge).hello()
    assert [spec.id for spec in engine.hooks] == ["guard"]


@on_loop
async def test_the_number_of_instances_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instances that are away count. One that withdraws its hooks makes room."""
    monkeypatch.setattr(bridge_module, "_MOST_INSTANCES", 1)
    bridge = Bridge(engine := Engine())
    first = await attached(bridge)
    second = End(bridge)
    await second.hello("second")
    second.send(registry=pb.Registry(generation=1, hooks=[hook("other")]))
    assert (await second.next("goaway")).why.startswith("HKL5107")
    await first.register(generation=2)

    await attached(bridge, hook("other"), instance="third")
    assert [spec.id for spec in engine.hooks] == ["other"]


# -- hooks -----------------------------------------------------------------------------------------


@on_loop
async def test_a_registry_replaces_the_whole_set() -> None:
    """A hook that the new registry lacks is gone."""
    end = await attached(Bridge(engine := Engine()), hook("a"), hook("b"))
    await end.register(hook("b"), hook("c"), generation=2)

    assert sorted(spec.id for spec in engine.hooks) == ["b", "c"]


@on_loop
async def test_two_instances_do_not_share_ids() -> None:
    """A guest that reuses the name of a policy's hook does not replace it."""
    bridge = Bridge(engine := Engine())
    await attached(bridge, hook("guard", priority=1))
    await attached(bridge, hook("guard", priority=2), instance="guest")

    assert [spec.id for spec in engine.hooks] == ["guard", "guard~2"]


@on_loop
async def test_hooks_are_those_of_every_engine() -> None:
    """The engines of hosts have them too, also an engine that is made later."""
    first, others = Engine(), [Engine()]
    bridge = Bridge(first, others=lambda: others)
    await attached(bridge)
    assert [spec.id for engine in (first, *others) for spec in engine.hooks] == ["guard"] * 2
    others[:] = [Engine()]
    await attached(bridge, hook("other"), instance="guest")

    assert [spec.id for spec in others[0].hooks] == ["other"]


@on_loop
async def test_a_rejected_hook_takes_part_as_a_failure() -> None:
    """The other hooks count, and the author gets the loader's message."""
    end = End(Bridge(engine := Engine()))
    await end.hello()
    bad = pb.HookSpec(
        id="bad", event_type="pre_tool_use", matcher=pb.Matcher(command_pattern="(?=x)")
    )
    ack = await end.register(hook("good", priority=200), bad)
    decision = await engine.fire_async("pre_tool_use", CALL, dialect="a3s")

    assert [rejected.hook_id for rejected in ack.rejected] == ["bad"]
    assert "(?=x)" in ack.rejected[0].problem
    assert {spec.id for spec in engine.hooks} == {"good", "bad"}
    assert decision.reason.startswith("Required hook 'bad' failed: could not be loaded")


@on_loop
async def test_a_set_that_is_too_large_ends_the_stream() -> None:
    """The previous set stays, and its gates are closed."""
    end = await attached(Bridge(engine := Engine()), hook("former"))
    end.send(registry=pb.Registry(generation=2, hooks=[hook(f"h{at}") for at in range(1001)]))

    assert "1,000 and 131,072 are the most" in (await end.next("goaway")).why
    await end.talk
    assert [spec.id for spec in engine.hooks] == ["former"]
    assert (await engine.fire_async("pre_tool_use", CALL, dialect="a3s")).stance is Stance.DENY


@on_loop
async def test_a_heavy_registry_delays_no_other_instance(monkeypatch) -> None:
    """While one guest's patterns are compiled, other guests' answers are heard."""
    bridge = Bridge(engine := Engine())
    end = await attached(bridge)
    heavy = await attached(bridge, hook("watch", "session_start"), instance="heavy")
    reading, go = threading.Event(), threading.Event()

    def slowly(*given: Any) -> Any:
        reading.set()
        assert go.wait(PATIENCE)
        return read_hooks(*given)

    monkeypatch.setattr("hookline.remote.bridge.read_hooks", slowly)
    new = hook("new", "session_start", matcher=HookMatcher(path_pattern="*.x"))
    heavy.send(registry=pb.Registry(generation=2, hooks=[new]))
    await until(reading.is_set)
    asked = asyncio.ensure_future(engine.fire_async("pre_tool_use", CALL, dialect="a3s"))
    end.answer(await end.next("invoke"), pb.BLOCK, reason="heard")

    assert (await asked).reason == "heard"
    go.set()
    assert (await heavy.next("registry_ack")).generation == 2
    assert "new" in [spec.id for spec in engine.hooks]


@on_loop
async def test_a_forgotten_instance_takes_its_hooks_along() -> None:
    """Only this removes a guard without its owner."""
    bridge = Bridge(engine := Engine(), expected=["other"])
    await attached(bridge)
    bridge.forget("policy")
    bridge.forget("other")

    assert engine.hooks == ()


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
async def test_the_gates_of_expected_instances_are_closed(event: str) -> None:
    """In every engine, from the start. Other events go on."""
    engines = [Engine(), Engine()]
    Bridge(engines[0], others=lambda: engines[1:], expected=["policy"])
    decisions = [await engine.fire_async(event, CALL, dialect="a3s") for engine in engines]
    stance = Stance.DENY if event in GATES else Stance.SILENT

    assert [decision.stance for decision in decisions] == [stance] * 2
    told = ["the handlers `policy` are not attached" in each.reason for each in decisions]
    assert told == [event in GATES] * 2


@on_loop
async def test_an_expected_instance_that_attaches_is_asked() -> None:
    """The gates are closed until its hooks are known, and then they are its own.

    Another instance opens none.
    """
    bridge = Bridge(engine := Engine(), expected=["policy"])
    await attached(bridge, hook("watch", "session_start"), instance="other")
    before = await engine.fire_async("pre_tool_use", CALL, dialect="a3s")
    await attached(bridge, hook("watch", "session_start"))
    after = await engine.fire_async("pre_tool_use", CALL, dialect="a3s")

    assert (before.stance, after.stance) == (Stance.DENY, Stance.SILENT)


def test_an_expected_instance_has_a_valid_name() -> None:
    """A name under which an instance can attach."""
    with pytest.raises(ConfigError, match="not a name for an instance"):
        Bridge(Engine(), expected=["a b"])
