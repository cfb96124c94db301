"""Running: time limits, failures, retries and async hooks of a3s, with and without a loop."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import pytest

from hookline.a3s import (
    Hook,
    HookEngine,
    HookEvent,
    HookResponse,
    PostToolUseEvent,
    PreToolUseEvent,
    SessionEndEvent,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from hookline.a3s import HookResult

CALL = PreToolUseEvent(
    session_id="s", tool="Bash", args={"command": "ls"}, working_directory="/srv", recent_tools=[]
)
DONE = PostToolUseEvent(
    session_id="s", tool="Bash", args={}, result={"success": True, "output": "", "duration_ms": 1}
)
END = SessionEndEvent(session_id="s")


def on_loop(engine: HookEngine, event: Any) -> HookResult:
    """Fire on an event loop."""
    return asyncio.run(engine.fire(event))


def directly(engine: HookEngine, event: Any) -> HookResult:
    """Fire without one."""
    return engine.fire_sync(event)


both = pytest.mark.parametrize("fire", [on_loop, directly])


def engine_with(event_type: str, *handlers: Any, **config: Any) -> HookEngine:
    """An engine with these handlers, in order, as hooks `a`, `b` ... of one event."""
    engine = HookEngine.new()
    for name, handler in zip("abc", handlers, strict=False):
        engine.register(Hook.new(name, event_type).with_config(config), handler)
    return engine


@contextmanager
def stuck_handler() -> Iterator[Callable[[HookEvent], None]]:
    """A plain handler that does not end before the test does."""
    released = threading.Event()
    try:
        yield lambda _: (released.wait(10), None)[1]
    finally:
        released.set()


async def never(event: HookEvent) -> None:
    """A coroutine handler that does not end."""
    await asyncio.get_running_loop().create_future()


@both
@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_an_overrun_blocks_a_gate(fire: Callable[..., HookResult], kind: str) -> None:
    """The reason names the hook and says so; later hooks are not asked."""
    asked: list[HookEvent] = []
    with stuck_handler() as stuck:
        result = fire(
            engine_with(
                "pre_tool_use", stuck if kind == "plain" else never, asked.append, timeout_ms=20
            ),
            CALL,
        )

    assert result.is_block()
    assert result.reason == "Required hook 'a' failed: timed out after 0.02 s"
    assert (result.faults, asked) == ((("a", "timed out after 0.02 s"),), [])


def blocking(seconds: float, suspends: int, answer: HookResponse) -> Callable[..., Any]:
    """A coroutine handler that holds the event loop for so long, after some pauses."""

    async def handle(_: HookEvent) -> HookResponse:
        for _ in range(suspends):
            await asyncio.sleep(0)
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            pass
        return answer

    return handle


@both
@pytest.mark.parametrize("suspends", [0, 2])
def test_a_late_answer_of_a_coroutine_does_not_count(
    fire: Callable[..., HookResult], suspends: int
) -> None:
    """No timer ends a coroutine that blocks the loop, so a3s reads the clock after it."""
    late = blocking(0.03, suspends, HookResponse.continue_with({"late": True}))

    gate = fire(engine_with("pre_tool_use", late, timeout_ms=20), CALL)
    observer = fire(
        engine_with("session_end", late, lambda _: HookResponse.continue_(), timeout_ms=20), END
    )

    assert gate.reason == "Required hook 'a' failed: timed out after 0.02 s"
    assert (observer.action, observer.modified) == ("Continue", None)
    assert observer.faults == (("a", "timed out after 0.02 s"),)


@both
def test_overdue_handlers_of_one_engine_do_not_stop_another(
    fire: Callable[..., HookResult],
) -> None:
    """The bound on worker threads that overran is one of the engine, not of the process."""
    with stuck_handler() as stuck:
        full = engine_with("pre_tool_use", stuck, timeout_ms=1)
        while "overran" not in str(fire(full, CALL).reason):
            pass

        assert fire(engine_with("pre_tool_use", lambda _: None), CALL).is_continue()


@both
def test_an_overrun_of_an_observer_is_abandoned(fire: Callable[..., HookResult]) -> None:
    """The chain goes on, and the late answer is ignored."""
    with stuck_handler() as stuck:
        result = fire(
            engine_with(
                "session_end", stuck, lambda _: HookResponse.continue_with({"x": 1}), timeout_ms=20
            ),
            END,
        )

    assert (result.action, result.modified) == ("Continue", {"x": 1})
    assert [hook for hook, _ in result.faults] == ["a"]


@both
def test_an_exception_blocks_a_gate_and_not_an_observer(fire: Callable[..., HookResult]) -> None:
    """The reason says what went wrong; on an observer it is reported."""

    def broken(event: HookEvent) -> None:
        raise ValueError("boom")

    blocked = fire(engine_with("pre_tool_use", broken), CALL)
    reported = fire(engine_with("session_end", broken, lambda _: None), END)

    assert blocked.reason == "Required hook 'a' failed: raised an exception: ValueError: boom"
    assert (reported.action, reported.faults) == (
        "Continue",
        (("a", "raised an exception: ValueError: boom"),),
    )


@both
def test_unusable_answers_are_failures(fire: Callable[..., HookResult]) -> None:
    """On a gate such an answer blocks."""
    for answer in (
        {"action": "allow"},
        {},
        "Block",
        1,
        {"action": "Continue", "modified": {1, 2}},
    ):
        assert fire(
            engine_with("pre_tool_use", lambda _, answer=answer: answer), CALL
        ).is_block(), answer


@both
@pytest.mark.parametrize(
    "kind", ["method", "coroutine method", "callable", "coroutine", "maker of coroutines"]
)
def test_handlers_of_every_form(fire: Callable[..., HookResult], kind: str) -> None:
    """Objects with `handle`, callables and coroutine functions are all asked, plain or not."""
    answer = HookResponse.block(kind)

    class Plain:
        def handle(self, _: HookEvent) -> HookResponse:
            return answer

    class Coroutine:
        async def handle(self, _: HookEvent) -> HookResponse:
            return answer

    class Called:
        async def __call__(self, _: HookEvent) -> HookResponse:
            await asyncio.sleep(0)
            return answer

    async def function(event: HookEvent) -> HookResponse:
        return answer

    def making(event: HookEvent) -> Awaitable[HookResponse]:
        return function(event)

    forms = {
        "method": Plain(),
        "coroutine method": Coroutine(),
        "callable": Called(),
        "coroutine": function,
        "maker of coroutines": making,
    }

    assert fire(engine_with("pre_tool_use", forms[kind]), CALL).reason == kind


@both
def test_a_handler_that_fires_its_own_event_is_cut(fire: Callable[..., HookResult]) -> None:
    """A gate that fires the event it is asked about is refused there, also from its worker."""
    inner: list[HookResult] = []
    engine = HookEngine.new()
    engine.register(Hook.new("a", "pre_tool_use"), lambda _: inner.append(engine.fire_sync(CALL)))

    assert fire(engine, CALL).is_continue()
    assert [result.action for result in inner] == ["Block"]


def test_a_plain_handler_sees_the_context_of_the_caller() -> None:
    """A worker runs in a copy of the caller's context."""
    name: ContextVar[str] = ContextVar("name")
    name.set("mine")

    assert (
        engine_with("pre_tool_use", lambda _: HookResponse.block(name.get())).fire_sync(CALL).reason
        == "mine"
    )


