"""Workers: time limits of plain functions, threads that are used again, and a bound on those that are stuck."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from hookline.handlers.exceptions import OverdueError, StuckError
from hookline.handlers.workers import WorkerBudget, Workers

BUDGET = WorkerBudget()


def test_a_function_returns_and_raises_as_if_called() -> None:
    """Its answer and its exception are the caller's, on both paths."""
    workers = Workers()

    assert workers.call(str, 5, 1, BUDGET) == "5"
    assert asyncio.run(workers.call_async(str, 5, 1, BUDGET)) == "5"
    with pytest.raises(ValueError, match="invalid literal"):
        workers.call(int, "x", 1, BUDGET)
    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(workers.call_async(int, "x", 1, BUDGET))


def test_a_thread_is_used_again() -> None:
    """Calls that follow each other share one thread."""
    workers = Workers()

    assert (
        len({workers.call(lambda _: threading.get_ident(), None, 1, BUDGET) for _ in range(20)})
        == 1
    )


@pytest.mark.parametrize("loop", [True, False])
def test_what_overruns_is_given_up_and_counted(*, loop: bool) -> None:
    """Beyond the bound calls are refused; a function that ends after all makes room again."""
    workers, budget = Workers(), WorkerBudget(most=1)
    released, ended = threading.Event(), threading.Event()

    def stuck(_: object) -> None:
        released.wait(5)
        ended.set()

    with pytest.raises(OverdueError):
        asyncio.run(workers.call_async(stuck, None, 0.01, budget)) if loop else workers.call(
            stuck, None, 0.01, budget
        )
    assert workers.stuck(budget) == 1
    with pytest.raises(StuckError, match="1 handlers overran"):
        workers.call(str, 5, 1, budget)
    assert workers.call(str, 5, 1, BUDGET) == "5"  # another budget is not concerned

    released.set()
    ended.wait(5)
    while workers.stuck(budget):
        os.sched_yield()
    assert workers.call(str, 5, 1, budget) == "5"


def test_a_loop_goes_on_while_a_function_runs() -> None:
    """What takes longer than a moment does not hold up the loop, which is woken at its end."""
    workers, released = Workers(), threading.Event()

    async def main() -> bool:
        waiting = asyncio.ensure_future(
            workers.call_async(lambda _: released.wait(5), None, 5, BUDGET)
        )
        await asyncio.sleep(0.01)
        released.set()
        return bool(await waiting)

    assert asyncio.run(main())


def test_a_cancelled_wait_gives_the_function_up() -> None:
    """The function goes on, and nobody waits for it."""
    workers, released = Workers(), threading.Event()

    async def main() -> None:
        waiting = asyncio.ensure_future(
            workers.call_async(lambda _: released.wait(5), None, 5, BUDGET)
        )
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert workers.stuck(BUDGET) == 1

    asyncio.run(main())
    released.set()


def test_a_forked_child_starts_afresh() -> None:
    """Threads do not survive a fork, so those of the parent are forgotten."""
    workers = Workers()
    workers.call(str, 5, 1, BUDGET)

    workers._forget()

    assert workers.call(str, 5, 1, BUDGET) == "5"
