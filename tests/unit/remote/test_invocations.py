"""Each invocation is run once, however often it is asked for, and ended when its caller no longer waits."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from hookline.a3s import Hook, HookResponse
from hookline.a3s.definitions import read_definition
from hookline.a3s.handlers import make_in_process
from hookline.dialects.a3s import A3S
from hookline.handlers.table import call_async
from hookline.handlers.workers import Workers
from hookline.remote.invocations import Invocations
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import CALL, on_loop, settled, until

EVENT = json.dumps({"event_type": "pre_tool_use", "payload": CALL}).encode()


def invoke(number: int = 1, **fields: Any) -> pb.Invoke:
    base = {
        "hook_id": "h",
        "event_type": "pre_tool_use",
        "event_json": EVENT,
        "budget_ms": 20_000,
        "attempt": 1,
        "reply_expected": True,
    }
    return pb.Invoke(**{"invocation_id": f"{number}", **base, **fields})


class Stand:
    """One hook, and what was said about it."""

    def __init__(self, handler: Any, *, most: int = 4) -> None:
        spec = read_definition(Hook.new("h", "pre_tool_use"), A3S()).spec
        armed = spec.replace(handler=make_in_process(handler, "h", "pre_tool_use", Workers()))
        self.said: list[pb.Result] = []
        self.answering = Invocations(
            lambda asked: armed if asked.hook_id == "h" else None,
            call_async,
            self.post,
            most=most,
        )

    def post(self, result: pb.Result) -> None:
        self.said.append(result)

    async def idle(self) -> None:
        await until(lambda: not self.answering._running)


@on_loop
async def test_a_duplicate_is_answered_from_memory() -> None:
    """The handler is called once; the answer is sent as often as it is asked for."""
    calls = []

    async def handler(event: Any) -> HookResponse:
        calls.append(event.payload.args)
        return HookResponse.block(f"call {len(calls)}")

    stand = Stand(handler)
    stand.answering.invoke(invoke())
    await stand.idle()
    stand.answering.invoke(invoke(attempt=2))

    assert calls == [CALL["args"]]
    assert [result.reason for result in stand.said] == ["call 1", "call 1"]


@on_loop
async def test_a_duplicate_of_what_runs_waits_for_it() -> None:
    """And there is one answer, by whichever stream there is then."""
    going = asyncio.Event()
    calls = []

    async def handler(_: Any) -> None:
        calls.append(1)
        await going.wait()

    stand = Stand(handler)
    stand.answering.invoke(invoke())
    await settled()
    first, stand.said = stand.said, []
    stand.answering.invoke(invoke(attempt=2))
    going.set()
    await stand.idle()

    assert (first, calls, [result.action for result in stand.said]) == ([], [1], [pb.CONTINUE])


@on_loop
async def test_an_answer_without_a_stream_is_kept() -> None:
    """The engine asks for it again when there is one."""
    stand = Stand(lambda _: HookResponse.block("kept"))
    stand.answering.post = lambda _: False
    stand.answering.invoke(invoke())
    await stand.idle()
    stand.answering.post = stand.said.append
    stand.answering.invoke(invoke(attempt=2))

    assert [result.reason for result in stand.said] == ["kept"]


@on_loop
async def test_a_handler_sees_that_it_is_cancelled() -> None:
    """It may clean up; nobody is answered."""
    seen = []
    started = asyncio.Event()

    async def handler(_: Any) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    stand = Stand(handler)
    stand.answering.invoke(invoke())
    await started.wait()
    stand.answering.cancel("1")
    stand.answering.cancel("unknown")
    await stand.idle()

    assert (seen, stand.said) == (["cancelled"], [])


@on_loop
async def test_the_budget_ends_a_handler() -> None:
    """The engine has stopped waiting by then, so there is nothing to say."""
    stand = Stand(lambda _: asyncio.Event().wait())
    stand.answering.invoke(invoke(budget_ms=5))
    await stand.idle()

    assert stand.said == []


@on_loop
async def test_what_cannot_be_run_is_a_failure() -> None:
    """A hook that is not there, an event that is none, and too much at once."""
    stand = Stand(lambda _: asyncio.Event().wait(), most=1)
    stand.answering.invoke(invoke(1, hook_id="other"))
    stand.answering.invoke(invoke(2, event_json=b"{"))
    stand.answering.invoke(invoke(3, event_json=b"[]"))
    stand.answering.invoke(invoke(4))
    stand.answering.invoke(invoke(5))
    stand.answering.cancel_all()
    await stand.idle()

    assert [(result.invocation_id, result.action) for result in stand.said] == [
        (f"{n}", 0) for n in (1, 2, 3, 5)
    ]
    assert stand.said[0].failure == "there is no hook `other` here"
    assert "cannot be read" in stand.said[1].failure
    assert "under way already" in stand.said[3].failure


@on_loop
async def test_an_observer_says_nothing() -> None:
    """No reply is expected, whatever becomes of it."""
    stand = Stand(lambda _: HookResponse.block("unasked"))
    stand.answering.invoke(invoke(reply_expected=False))
    stand.answering.invoke(invoke(2, hook_id="other", reply_expected=False))
    await stand.idle()

    assert stand.said == []


@on_loop
async def test_memory_has_an_end() -> None:
    """What was answered long ago is asked for by nobody."""
    stand = Stand(lambda _: HookResponse.block("x" * 100_000), most=1000)
    for number in range(600):
        stand.answering.invoke(invoke(number))
        await stand.idle()

    assert stand.answering._bytes <= 8 << 20
    assert len(stand.answering._recent) < 100


class BreakOffError(BaseException):
    """What is no Exception."""


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "asynchronous"])
@pytest.mark.parametrize(
    "error",
    [BreakOffError, KeyboardInterrupt, SystemExit, asyncio.CancelledError],
    ids=lambda each: each.__name__,
)
@on_loop
async def test_a_handler_that_breaks_off_has_failed(
    error: type[BaseException], plain: bool
) -> None:
    """And nothing else has: the next one is answered."""

    def breaks(_: Any) -> HookResponse:
        if len(stand.said) == 0:
            raise error("off")
        return HookResponse.block("no")

    async def breaks_later(event: Any) -> HookResponse:
        await asyncio.sleep(0)
        return breaks(event)

    stand = Stand(breaks if plain else breaks_later)
    for number in (1, 2):
        stand.answering.invoke(invoke(number))
        await stand.idle()

    assert error.__name__ in stand.said[0].failure
    assert stand.said[1].reason == "no"
