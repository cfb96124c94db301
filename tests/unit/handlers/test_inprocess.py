"""In-process hooks: what their answer, exceptions, time and cancellation become."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar
from time import perf_counter

import pytest

from hookline.core.dispatch import Run
from hookline.handlers.table import OverdueError, call, call_async, run_limited
from hookline.model.event import Event
from hookline.model.spec import HookSpec, InProcess
from hookline.model.verdict import Failure
from tests.unit.handlers.support import until

LONG = 60.0


def made(hook, timeout: float = LONG) -> Run:
    handler = InProcess(call=hook)
    spec = HookSpec(
        id="h",
        dialect="hookline",
        kind="tool.before",
        native_event="",
        handler=handler,
        timeout=timeout,
    )
    return Run(spec=spec, event=Event(kind="tool.before"))


def in_a_loop(run: Run):
    return asyncio.run(call_async(run))


def inside_a_loop(run: Run):
    async def main():
        return call(run)

    return asyncio.run(main())


WAYS = pytest.mark.parametrize("perform", [call, in_a_loop, inside_a_loop])


async def gives(value):
    return value


async def gives_later(value):
    for _ in range(3):
        await asyncio.sleep(0)
    return value


@WAYS
@pytest.mark.parametrize(
    "hook",
    [
        lambda event: event.kind,
        lambda event: gives(event.kind),
        lambda event: gives_later(event.kind),
    ],
)
def test_the_answer_is_what_the_hook_returned(perform, hook):
    """A synchronous hook, and coroutines with and without a pause, give the same answer."""
    outcome = perform(made(hook))

    assert (outcome.answer, outcome.failure) == ("tool.before", None)
    assert outcome.seconds > 0


def raises(event):
    raise ValueError("mine")


async def raises_at_once(event):
    raise ValueError("mine")


async def raises_later(event):
    await asyncio.sleep(0)
    raise ValueError("mine")


@WAYS
@pytest.mark.parametrize("hook", [raises, raises_at_once, raises_later])
def test_a_hook_s_exception_is_that_hook_s_failure(perform, hook):
    """Whatever a hook raises is an outcome that names it."""
    outcome = perform(made(hook))

    assert (outcome.failure, outcome.detail) == (Failure.RAISED, "ValueError: mine")


@WAYS
def test_a_coroutine_that_takes_too_long_has_run_out_of_time(perform):
    """A coroutine is ended at its hook's time limit."""
    outcome = perform(made(lambda _: asyncio.sleep(LONG), timeout=0.01))

    assert (outcome.failure, outcome.detail) == (Failure.TIMED_OUT, "after 0.01 s")
    assert outcome.seconds >= 0.01


def times_out(event):
    raise TimeoutError("the socket's")


async def times_out_later(event):
    await asyncio.sleep(0)
    raise TimeoutError("the socket's")


@WAYS
@pytest.mark.parametrize("hook", [times_out, times_out_later])
def test_a_hook_s_own_timeout_is_not_its_time_limit(perform, hook):
    """A TimeoutError that the hook raises is an exception like any other."""
    outcome = perform(made(hook))

    assert (outcome.failure, outcome.detail) == (Failure.RAISED, "TimeoutError: the socket's")


async def awaits_what_was_cancelled(event):
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    await asyncio.sleep(0)
    await future


async def awaits_what_was_cancelled_at_once(event):
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


@WAYS
@pytest.mark.parametrize("hook", [awaits_what_was_cancelled, awaits_what_was_cancelled_at_once])
def test_a_cancellation_inside_the_hook_is_not_one_of_its_caller(perform, hook):
    """A hook that awaits something cancelled fails; its caller is not cancelled."""
    outcome = perform(made(hook))

    assert (outcome.failure, outcome.detail) == (Failure.RAISED, "CancelledError: ")


@WAYS
def test_an_interrupt_is_no_failure(perform):
    """It is raised to the caller."""

    def hook(event):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        perform(made(hook))


@WAYS
def test_an_exit_is_the_hook_s_failure(perform):
    """A hook that ends its program must not end its host's."""

    def hook(event):
        raise SystemExit(3)

    outcome = perform(made(hook))

    assert (outcome.failure, outcome.detail) == (Failure.RAISED, "SystemExit: 3")


def test_a_coroutine_that_never_suspends_needs_no_loop():
    """The first step runs directly: a coroutine that ends in it starts no timer."""
    with pytest.raises(StopIteration) as done:
        run_limited(gives("value"), 0.0).send(None)

    assert done.value.value == "value"


def test_what_swallows_its_cancellation_has_run_out_of_time_all_the_same():
    """The clock decides, whether the coroutine then returns or raises something else."""

    async def returns():
        try:
            await asyncio.sleep(LONG)
        except asyncio.CancelledError:
            return "allow"

    async def raises():
        try:
            await asyncio.sleep(LONG)
        except asyncio.CancelledError as error:
            raise ValueError from error

    for coroutine in (returns, raises):
        with pytest.raises(OverdueError):
            asyncio.run(run_limited(coroutine(), 0.01))


