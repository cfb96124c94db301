"""One event loop for everything remote, asked from any thread."""

from __future__ import annotations

import asyncio
import threading

import pytest

from hookline.remote.grpc_transport import BackgroundLoop


@pytest.fixture(scope="module")
def loop() -> BackgroundLoop:
    return BackgroundLoop()


async def where() -> threading.Thread:
    await asyncio.sleep(0)
    return threading.current_thread()


def test_it_is_a_thread_of_its_own(loop: BackgroundLoop) -> None:
    """It is the same thread for callers with and without an event loop."""
    thread = loop.run(where())

    assert thread is not threading.current_thread()
    assert asyncio.run(loop.wait(where())) is thread


def test_it_may_wait_for_itself(loop: BackgroundLoop) -> None:
    """A coroutine on the loop may run another one there."""

    async def inside() -> bool:
        return await loop.wait(where()) is threading.current_thread()

    assert loop.run(inside())


def test_a_wait_that_ends_cancels_what_was_waited_for(loop: BackgroundLoop) -> None:
    """Cancelling the waiting call cancels the coroutine."""
    begun, ended = threading.Event(), threading.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def outside() -> None:
        waiting = asyncio.ensure_future(loop.wait(work()))
        await asyncio.to_thread(begun.wait, 10)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(outside())
    assert ended.wait(10)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit], ids=lambda each: each.__name__)
def test_what_ends_a_program_elsewhere_ends_a_task_here(
    error: type[BaseException], loop: BackgroundLoop
) -> None:
    """KeyboardInterrupt and SystemExit end one task, and the loop goes on."""

    async def breaks() -> None:
        raise error

    with pytest.raises(error):
        loop.run(breaks())
    assert loop.run(where()).is_alive()
