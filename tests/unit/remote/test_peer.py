"""What one peer is asked: each answer finds its question, and a question without an answer is the hook's failure."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from hookline import Engine, Stance
from hookline.a3s import HookMatcher
from hookline.remote.bridge import Bridge
from hookline.remote.event_loop import REMOTE
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import (
    CALL,
    OTHER,
    PATIENCE,
    End,
    attached,
    hook,
    hung_up,
    on_loop,
    settled,
)


@pytest.fixture(autouse=True)
def _no_stream_is_left():
    """Those of tests that are no coroutines."""
    yield
    REMOTE.run(hung_up(), PATIENCE)


def firing(
    engine: Engine, payload: dict[str, Any] | None = None, event: str = "pre_tool_use", **more: Any
) -> asyncio.Task[Any]:
    """An event that is asked about meanwhile."""
    return asyncio.get_running_loop().create_task(
        engine.fire_async(event, payload or CALL, dialect="a3s", **more)
    )


# -- asking ----------------------------------------------------------------------------------------


@on_loop
async def test_an_invocation_says_everything_that_a_handler_needs() -> None:
    """The whole event, a relative budget, and what is expected."""
    end, _ = await attached(Bridge(engine := Engine()), hook(timeout_ms=5000))
    asked = firing(engine)
    invoke = await end.next("invoke")
    end.answer(invoke)
    await asked

    assert (invoke.hook_id, invoke.generation, invoke.event_type, invoke.attempt) == (
        "guard",
        1,
        "pre_tool_use",
        1,
    )
    assert json.loads(invoke.event_json) == {"event_type": "pre_tool_use", "payload": CALL}
    assert 4900 < invoke.budget_ms <= 5000
    assert invoke.gating
    assert invoke.reply_expected


@on_loop
async def test_what_nobody_selects_costs_no_message() -> None:
    """Matching is the engine's."""
    end, _ = await attached(Bridge(engine := Engine()), hook(matcher=HookMatcher.command(r"^make")))

    assert (await firing(engine)).verdicts == ()
    end.hang_up()
    assert [
        frame.WhichOneof("kind") for frame in await end.rest() if frame.WhichOneof("kind") != "ping"
    ] == []


@on_loop
async def test_two_hundred_events_of_one_hook_are_told_apart() -> None:
    """Answers in another order than the questions find them all the same."""
    end, _ = await attached(Bridge(engine := Engine(), bounds=Bounds(in_flight=500)))
    asked = [firing(engine, {**CALL, "args": {"command": f"{at}"}}) for at in range(200)]
    invokes = [await end.next("invoke") for _ in asked]
    for invoke in reversed(invokes):
        end.answer(
            invoke, pb.BLOCK, reason=json.loads(invoke.event_json)["payload"]["args"]["command"]
        )

    assert [(await each).reason for each in asked] == [f"{at}" for at in range(200)]


@on_loop
async def test_no_more_are_under_way_than_there_is_room_for() -> None:
    """The rest waits for its turn, in order; and beyond a bound it is refused."""
    bridge = Bridge(engine := Engine(), bounds=Bounds(in_flight=2, waiting=1))
    end, _ = await attached(bridge)
    first, second, third, fourth = (
        firing(engine, {**CALL, "session_id": f"{at}"}) for at in range(4)
    )
    invokes = [await end.next("invoke") for _ in range(2)]

    assert "1 events wait for the handlers `policy` already" in (await fourth).reason
    assert [each.sent for each in bridge.peers["policy"].invocations.values()] == [
        True,
        True,
        False,
    ]
    end.answer(invokes[0])
    last = await end.next("invoke")
    assert json.loads(last.event_json)["payload"]["session_id"] == "2"
    end.answer(invokes[1])
    end.answer(last)
    assert all(decision.allowed for decision in await asyncio.gather(first, second, third))


def test_an_event_may_be_fired_from_any_thread() -> None:
    """Without an event loop, on one of its own, and from inside a coroutine that does not wait for it."""
    engine = Engine()
    end, _ = REMOTE.run(attached(Bridge(engine)), PATIENCE)

    async def answering() -> None:
        for _ in range(3):
            end.answer(await end.next("invoke"), pb.BLOCK, reason="no")

    answered = REMOTE.submit(answering())
    reasons = []
    thread = threading.Thread(
        target=lambda: reasons.append(engine.fire("pre_tool_use", CALL, dialect="a3s").reason)
    )
    thread.start()
    thread.join(PATIENCE)

    async def inside() -> str:
        return engine.fire("pre_tool_use", CALL, dialect="a3s").reason

    reasons.append(asyncio.run(inside()))
    reasons.append(asyncio.run(engine.fire_async("pre_tool_use", CALL, dialect="a3s")).reason)
    answered.result(PATIENCE)

    assert reasons == ["no"] * 3


# -- no answer -------------------------------------------------------------------------------------