# -- retries ---------------------------------------------------------------------------------------


def waits_of(engine: HookEngine, event: Any) -> tuple[HookResult, list[float]]:
    """The result of a fire with retries, and how long each wait was."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    return asyncio.run(engine.fire_with_retries(event, sleep=sleep)), waits


@pytest.mark.parametrize(("allowed", "times"), [(0, 3), (1, 1), (5, 5)])
def test_retries_are_bounded(allowed: int, times: int) -> None:
    """A hook that always says Retry is followed `max_retries` times, 3 by default.

    Then its name is in a Block.
    """
    engine = engine_with("pre_tool_use", lambda _: HookResponse.retry(250), max_retries=allowed)

    result, waits = waits_of(engine, CALL)

    assert waits == [0.25] * times
    assert result.is_block()
    assert "`a`" in str(result.reason)


def test_a_retry_ends_with_the_first_other_answer() -> None:
    """The last answer of the hooks is the result."""
    answers = iter(
        [HookResponse.retry_with_reason(0, "busy"), HookResponse.retry(), HookResponse.block("no")]
    )

    result, waits = waits_of(
        engine_with("generate_start", lambda _: next(answers)),
        HookEvent("generate_start"),
    )

    assert (result.action, result.reason, waits) == ("Block", "no", [0.0, 1.0])


def test_a_retry_is_really_waited_for() -> None:
    """By the system's clock, unless the caller passes another."""
    answers = iter([HookResponse.retry(20), HookResponse.retry(20), HookResponse.continue_()])
    engine = engine_with("pre_tool_use", lambda _: next(answers))
    began = time.monotonic()

    result = asyncio.run(engine.fire_with_retries(CALL))

    assert result.is_continue()
    assert time.monotonic() - began >= 0.04


