"""What an engine asks of remote handlers, and what it makes of their silence."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from hookline import Engine, Stance
from hookline.a3s import HookMatcher
from hookline.remote import bridge as bridge_module
from hookline.remote import messages
from hookline.remote.bridge import Bridge
from hookline.remote.grpc_transport import REMOTE
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import CALL, End, attached, hook, hung_up, limited, on_loop, settled


@pytest.fixture(autouse=True)
def _no_stream_is_left():
    """Those of tests that are no coroutines."""
    yield
    REMOTE.run(hung_up())


def firing(
    engine: Engine, payload: dict[str, Any] | None = None, event: str = "pre_tool_use", **more: Any
) -> asyncio.Task[Any]:
    """An event that is asked about meanwhile."""
    fired = engine.fire_async(event, payload or CALL, dialect="a3s", **more)
    return asyncio.get_running_loop().create_task(fired)


# -- asking ----------------------------------------------------------------------------------------


@on_loop
async def test_an_invocation_says_everything_that_a_handler_needs() -> None:
    """The whole event, the remaining time, and the expected answer."""
    end = await attached(Bridge(engine := Engine()), hook(timeout_ms=5000))
    asked = firing(engine)
    invoke = await end.next("invoke")
    end.answer(invoke)
    await asked

    assert (invoke.hook_id, invoke.generation, invoke.event_type) == ("guard", 1, "pre_tool_use")
    assert json.loads(invoke.event_json) == {"event_type": "pre_tool_use", "payload": CALL}
    assert (invoke.attempt, invoke.gating, invoke.reply_expected) == (1, True, True)
    assert invoke.budget_ms == 5000


@on_loop
async def test_an_event_that_no_hook_selects_costs_no_message() -> None:
    """The engine matches events itself."""
    end = await attached(Bridge(engine := Engine()), hook(matcher=HookMatcher.command(r"^make")))

    assert (await firing(engine)).verdicts == ()
    await end.hang_up()
    assert end.frames.empty()


@on_loop
async def test_two_hundred_events_of_one_hook_are_told_apart() -> None:
    """Answers in another order than the questions find them all the same.

    64 are under way at once, and the rest waits.
    """
    end = await attached(Bridge(engine := Engine()))
    asked = [firing(engine, {**CALL, "args": {"command": f"{at}"}}) for at in range(200)]
    left = 200
    while left:
        invokes = [await end.next("invoke") for _ in range(min(64, left))]
        await settled()
        assert end.frames.empty()
        left -= len(invokes)
        for invoke in reversed(invokes):
            command = json.loads(invoke.event_json)["payload"]["args"]["command"]
            end.answer(invoke, pb.BLOCK, reason=command)

    assert [(await each).reason for each in asked] == [f"{at}" for at in range(200)]


def test_an_event_may_be_fired_from_any_thread() -> None:
    """Without an event loop, on a new one, and inside a running coroutine."""
    engine = Engine()
    end = REMOTE.run(limited(attached(Bridge(engine))))

    async def answering() -> None:
        for _ in range(3):
            end.answer(await end.next("invoke"), pb.BLOCK, reason="no")

    answered = REMOTE.submit(limited(answering()))

    def fire() -> str:
        return engine.fire("pre_tool_use", CALL, dialect="a3s").reason

    async def inside() -> str:
        return fire()

    reasons: list[str] = []
    thread = threading.Thread(target=lambda: reasons.append(fire()))
    thread.start()
    thread.join()
    reasons.append(asyncio.run(inside()))
    reasons.append(asyncio.run(engine.fire_async("pre_tool_use", CALL, dialect="a3s")).reason)
    answered.result()

    assert reasons == ["no"] * 3


# -- no answer -------------------------------------------------------------------------------------

LATE = "Required hook 'guard' failed: timed out after 0.03 s"


@on_loop
async def test_an_answer_that_takes_too_long_is_a_failure() -> None:
    """The engine's timer counts. It tells the handler, and drops a late answer."""
    end = await attached(Bridge(engine := Engine()), hook(timeout_ms=30))
    decision = await firing(engine)
    invoke, cancel = await end.next("invoke"), await end.next("cancel")

    assert (decision.stance, decision.reason) == (Stance.DENY, LATE)
    assert cancel.invocation_id == invoke.invocation_id
    assert cancel.why == "the engine no longer waits"
    end.answer(invoke)
    await end.register()


def test_without_an_event_loop_it_takes_no_longer_either() -> None:
    """The timeout is the same as on an event loop."""
    engine = Engine()
    end = REMOTE.run(limited(attached(Bridge(engine), hook(timeout_ms=30))))

    assert engine.fire("pre_tool_use", CALL, dialect="a3s").reason == LATE
    assert REMOTE.run(limited(end.next("invoke"))).hook_id == "guard"
    assert REMOTE.run(limited(end.next("cancel"))).why == "the engine no longer waits"


@on_loop
async def test_the_time_of_the_whole_event_counts_too() -> None:
    """A caller may limit the time of all hooks together."""
    end = await attached(Bridge(engine := Engine()))

    assert (await firing(engine, seconds=0.03)).stance is Stance.DENY
    await end.next("invoke")
    assert (await end.next("cancel")).invocation_id


@on_loop
async def test_a_caller_that_stops_waiting_cancels_the_handler() -> None:
    """A cancellation of the event passes through to the other process."""
    end = await attached(Bridge(engine := Engine()))
    asked = firing(engine)
    invoke = await end.next("invoke")
    asked.cancel()

    assert (await end.next("cancel")).invocation_id == invoke.invocation_id
    with pytest.raises(asyncio.CancelledError):
        await asked


