"""An engine that is asked from elsewhere answers every request, and itself never breaks."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from hookline import Engine, deny
from hookline.remote.admission import Admission
from hookline.remote.bridge import Bridge
from hookline.remote.engine_server import FireService
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import CALL, PATIENCE, attached, hook, on_loop, settled, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import grpc


TOOL = json.dumps(
    {
        "hook_event_name": "PreToolUse",
        "cwd": "/",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
).encode()


class AbortError(Exception):
    """A call has ended with a status."""


class Context:
    """What gRPC knows of a call."""

    def __init__(self) -> None:
        self.replies: list[pb.FireReply] = []
        self.admitted: Any = None

    async def abort(self, status: grpc.StatusCode, details: str) -> None:
        raise AbortError(status.name, details)

    async def send_initial_metadata(self, metadata: Any) -> None:
        self.admitted = metadata

    async def write(self, reply: pb.FireReply) -> None:
        self.replies.append(reply)


def engine() -> Engine:
    made = Engine()
    made.on("tool.before", command="rm")(lambda _: deny("no"))
    return made


def answer_request(payload: bytes = TOOL) -> pb.AnswerRequest:
    return pb.AnswerRequest(dialect="claude-code", payload_json=payload)


def request(number: int = 1, **fields: Any) -> pb.FireRequest:
    base = {"event": "pre_tool_use", "dialect": "a3s", "payload_json": json.dumps(CALL).encode()}
    return pb.FireRequest(**{"request_id": f"{number}", **base, **fields})


@on_loop
async def test_an_event_is_answered_with_its_decision() -> None:
    """The document is the one that `fire` prints."""
    reply = await FireService(engine=engine()).Fire(request())

    assert (reply.request_id, reply.error_code) == ("1", "")
    assert json.loads(reply.decision_json)["reason"] == "no"


WRONG = [
    ("no JSON", {"payload_json": b"{"}, "HKL4001"),
    ("no object", {"payload_json": b"[]", "dialect": "claude-code"}, "HKL4001"),
    ("nested without an end", {"payload_json": b"[" * 200_000}, "HKL4001"),
    ("an unknown event", {"event": "tool_error"}, "HKL4002"),
    ("an unknown dialect", {"dialect": "klingon"}, "HKL1006"),
]


@pytest.mark.parametrize(
    ("fields", "code"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
@on_loop
async def test_what_is_wrong_is_said_with_its_code(fields, code) -> None:
    """The reply has no decision, so no client takes it for a yes."""
    reply = await FireService(engine=engine()).Fire(request(**fields))

    assert (reply.error_code, reply.decision_json) == (code, b"")
    assert reply.error


@on_loop
async def test_a_fault_of_ours_is_told_to_us() -> None:
    """The client is told, too, that it is a fault of hookline."""
    told: list[str] = []
    broken = engine()
    broken.event = None  # type: ignore[assignment]  # the fault
    reply = await FireService(engine=broken, tell=told.append).Fire(request())

    assert reply.error_code == "HKL9001"
    assert told == ["HKL9001 internal error: TypeError: 'NoneType' object is not callable"]


@on_loop
async def test_a_budget_is_for_all_hooks() -> None:
    """The smaller of the request's and the server's budget counts."""
    end = await attached(Bridge(made := Engine()), hook(timeout_ms=60_000))
    reply = await FireService(engine=made).Fire(request(budget_ms=20))
    await end.next("invoke")

    assert "timed out" in json.loads(reply.decision_json)["reason"]


@on_loop
async def test_a_plain_hook_does_not_hold_up_the_bridge() -> None:
    """A plain hook runs on another thread, however long it takes."""
    made = Engine()
    inside, going = threading.Event(), threading.Event()

    @made.on("tool.before")
    def slow(_: Any) -> None:
        inside.set()
        going.wait(PATIENCE)

    asked = asyncio.get_running_loop().create_task(FireService(engine=made).Fire(request()))
    await until(inside.is_set)
    going.set()

    assert (await asked).error_code == ""


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
@on_loop
async def test_a_hook_that_breaks_off_leaves_no_client_waiting(error: type[BaseException]) -> None:
    """The client gets an answer each time, and the aborted run is never a plain decision."""
    made, calls = Engine(), []

    @made.on("tool.before")
    def breaks(_: Any) -> None:
        calls.append(error)
        if len(calls) == 1:
            raise error("off")

    firing = FireService(engine=made)
    first, second = await firing.Fire(request()), await firing.Fire(request(2))

    decided = first.decision_json and json.loads(first.decision_json)["verdicts"][0]["fault"]
    assert first.error_code == "HKL9001" or "raised" in decided
    assert (second.error_code, len(calls)) == ("", 2)


@on_loop
async def test_too_much_at_once_is_refused() -> None:
    """A single call is told so, when no turn came in time.

    And that is counted, as every other request without a decision.
    """
    end = await attached(Bridge(made := Engine()))
    refused: list[str] = []
    firing = FireService(engine=made, turns=Admission(1, patience=0.0), refused=refused.append)
    first = asyncio.get_running_loop().create_task(firing.Fire(request()))
    invoke = await end.next("invoke")

    assert (await firing.Fire(request(2))).error_code == "HKL5007"
    with pytest.raises(AbortError, match=r"RESOURCE_EXHAUSTED.*HKL5007: .*are running"):
        await firing.Answer(answer_request(), Context())
    assert (await firing.Fire(request(3, event="nowhere"))).error_code == "HKL4002"
    assert refused == ["HKL5007", "HKL5007", "HKL4002"]
    end.answer(invoke)
    assert (await first).error_code == ""


@on_loop
async def test_one_more_waits_for_its_turn() -> None:
    """Whichever way it comes, and also while the engine is being closed.

    A client that goes away leaves the line, and is counted.
    """
    end = await attached(Bridge(made := Engine()))
    refused: list[str] = []
    turns = Admission(1, patience=PATIENCE)
    firing, loop = (
        FireService(engine=made, turns=turns, refused=refused.append),
        asyncio.get_running_loop(),
    )
    first = loop.create_task(firing.Fire(request()))
    invoke = await end.next("invoke")
    gone, second = (
        loop.create_task(firing.Fire(request(2))),
        loop.create_task(firing.Fire(request(3))),
    )
    third = loop.create_task(firing.Answer(answer_request(), Context()))
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
    """As over HTTP, the reply keeps what the host's format cannot express."""
    made = Engine()
    payload = json.dumps({"hook_event_name": "SessionEnd", "session_id": "s", "cwd": "/"}).encode()
    made.on("session.end")(lambda _: deny("never"))
    told = await FireService(engine=made).Answer(answer_request(payload), Context())

    assert (told.stdout, told.exit_code) == ("", 0)
    assert "answered `deny`" in told.stderr