def test_a_coroutine_may_clean_up():
    """A coroutine whose time is over can await in its `finally`."""
    cleaned: list[str] = []

    async def careful():
        try:
            await asyncio.sleep(LONG)
        finally:
            await asyncio.sleep(0)
            cleaned.append("yes")

    with pytest.raises(OverdueError):
        asyncio.run(run_limited(careful(), 0.01))

    assert cleaned == ["yes"]


def test_a_coroutine_may_have_time_limits_and_tasks_of_its_own():
    """What a hook entered in its first step, before the timer, nests with the timer."""

    async def busy():
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(LONG)
        except TimeoutError:
            async with asyncio.TaskGroup() as tasks:
                first, second = (tasks.create_task(gives_later(number)) for number in (1, 2))
            return first.result() + second.result()

    async def outlasted():
        async with asyncio.timeout(LONG):
            await asyncio.sleep(LONG)

    assert asyncio.run(run_limited(busy(), LONG)) == 3
    with pytest.raises(OverdueError):
        asyncio.run(run_limited(outlasted(), 0.01))


async def _cancelled(coroutine, seconds: float, *, after: float):
    """Run it limited in a task that is cancelled when it waits.

    Whether the task was cancelled, and what was thrown inside.
    """
    seen: list[type[BaseException]] = []

    async def watched():
        try:
            await coroutine
        except BaseException as error:
            seen.append(type(error))
            raise

    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(run_limited(watched(), seconds))
        await asyncio.sleep(after)
        task.cancel()
        await asyncio.wait([task])
    return task.cancelled(), seen


def test_the_caller_s_cancellation_reaches_the_coroutine():
    """A cancelled caller cancels the hook, and stays cancelled."""
    assert asyncio.run(_cancelled(asyncio.sleep(LONG), LONG, after=0)) == (
        True,
        [asyncio.CancelledError],
    )


def test_a_cancellation_wins_over_a_time_limit_that_comes_with_it():
    """If both come in the same turn of the loop, the caller is cancelled."""

    async def main():
        loop = asyncio.get_running_loop()
        entered = loop.create_future()

        async def hook():
            entered.set_result(None)
            await asyncio.sleep(LONG)

        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(run_limited(hook(), 0.01))
            await entered
            # One callback, before the loop comes back to the task: both timers are due, the
            # cancellation follows the timeout.
            loop.call_later(0.01, task.cancel)
            threading.Event().wait(0.02)
            await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(main())


def test_the_caller_s_cancellation_is_no_outcome():
    """`call_async` raises the cancellation of its caller."""

    async def main():
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(call_async(made(lambda _: asyncio.sleep(LONG))))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(main())


def test_closing_the_caller_closes_the_hook():
    """A caller that is closed in the middle closes the coroutine it waits for."""
    closed: list[str] = []

    async def hook():
        try:
            await asyncio.sleep(LONG)
        finally:
            closed.append("yes")

    async def main():
        waiting = run_limited(hook(), LONG)
        waiting.send(None)
        waiting.close()

    asyncio.run(main())

    assert closed == ["yes"]


def test_inside_a_running_loop_the_context_is_kept():
    """A coroutine that runs in another thread sees the context variables of its caller."""
    variable: ContextVar[str] = ContextVar("variable", default="unset")

    async def hook(event):
        await asyncio.sleep(0)
        return variable.get(), threading.current_thread() is threading.main_thread()

    async def main():
        variable.set("set")
        return call(made(hook))

    assert asyncio.run(main()).answer == ("set", False)


def test_hooks_of_several_threads_do_not_meet():
    """Synchronous calls from several threads run on loops of their own."""
    together = threading.Barrier(4, timeout=10)
    outcomes = []

    async def hook(event):
        await asyncio.sleep(0)
        together.wait()
        return id(asyncio.get_running_loop())

    threads = [threading.Thread(target=lambda: outcomes.append(call(made(hook)))) for _ in range(4)]
    for thread in threads:
        thread.start()

    assert until(lambda: len(outcomes) == 4)
    assert len({outcome.answer for outcome in outcomes}) == 4


@WAYS
@pytest.mark.parametrize("pauses", [False, True])
def test_an_answer_after_the_time_limit_is_a_timeout(perform, pauses):
    """No timer interrupts a coroutine that blocks the loop; the clock is read after it."""

    async def hook(event):
        if pauses:
            await asyncio.sleep(0)
        until_then = perf_counter() + 0.03
        while perf_counter() < until_then:
            pass
        return "late"

    outcome = perform(made(hook, timeout=0.02))

    assert (outcome.answer, outcome.failure) == (None, Failure.TIMED_OUT)