@on_loop
async def test_an_answer_that_takes_too_long_is_a_failure() -> None:
    """The engine's timer counts.

    The handler is told, and what it says later is counted and dropped.
    """
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge, hook(timeout_ms=30))
    decision = await firing(engine)
    invoke = await end.next("invoke")
    cancel = await end.next("cancel")

    assert decision.stance is Stance.DENY
    assert decision.reason == "Required hook 'guard' failed: timed out after 0.03 s"
    assert (cancel.invocation_id, cancel.why) == (
        invoke.invocation_id,
        "the engine no longer waits",
    )
    end.answer(invoke)
    await settled()
    assert bridge.counts == {"late": 1}


def test_without_an_event_loop_it_takes_no_longer_either() -> None:
    """The thread that waits is its own timer."""
    engine = Engine()
    end, _ = REMOTE.run(attached(Bridge(engine), hook(timeout_ms=30)), PATIENCE)

    assert (
        engine.fire("pre_tool_use", CALL, dialect="a3s").reason
        == "Required hook 'guard' failed: timed out after 0.03 s"
    )
    assert REMOTE.run(end.next("invoke"), PATIENCE).hook_id == "guard"
    assert REMOTE.run(end.next("cancel"), PATIENCE).why == "the engine no longer waits"


@on_loop
async def test_the_time_of_the_whole_event_counts_too() -> None:
    """Whoever asked for all hooks together within a time has it."""
    end, _ = await attached(Bridge(engine := Engine()))

    assert (await firing(engine, seconds=0.03)).stance is Stance.DENY
    await end.next("invoke")
    assert (await end.next("cancel")).invocation_id


@on_loop
async def test_whoever_stops_waiting_cancels_the_handler() -> None:
    """A cancellation of the event passes through to the other process."""
    end, _ = await attached(Bridge(engine := Engine()))
    asked = firing(engine)
    invoke = await end.next("invoke")
    asked.cancel()
    cancel = await end.next("cancel")

    assert (cancel.invocation_id, cancel.why) == (
        invoke.invocation_id,
        "the engine no longer waits",
    )
    with pytest.raises(asyncio.CancelledError):
        await asked


@on_loop
async def test_an_answer_without_an_action_is_a_failure() -> None:
    """Never a Continue."""
    end, _ = await attached(Bridge(engine := Engine()))
    asked = firing(engine)
    end.answer(await end.next("invoke"), pb.ACTION_UNSPECIFIED)

    assert (await asked).reason == "Required hook 'guard' failed: the answer has no `action`"


@on_loop
async def test_an_earlier_block_asks_nobody_after_it() -> None:
    """The chain is in turn, so nothing is under way that would have to be cancelled."""
    end, _ = await attached(
        Bridge(engine := Engine()), hook("first", priority=1), hook("second", priority=2)
    )
    asked = firing(engine)
    end.answer(await end.next("invoke"), pb.BLOCK, reason="no")

    assert [verdict.hook_id for verdict in (await asked).verdicts] == ["first"]


@on_loop
async def test_unknown_results_are_counted_and_dropped() -> None:
    """Whoever guesses ids changes nothing."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge)
    asked = firing(engine)
    invoke = await end.next("invoke")
    for guessed in ("", "1", invoke.invocation_id + "0"):
        end.send(result=pb.Result(invocation_id=guessed, action=pb.CONTINUE))
    end.answer(invoke, pb.BLOCK, reason="the real one")
    end.answer(invoke, pb.CONTINUE)

    assert (await asked).reason == "the real one"
    await settled()
    assert bridge.counts["late"] == 4


@on_loop
async def test_an_event_that_is_too_large_is_not_sent() -> None:
    """The guard that cannot see it is closed, and the link stays."""
    bridge = Bridge(engine := Engine(), bounds=Bounds(payload=1000))
    await attached(bridge)
    decision = await firing(engine, {**CALL, "args": {"command": "x" * 2000}})

    assert decision.stance is Stance.DENY
    assert "and 1,000 are the most that is sent" in decision.reason
    assert bridge.attached == ("policy",)


@on_loop
async def test_an_event_that_is_no_json_is_not_sent() -> None:
    """As with every other handler."""
    await attached(Bridge(engine := Engine()))

    assert (
        "payload cannot be serialised"
        in (await firing(engine, {**CALL, "args": {"command": float("nan")}})).reason
    )


@on_loop
async def test_a_peer_that_reads_nothing_is_left() -> None:
    """What waits to be written has a bound."""
    bridge = Bridge(engine := Engine(), bounds=Bounds(queue=2000))
    end, _ = await attached(bridge)
    asked = [firing(engine, {**CALL, "args": {"command": "x" * 500}}) for _ in range(5)]
    decisions = await asyncio.gather(*asked)

    assert {decision.stance for decision in decisions} == {Stance.DENY}
    assert "it does not read what it is sent" in decisions[0].reason
    await end.talk
    assert bridge.attached == ()


# -- a lost link -----------------------------------------------------------------------------------

MODES = [
    ("a gate is closed", "pre_tool_use", None, Stance.DENY),
    ("a gate that was declared open is open", "pre_tool_use", "open", Stance.SILENT),
    ("an observer is open", "session_start", None, Stance.SILENT),
    ("a guard of another event may be closed", "generate_start", "closed", Stance.DENY),
]


@pytest.mark.parametrize(
    ("event", "mode", "stance"), [row[1:] for row in MODES], ids=[row[0] for row in MODES]
)
@on_loop
async def test_a_lost_link_is_what_the_fail_mode_says(event, mode, stance) -> None:
    """At once for what is under way, and for whatever comes while nobody is there."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge, hook(event=event, fail_mode=mode))
    asked = firing(engine, event=event)
    await end.next("invoke")
    end.hang_up("connection reset")
    under_way = await asked
    later = await firing(engine, event=event)

    assert (under_way.stance, later.stance) == (stance, stance)
    assert (
        under_way.verdicts[0].fault
        == "could not be reached: the handlers `policy` were lost: connection reset"
    )
    assert later.verdicts[0].fault == "could not be reached: the handlers `policy` are not attached"