@on_loop
async def test_a_session_that_ends_takes_its_invocations_along() -> None:
    """Any caller may fire the session's end. Invocations of other sessions go on."""
    end = await attached(Bridge(engine := Engine()))
    ended, going = firing(engine), firing(engine, {**CALL, "session_id": "t"})
    first, second = await end.next("invoke"), await end.next("invoke")
    await firing(engine, {"session_id": "s"}, "session_end")
    cancel = await end.next("cancel")

    assert (cancel.invocation_id, cancel.why) == (first.invocation_id, "its session has ended")
    assert "cancelled: its session has ended" in (await ended).reason
    end.answer(second, pb.BLOCK, reason="heard")
    assert (await going).reason == "heard"


@on_loop
async def test_after_a_block_no_later_handler_is_asked() -> None:
    """Handlers run in turn, so no invocation needs a cancellation."""
    hooks = hook("first", priority=1), hook("second", priority=2)
    end = await attached(Bridge(engine := Engine()), *hooks)
    asked = firing(engine)
    end.answer(await end.next("invoke"), pb.BLOCK, reason="no")

    assert [verdict.hook_id for verdict in (await asked).verdicts] == ["first"]


@on_loop
async def test_unknown_results_are_dropped() -> None:
    """A result with a guessed id changes nothing."""
    end = await attached(Bridge(engine := Engine()))
    asked = firing(engine)
    invoke = await end.next("invoke")
    for guessed in ("", "1", invoke.invocation_id + "0"):
        end.send(result=pb.Result(invocation_id=guessed, action=pb.CONTINUE))
    end.answer(invoke, pb.BLOCK, reason="the real one")
    end.answer(invoke, pb.CONTINUE)

    assert (await asked).reason == "the real one"


@on_loop
async def test_an_event_that_is_too_large_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate of that guard closes, and the link stays."""
    monkeypatch.setattr(messages, "PAYLOAD", 1000)
    await attached(bridge := Bridge(engine := Engine()))
    decision = await firing(engine, {**CALL, "args": {"command": "x" * 2000}})

    assert decision.stance is Stance.DENY
    assert "and 1,000 are the most that is sent" in decision.reason
    assert [*bridge.links] == ["policy"]


@on_loop
async def test_an_event_that_is_no_json_is_not_sent() -> None:
    """The gate of that guard closes."""
    await attached(Bridge(engine := Engine()))
    decision = await firing(engine, {**CALL, "args": {"command": float("nan")}})

    assert decision.stance is Stance.DENY


@on_loop
async def test_a_peer_that_reads_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue of unsent messages is limited."""
    monkeypatch.setattr(bridge_module, "_IN_FLIGHT", 1)
    end = await attached(Bridge(engine := Engine()), hook(timeout_ms=30))
    end.frames._maxsize = 1  # type: ignore[attr-defined]
    reasons = [(await firing(engine)).reason for _ in range(4)]

    assert "timed out" in reasons[0]
    assert "do not read what they are sent" in reasons[-1]


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
    """At once for invocations under way, and for events that come while no handler is there."""
    end = await attached(Bridge(engine := Engine()), hook(event=event, fail_mode=mode))
    asked = firing(engine, event=event)
    await end.next("invoke")
    await end.hang_up("connection reset")
    under_way = await asked
    later = await firing(engine, event=event)

    assert (under_way.stance, later.stance) == (stance, stance)
    lost = "could not be reached: the handlers `policy` were lost: cannot be reached: "
    assert under_way.verdicts[0].fault == f"{lost}connection reset"
    assert later.verdicts[0].fault == "could not be reached: the handlers `policy` are not attached"


@on_loop
async def test_what_waits_for_its_turn_at_a_lost_link_fails_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A handler that has gone is asked nothing."""
    monkeypatch.setattr(bridge_module, "_IN_FLIGHT", 1)
    end = await attached(Bridge(engine := Engine()))
    asked = [firing(engine) for _ in range(3)]
    await end.next("invoke")
    await end.hang_up()

    assert all("were lost" in each.reason for each in await asyncio.gather(*asked))


@on_loop
async def test_a_link_that_never_registers_leaves_the_gates_closed() -> None:
    """An instance that returns without registering arms no hook."""
    end = await attached(bridge := Bridge(engine := Engine()), hook(timeout_ms=30))
    await end.hang_up()
    await End(bridge).hello()

    assert (await firing(engine)).reason == LATE


# -- observers -------------------------------------------------------------------------------------


@on_loop
async def test_an_observer_is_told_and_not_waited_for() -> None:
    """Its answer has no effect, also at the next event."""
    watch = hook("watch", "session_start", async_execution=True)
    end = await attached(Bridge(engine := Engine()), watch)
    decision = await firing(engine, {"session_id": "s"}, "session_start")
    invoke = await end.next("invoke")

    assert decision.allowed
    assert not invoke.gating
    end.answer(invoke, pb.BLOCK, reason="never")
    await asyncio.to_thread(engine.close)
    later = await firing(engine)
    assert (later.verdicts, later.for_user, later.for_agent) == ((), (), ())


@on_loop
async def test_an_observer_hears_of_the_end_of_its_session() -> None:
    """The end of the session does not cancel its invocation."""
    watch = hook("watch", "session_end", async_execution=True)
    end = await attached(Bridge(engine := Engine()), watch)
    await firing(engine, {"session_id": "s"}, "session_end")
    end.answer(await end.next("invoke"))
    await asyncio.to_thread(engine.close)

    assert end.frames.empty()
