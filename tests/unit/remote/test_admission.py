"""Further events wait for their turn: in order, not for ever, and not too many of them."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest

from hookline.errors import HookError
from hookline.remote.admission import Admission

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 20.0  # seconds


async def until(holds: Callable[[], bool]) -> None:
    """Let other tasks run until `holds` returns true."""
    async with asyncio.timeout(PATIENCE):
        # What is waited for is the loop's own next turns; it has no event to tell of.
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0)


class Play:
    """Events that take turns; each goes on until it is let go."""

    def __init__(self, turns: Admission) -> None:
        self.turns = turns
        self.begun: list[int] = []
        self.refused: list[HookError] = []
        self.go = [asyncio.Event() for _ in range(8)]

    async def event(self, number: int) -> None:
        try:
            async with self.turns.admit():
                self.begun.append(number)
                await self.go[number].wait()
        except HookError as error:
            self.refused.append(error)


def test_events_come_in_their_order() -> None:
    """The next caller gets its turn when an earlier one is done."""

    async def play() -> None:
        played = Play(Admission(2))
        turns = played.turns

        def is_at(left: tuple[int, int, int]) -> bool:
            return (turns.running, turns.waiting, len(played.begun)) == left

        async with asyncio.TaskGroup() as group:
            for number in range(5):
                group.create_task(played.event(number))
            for number in range(5):
                left = (min(2, 5 - number), max(0, 3 - number), min(5, 2 + number))
                await until(partial(is_at, left))
                assert played.begun == list(range(left[2]))
                played.go[number].set()
        assert (played.turns.running, played.turns.waiting, played.refused) == (0, 0, [])

    asyncio.run(play())


@pytest.mark.parametrize("patience", [0.0, 0.01], ids=["at once", "in time"])
def test_a_caller_without_a_turn_is_told_to_retry(patience: float) -> None:
    """The caller whose turn it is goes on, and afterwards each caller gets a turn."""

    async def play() -> None:
        played = Play(Admission(1, patience=patience))
        async with asyncio.TaskGroup() as group:
            group.create_task(played.event(0))
            group.create_task(played.event(1))
            await until(lambda: bool(played.refused))
            played.go[0].set()
        played.go[2].set()
        await played.event(2)
        assert played.begun == [0, 2]
        error = played.refused[0]
        assert error.name == "serve.busy"

    asyncio.run(play())


def test_a_caller_that_leaves_the_queue_takes_no_turn() -> None:
    """A turn given in the same moment is not lost, either."""

    async def play() -> None:
        played = Play(Admission(1))
        async with asyncio.TaskGroup() as group:
            group.create_task(played.event(0))
            going = [group.create_task(played.event(number)) for number in (1, 2)]
            group.create_task(played.event(3))
            await until(lambda: played.turns.waiting == 3)
            going[0].cancel()
            played.go[0].set()
            await until(lambda: played.turns.running == 0 or played.begun[-1] != 0)
            going[1].cancel()
            await until(lambda: 3 in played.begun)
            played.go[3].set()
        assert played.begun[0] == 0
        assert 1 not in played.begun
        assert (played.turns.running, played.turns.waiting) == (0, 0)

    asyncio.run(play())


def test_two_loops_share_the_turns() -> None:
    """A caller on a second loop, in its own thread, waits for the turn of the first."""
    turns, ended = Admission(1), threading.Event()

    def elsewhere() -> None:
        async def ask() -> None:
            async with turns.admit():
                ended.set()

        asyncio.run(ask())

    async def play() -> None:
        async with turns.admit():
            thread.start()
            await until(lambda: turns.waiting == 1)
            assert (turns.running, ended.is_set()) == (1, False)
        await asyncio.to_thread(thread.join, PATIENCE)

    thread = threading.Thread(target=elsewhere)
    asyncio.run(play())

    assert ended.is_set()
    assert (turns.running, turns.waiting) == (0, 0)