@on_loop
async def test_a_link_that_never_registers_leaves_the_gates_waiting() -> None:
    """Whoever comes back and says nothing has not armed anything: the event waits as long as its hook may."""
    bridge = Bridge(engine := Engine(), bounds=Bounds(memory=0))
    end, welcome = await attached(bridge, hook(timeout_ms=30))
    end.hang_up()
    await end.talk
    await End(bridge).hello(resume=welcome.session_key)

    assert "timed out" in (await firing(engine)).reason


@on_loop
async def test_what_is_under_way_waits_for_the_grace_and_is_asked_again() -> None:
    """With the same id, the next attempt, what is left of its time, and the generation of now."""
    bridge = Bridge(engine := Engine(), bounds=Bounds(grace=5))
    end, welcome = await attached(bridge, hook(timeout_ms=20_000))
    asked = firing(engine)
    first = await end.next("invoke")
    end.hang_up()
    await end.talk
    await asyncio.sleep(0.1)
    again = End(bridge)
    assert (await again.hello(resume=welcome.session_key)).resumed
    await again.register(hook(timeout_ms=20_000), generation=7)
    second = await again.next("invoke")

    assert (second.invocation_id, second.attempt, second.generation) == (first.invocation_id, 2, 7)
    assert 0 < second.budget_ms <= 19_900
    again.answer(second, pb.BLOCK, reason="after all")
    assert (await asked).reason == "after all"


@on_loop
async def test_after_the_grace_nobody_is_waited_for() -> None:
    """And during it, nothing new is asked."""
    bridge = Bridge(engine := Engine(), bounds=Bounds(grace=0.5))
    end, _ = await attached(bridge)
    asked = firing(engine)
    await end.next("invoke")
    end.hang_up("killed")
    await end.talk

    assert "are not attached" in (await firing(engine, OTHER)).reason
    assert not asked.done()
    assert "were lost: killed" in (await asked).reason


@on_loop
async def test_what_came_back_without_the_hook_does_not_answer_for_it() -> None:
    """The guard that is gone is a guard that failed."""
    bridge = Bridge(engine := Engine(), bounds=Bounds(grace=5))
    end, welcome = await attached(bridge)
    asked = firing(engine)
    await end.next("invoke")
    end.hang_up()
    await end.talk
    again = End(bridge)
    await again.hello(resume=welcome.session_key)
    await again.register(hook("another"))

    assert "came back without it" in (await asked).reason


@on_loop
async def test_a_peer_that_leaves_ends_what_it_has_begun() -> None:
    """Nothing new is asked of it, and the link ends with its last answer."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge)
    asked = firing(engine)
    invoke = await end.next("invoke")
    end.send(goaway=pb.Goaway(why="they leave", drain_ms=1000))
    await settled()

    assert "are leaving" in (await firing(engine)).reason
    end.answer(invoke, pb.BLOCK, reason="the last one")
    assert (await asked).reason == "the last one"
    assert (await end.next("goaway")).why == "it left"
    await end.talk


# -- observers -------------------------------------------------------------------------------------


@on_loop
async def test_an_observer_is_told_and_not_waited_for() -> None:
    """Whatever it answers counts for nothing."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge, hook("watch", "session_start", async_execution=True))
    decision = await firing(engine, {"session_id": "s"}, "session_start")
    invoke = await end.next("invoke")

    assert decision.allowed
    assert [(verdict.hook_id, verdict.fault) for verdict in decision.verdicts] == [("watch", None)]
    assert not invoke.reply_expected
    assert not invoke.gating
    end.answer(invoke, pb.BLOCK)
    await settled()
    assert bridge.counts["late"] == 1


@on_loop
async def test_an_observer_that_is_not_there_misses_something() -> None:
    """That is counted, and nobody waits."""
    bridge = Bridge(engine := Engine())
    end, _ = await attached(bridge, hook("watch", "session_start", async_execution=True))
    end.hang_up()
    await end.talk
    await firing(engine, {"session_id": "s"}, "session_start")
    await settled()

    assert bridge.counts["dropped"] == 1
