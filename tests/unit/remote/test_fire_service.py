"""An engine that is asked from elsewhere answers every request, and itself never breaks."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from hookline import Engine, HookError, deny
from hookline.remote.admission import Admission
from hookline.remote.bridge import Bridge
from hookline.remote.fire_service import FireService
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.stream import LinkError, Outbox
from tests.unit.remote.support import CALL, PATIENCE, attached, hook, on_loop, settled, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


TOOL = json.dumps(
    {
        "hook_event_name": "PreToolUse",
        "cwd": "/",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
).encode()


def engine() -> Engine:
    made = Engine()
    made.on("tool.before", command="rm")(lambda _: deny("no"))
    return made


def request(number: int = 1, **fields: Any) -> pb.FireRequest:
    base = {"event": "pre_tool_use", "dialect": "a3s", "payload_json": json.dumps(CALL).encode()}
    return pb.FireRequest(**{"request_id": f"{number}", **base, **fields})


@on_loop
async def test_an_event_is_answered_with_its_decision() -> None:
    """The document is the one that `fire` prints."""
    reply = await FireService(engine()).fire(request())

    assert (reply.request_id, reply.error_code) == ("1", "")
    assert json.loads(reply.decision_json)["reason"] == "no"


WRONG = [
    ("no JSON", {"payload_json": b"{"}, "HKL4001"),
    ("no UTF-8", {"payload_json": b'{"a": "\xff"}'}, "HKL4001"),
    ("no object", {"payload_json": b"[]"}, "HKL4001"),
    ("nested without an end", {"payload_json": b"[" * 200_000}, "HKL4001"),
    ("too large", {"payload_json": b" " * 2000}, "HKL4001"),
    ("an unknown event", {"event": "tool_error"}, "HKL4002"),
    ("an unknown dialect", {"dialect": "klingon"}, "HKL1006"),
]


@pytest.mark.parametrize(
    ("fields", "code"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
@on_loop
async def test_what_is_wrong_is_said_with_its_code(fields, code) -> None:
    """There is no decision then, so that nobody takes it for a yes."""
    largest = 1000 if "payload_json" in fields and len(fields["payload_json"]) == 2000 else 1 << 20
    reply = await FireService(engine(), largest=largest).fire(request(**fields))

    assert (reply.error_code, reply.decision_json) == (code, b"")
    assert reply.error


@on_loop
async def test_a_fault_of_ours_is_told_to_us() -> None:
    """And whoever asked is told that it is one."""
    told: list[str] = []
    broken = engine()
    broken.event = None  # type: ignore[assignment]  # the fault
    reply = await FireService(broken, tell=told.append).fire(request())

    assert reply.error_code == "HKL9001"
    assert told == ["HKL9001 internal error: TypeError: 'NoneType' object is not callable"]


@on_loop
async def test_a_session_that_ends_takes_its_invocations_along() -> None:
    """The engine tells the bridge."""
    end, _ = await attached(Bridge(made := Engine()))
    firing = FireService(made)
    asked = asyncio.get_running_loop().create_task(firing.fire(request()))
    await end.next("invoke")
    await firing.fire(request(2, event="session_end"))

    assert (await end.next("cancel")).why == "its session has ended"
    assert "its session has ended" in json.loads((await asked).decision_json)["reason"]


@on_loop
async def test_a_budget_is_for_all_hooks() -> None:
    """The smaller one of the request's and the server's counts."""
    end, _ = await attached(Bridge(made := Engine()), hook(timeout_ms=60_000))
    reply = await FireService(made).fire(request(budget_ms=20))
    await end.next("invoke")

    assert "timed out" in json.loads(reply.decision_json)["reason"]


@on_loop
async def test_a_plain_hook_does_not_hold_up_the_bridge() -> None:
    """It is called elsewhere, however long it takes."""
    made = Engine()
    inside, going = threading.Event(), threading.Event()

    @made.on("tool.before")
    def slow(_: Any) -> None:
        inside.set()
        going.wait(PATIENCE)

    asked = asyncio.get_running_loop().create_task(FireService(made).fire(request()))
    await until(inside.is_set)
    going.set()

    assert (await asked).error_code == ""


class BreakOffError(BaseException):
    """What is no Exception."""


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "beside another"])
@pytest.mark.parametrize(
    "error",
    [BreakOffError, KeyboardInterrupt, asyncio.CancelledError, GeneratorExit],
    ids=lambda each: each.__name__,
)
@on_loop
async def test_a_hook_that_breaks_off_leaves_nobody_waiting(
    error: type[BaseException], alone: bool
) -> None:
    """Whoever asks gets an answer each time, and nothing that was decided is one of them."""
    made, calls = Engine(), []

    @made.on("tool.before")
    def breaks(_: Any) -> None:
        calls.append(error)
        if len(calls) == 1:
            raise error("off")

    if not alone:
        made.on("tool.before")(lambda _: None)
    firing = FireService(made)
    first, second = await firing.fire(request()), await firing.fire(request(2))

    decided = first.decision_json and json.loads(first.decision_json)["verdicts"][0]["fault"]
    assert first.error_code == "HKL2001" or "raised" in decided
    assert (second.error_code, len(calls)) == ("", 2)


@on_loop
async def test_a_plain_hook_that_does_not_return_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It holds up its loop, and not whoever asked: he is told that nothing was decided."""
    monkeypatch.setattr("hookline.remote.fire_service._MORE", 0.0)
    made, going, ended = Engine(), threading.Event(), threading.Event()

    @made.on("tool.before")
    def stuck(_: Any) -> None:
        going.wait(PATIENCE)
        ended.set()

    reply = await FireService(made).fire(request(budget_ms=20))
    going.set()

    assert (reply.error_code, reply.decision_json) == ("HKL5007", b"")
    assert "did not return within 0.02 s" in reply.error
    await until(ended.is_set)


