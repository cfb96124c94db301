"""Workers: time limits of plain functions, and a bound on those that are stuck."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from hookline.handlers.table import OverdueError
from hookline.handlers.workers import Workers
from hookline.model.verdict import RemoteHandlerError


def test_a_function_returns_and_raises_as_if_called() -> None:
    """Its answer and its exception are the caller's, on both paths."""
    workers = Workers()

    assert workers.call(str, 5, 1) == "5"
    assert asyncio.run(workers.call_async(str, 5, 1)) == "5"
    with pytest.raises(ValueError, match="invalid literal"):
        workers.call(int, "x", 1)
    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(workers.call_async(int, "x", 1))


@pytest.mark.parametrize("loop", [True, False])
def test_what_overruns_is_given_up_and_counted(*, loop: bool) -> None:
    """Beyond the bound calls are refused; a function that ends after all makes room again."""
    workers = Workers(most=1)
    released, ended = threading.Event(), threading.Event()

    def stuck(_: object) -> None:
        released.wait(5)
        ended.set()

    with pytest.raises(OverdueError):
        asyncio.run(workers.call_async(stuck, None, 0.01)) if loop else workers.call(
            stuck, None, 0.01
        )
    assert workers.count_stuck() == 1
    with pytest.raises(RemoteHandlerError, match="1 handlers overran"):
        workers.call(str, 5, 1)
    assert Workers().call(str, 5, 1) == "5"  # another owner is not concerned

    released.set()
    ended.wait(5)
    while workers.count_stuck():
        os.sched_yield()
    assert workers.call(str, 5, 1) == "5"


def held(begun: threading.Event, released: threading.Event) -> bool:
    """Say that it runs, and wait until it may end."""
    begun.set()
    return released.wait(5)


def test_a_loop_goes_on_while_a_function_runs() -> None:
    """What takes longer than a moment does not hold up the loop, which is woken at its end."""
    workers, begun, released = Workers(), threading.Event(), threading.Event()

    async def main() -> bool:
        waiting = asyncio.ensure_future(
            workers.call_async(lambda _: held(begun, released), None, 5)
        )
        assert await asyncio.to_thread(begun.wait, 5)
        released.set()
        return bool(await waiting)

    assert asyncio.run(main())


def test_a_cancelled_wait_gives_the_function_up() -> None:
    """The function goes on, and its result is dropped."""
    workers, begun, released = Workers(), threading.Event(), threading.Event()

    async def main() -> None:
        waiting = asyncio.ensure_future(
            workers.call_async(lambda _: held(begun, released), None, 5)
        )
        assert await asyncio.to_thread(begun.wait, 5)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert workers.count_stuck() == 1

    asyncio.run(main())
    released.set()
