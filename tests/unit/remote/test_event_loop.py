"""One event loop for everything remote: asked from any thread, and ended with the process."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from hookline.remote.event_loop import BackgroundLoop


@pytest.fixture
def loop():
    made = BackgroundLoop()
    yield made
    made.stop()


async def where() -> str:
    await asyncio.sleep(0)
    return threading.current_thread().name


def test_it_is_a_thread_of_its_own(loop: BackgroundLoop) -> None:
    """Whoever asks, on an event loop or on none."""
    assert loop.run(where(), 10) == "hookline remote"
    assert asyncio.run(loop.wait(where())) == "hookline remote"
    assert not loop.is_current


def test_it_may_wait_for_itself(loop: BackgroundLoop) -> None:
    """Without a detour."""

    async def inside() -> tuple[bool, str]:
        return loop.is_current, await loop.wait(where())

    assert loop.run(inside(), 10) == (True, "hookline remote")


def test_a_wait_that_ends_cancels_what_was_waited_for(loop: BackgroundLoop) -> None:
    """By its time limit, and by a cancellation."""
    seen: list[str] = []
    ended = threading.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            ended.set()
            raise

    with pytest.raises(TimeoutError):
        loop.run(work(), 0.01)
    assert ended.wait(10)

    async def outside() -> None:
        ended.clear()
        waiting = asyncio.get_running_loop().create_task(loop.wait(work()))
        await asyncio.to_thread(loop.run, where(), 10)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(outside())
    assert ended.wait(10)
    assert seen == ["cancelled"] * 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit], ids=lambda each: each.__name__)
def test_what_ends_a_program_elsewhere_ends_a_task_here(
    error: type[BaseException], loop: BackgroundLoop
) -> None:
    """Others, who are on the loop too, go on."""

    async def breaks() -> None:
        raise error

    with pytest.raises(error):
        loop.run(breaks(), 10)
    assert loop.run(where(), 10) == "hookline remote"


def test_its_end_cancels_what_runs(loop: BackgroundLoop) -> None:
    """And the next that is asked begins anew."""
    seen: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("ended")

    loop.submit(work())
    loop.run(where(), 10)
    loop.stop()
    loop.stop()

    assert seen == ["ended"]
    assert loop.run(where(), 10) == "hookline remote"


@pytest.mark.process
@pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)  # which is what is tested
def test_a_forked_child_has_one_of_its_own(loop: BackgroundLoop) -> None:
    """The thread stays with its parent."""
    loop.run(where(), 10)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if loop.run(where(), 10) == "hookline remote" else 1)
        finally:
            os._exit(2)

    assert os.waitpid(child, 0)[1] == 0