@on_loop
async def test_too_much_at_once_is_refused() -> None:
    """A single call is told so, when no turn came in time.

    And that is counted, as every other request without a decision.
    """
    end, _ = await attached(Bridge(made := Engine()))
    refused: list[str] = []
    firing = FireService(made, turns=Admission(1, patience=0.0), refused=refused.append)
    first = asyncio.get_running_loop().create_task(firing.fire(request()))
    invoke = await end.next("invoke")

    assert (await firing.fire(request(2))).error_code == "HKL5007"
    with pytest.raises(HookError, match="are running"):
        await firing.answer(pb.AnswerRequest(dialect="claude-code", payload_json=TOOL))
    assert (await firing.fire(request(3, event="nowhere"))).error_code == "HKL4002"
    assert refused == ["HKL5007", "HKL5007", "HKL4002"]
    end.answer(invoke)
    assert (await first).error_code == ""


@on_loop
async def test_one_more_waits_for_its_turn() -> None:
    """Whichever way it comes, and also while the engine is being closed.

    Whoever goes away leaves the line, and is counted.
    """
    end, _ = await attached(Bridge(made := Engine()))
    refused: list[str] = []
    turns = Admission(1, patience=PATIENCE)
    firing, loop = (
        FireService(made, turns=turns, refused=refused.append),
        asyncio.get_running_loop(),
    )
    first = loop.create_task(firing.fire(request()))
    invoke = await end.next("invoke")
    gone, second = (
        loop.create_task(firing.fire(request(2))),
        loop.create_task(firing.fire(request(3))),
    )
    third = loop.create_task(
        firing.answer(pb.AnswerRequest(dialect="claude-code", payload_json=TOOL))
    )
    await until(lambda: turns.waiting == 3)
    gone.cancel()
    await until(lambda: turns.waiting == 2)
    closing = loop.create_task(firing.close(PATIENCE))
    await settled()
    for task in (first, second, third):
        assert not task.done()
        end.answer(invoke, pb.BLOCK, reason="no")
        await asyncio.wait([task], timeout=PATIENCE)
        invoke = await end.next("invoke") if task is not third else invoke
    await closing

    assert [json.loads(done.result().decision_json)["reason"] for done in (first, second)] == [
        "no",
        "no",
    ]
    assert "no" in third.result().stdout + third.result().stderr
    assert (refused, turns.running, turns.waiting) == (["HKL5009"], 0, 0)


@on_loop
async def test_a_reply_tells_beside_it_what_it_has_no_room_for() -> None:
    """As over HTTP: what a guard said is not lost where a host has no word for it."""
    made = Engine()
    payload = json.dumps({"hook_event_name": "SessionEnd", "session_id": "s", "cwd": "/"}).encode()
    made.on("session.end")(lambda _: deny("never"))
    told = await FireService(made).answer(
        pb.AnswerRequest(dialect="claude-code", payload_json=payload)
    )

    assert (told.stdout, told.exit_code) == ("", 0)
    assert "answered `deny`" in told.stderr