def test_nothing_is_waited_for_without_a_retry() -> None:
    """A Continue is returned at once."""
    assert waits_of(engine_with("pre_tool_use", lambda _: None), CALL)[1] == []


# -- asynchronous hooks ----------------------------------------------------------------------------


def test_an_asynchronous_hook_is_contained() -> None:
    """Its exception does not reach the fire; it is a problem once the hook has ended."""

    def broken(event: HookEvent) -> None:
        raise ValueError("boom")

    engine = engine_with("post_tool_use", broken, async_execution=True)

    assert engine.fire_sync(DONE).is_continue()
    engine.close()
    assert [str(problem) for problem in engine.problems] == [
        "HKL2001 asynchronous hook `a` failed: raised an exception: ValueError: boom"
    ]


def test_an_asynchronous_coroutine_runs_on_the_loop_that_fires() -> None:
    """It gets the event as it was fired, whatever the host changes meanwhile."""
    seen: list[Any] = []

    async def main() -> asyncio.AbstractEventLoop:
        async def handle(event: HookEvent) -> None:
            await asyncio.sleep(0)
            seen.extend([asyncio.get_running_loop(), event.payload.args])

        event = PostToolUseEvent(tool="Bash", args={"a": 1}, result={"success": True})
        async with engine_with("post_tool_use", handle, async_execution=True) as engine:
            assert (await engine.fire(event)).is_continue()
            event["args"]["a"] = 2
        return asyncio.get_running_loop()

    assert asyncio.run(main()) is seen[0]
    assert seen[1] == {"a": 1}


def test_cancelling_a_fire_reaches_its_caller() -> None:
    """A fire that is cancelled while a worker is busy is cancelled."""

    async def main(stuck: Callable[[HookEvent], Awaitable[None] | None]) -> None:
        begun = threading.Event()

        def busy(event: HookEvent) -> object:
            begun.set()
            return stuck(event)

        task = asyncio.ensure_future(engine_with("pre_tool_use", busy).fire(CALL))
        assert await asyncio.to_thread(begun.wait, 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with stuck_handler() as stuck:
        asyncio.run(main(stuck))


def test_fires_at_once_do_not_hinder_each_other() -> None:
    """While one waits for a plain handler, the loop fires others."""
    released = threading.Event()

    def slow(event: HookEvent) -> None:
        if event.payload.tool == "slow":
            released.wait(5)
        else:
            released.set()

    async def main() -> list[HookResult]:
        engine = engine_with("pre_tool_use", slow)
        return list(
            await asyncio.gather(
                *(
                    engine.fire(PreToolUseEvent(session_id=tool, tool=tool, args={}))
                    for tool in ("slow", "fast")
                )
            )
        )

    assert [result.action for result in asyncio.run(main())] == ["Continue", "Continue"]