@on_loop
async def test_an_event_that_the_host_does_not_have_is_told() -> None:
    """Nothing is refused, and the reply shows that no guard ran."""
    payload = json.dumps({"hook_event_name": "PreToolUze", "session_id": "s", "cwd": "/"}).encode()
    told = await FireService(engine=Engine()).Answer(answer_request(payload), Context())

    assert "unknown event `PreToolUze`" in json.loads(told.stdout)["systemMessage"]
    assert told.exit_code == 0


@on_loop
async def test_a_fault_of_ours_in_a_reply_is_told_to_us() -> None:
    """As for events. The client learns no more than that."""
    told: list[str] = []
    made = Engine(observe=lambda *_: 1 / 0)
    with pytest.raises(AbortError, match=r"INTERNAL.*HKL9001: .*a fault of hookline"):
        await FireService(engine=made, tell=told.append).Answer(answer_request(), Context())
    assert told == ["HKL9001 internal error: ZeroDivisionError: division by zero"]


# -- streams ---------------------------------------------------------------------------------------


async def many(*requests: pb.FireRequest) -> AsyncIterator[pb.FireRequest]:
    for each in requests:
        yield each


@on_loop
async def test_replies_come_as_they_are_done() -> None:
    """Each with the id of its request, also after the client sent its last one."""
    end = await attached(Bridge(made := Engine()))
    context = Context()
    streaming = asyncio.ensure_future(
        FireService(engine=made).FireStream(many(request(1), request(2)), context)
    )
    first, second = await end.next("invoke"), await end.next("invoke")
    end.answer(second, pb.BLOCK, reason="second")
    await until(lambda: context.replies)
    end.answer(first, pb.BLOCK, reason="first")
    await streaming

    reasons = [json.loads(reply.decision_json)["reason"] for reply in context.replies]
    assert [reply.request_id for reply in context.replies] == ["2", "1"]
    assert reasons == ["second", "first"]
    assert context.admitted


@on_loop
async def test_a_stream_is_read_no_faster_than_it_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Requests that are not read yet wait with their sender."""
    monkeypatch.setattr("hookline.remote.engine_server._AT_ONCE", 2)
    end = await attached(Bridge(made := Engine()))
    read: list[int] = []

    async def requests() -> AsyncIterator[pb.FireRequest]:
        for number in range(5):
            read.append(number)
            yield request(number)

    context = Context()
    streaming = asyncio.ensure_future(FireService(engine=made).FireStream(requests(), context))
    for answered in range(5):
        invoke = await end.next("invoke")
        await settled()
        assert len(read) == min(answered + 3, 5)
        end.answer(invoke)
    await streaming
    assert len(context.replies) == 5


@on_loop
async def test_a_client_that_breaks_off_cancels_its_requests() -> None:
    """Its handlers are told, and it is counted."""
    end = await attached(Bridge(made := Engine()))
    refused: list[str] = []
    firing = FireService(engine=made, refused=refused.append)
    streaming = asyncio.ensure_future(firing.FireStream(many(request()), Context()))
    await end.next("invoke")
    streaming.cancel()

    assert (await end.next("cancel")).invocation_id
    await asyncio.gather(streaming, return_exceptions=True)
    assert refused == ["HKL5009"]