@on_loop
async def test_an_event_that_the_host_does_not_have_is_told() -> None:
    """Nothing is refused, and nobody takes it for guarded."""
    payload = json.dumps({"hook_event_name": "PreToolUze", "session_id": "s", "cwd": "/"}).encode()
    told = await FireService(Engine()).answer(
        pb.AnswerRequest(dialect="claude-code", payload_json=payload)
    )

    assert "unknown event `PreToolUze`" in json.loads(told.stdout)["systemMessage"]
    assert told.exit_code == 0


@on_loop
async def test_a_fault_of_ours_in_a_reply_is_told_to_us() -> None:
    """As of events; whoever asked is told no more than that."""
    told: list[str] = []
    made = Engine(observe=lambda *_: 1 / 0)
    with pytest.raises(HookError, match="a fault of hookline") as caught:
        await FireService(made, tell=told.append).answer(
            pb.AnswerRequest(dialect="claude-code", payload_json=TOOL)
        )

    assert caught.value.code == "HKL9001"
    assert told == ["HKL9001 internal error: ZeroDivisionError: division by zero"]


# -- streams ---------------------------------------------------------------------------------------


async def many(
    *requests: pb.FireRequest, then: Exception | None = None
) -> AsyncIterator[pb.FireRequest]:
    for each in requests:
        yield each
    if then is not None:
        raise then


@on_loop
async def test_replies_come_as_they_are_done() -> None:
    """Each with the id of its request."""
    end, _ = await attached(Bridge(made := Engine()))
    outbox: Outbox[pb.FireReply] = Outbox(1 << 20)
    streaming = asyncio.get_running_loop().create_task(
        FireService(made).stream(many(request(1), request(2)), outbox)
    )
    first, second = await end.next("invoke"), await end.next("invoke")
    end.answer(second, pb.BLOCK, reason="second")
    await settled()
    end.answer(first, pb.BLOCK, reason="first")
    await streaming
    outbox.close()

    assert [
        (reply.request_id, json.loads(reply.decision_json)["reason"]) async for reply in outbox
    ] == [("2", "second"), ("1", "first")]


@on_loop
async def test_a_stream_is_read_no_faster_than_it_is_answered() -> None:
    """What is not read yet waits with whoever sends it."""
    end, _ = await attached(Bridge(made := Engine()))
    read: list[str] = []

    async def requests() -> AsyncIterator[pb.FireRequest]:
        for number in range(5):
            read.append(f"{number}")
            yield request(number)

    outbox: Outbox[pb.FireReply] = Outbox(1 << 20)
    streaming = asyncio.get_running_loop().create_task(
        FireService(made, turns=Admission(2)).stream(requests(), outbox)
    )
    invokes = [await end.next("invoke"), await end.next("invoke")]
    await settled()
    assert read == ["0", "1", "2"]
    for _ in range(5):
        end.answer(invokes.pop(0))
        await settled()
        invokes += (
            [await end.next("invoke")]
            if len(read) <= 5 and len(invokes) < 2 and end.outbox._frames
            else []
        )
    for invoke in invokes:
        end.answer(invoke)
    await streaming


@on_loop
async def test_an_id_that_is_under_way_is_refused() -> None:
    """Two answers with one id would be nobody's."""
    end, _ = await attached(Bridge(made := Engine()))
    outbox: Outbox[pb.FireReply] = Outbox(1 << 20)
    streaming = asyncio.get_running_loop().create_task(
        FireService(made).stream(many(request(1), request(1)), outbox)
    )
    end.answer(await end.next("invoke"))
    await streaming
    outbox.close()

    assert [reply.error_code async for reply in outbox] == ["HKL5104", ""]


@on_loop
async def test_whoever_breaks_off_cancels_what_he_asked() -> None:
    """Its handlers are told."""
    end, _ = await attached(Bridge(made := Engine()))
    gone = asyncio.Event()

    async def requests() -> AsyncIterator[pb.FireRequest]:
        yield request()
        await gone.wait()
        raise LinkError("gone")

    streaming = asyncio.get_running_loop().create_task(
        FireService(made).stream(requests(), Outbox(1 << 20))
    )
    await end.next("invoke")
    gone.set()
    await streaming

    assert (await end.next("cancel")).invocation_id
