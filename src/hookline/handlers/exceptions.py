"""Exceptions of in-process handlers, and the failure that each of them is."""

from __future__ import annotations

import sys
from time import perf_counter

from hookline.model.outcome import Failure, Outcome


class OverdueError(TimeoutError):
    """The time that a hook was given is over; unlike a TimeoutError of the hook's own."""


class StuckError(RuntimeError):
    """Too many workers are held by functions that overran their time."""


class FailedError(Exception):
    """A handler that is somewhere else brought no answer: which failure that is, and what makes it concrete."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


def failed(error: BaseException, timeout: float, began: float) -> Outcome:
    """A hook's exception, or its exit, is that hook's failure; an interrupt or a cancellation of its caller is raised again."""
    seconds = perf_counter() - began
    if isinstance(error, OverdueError):
        return Outcome(failure=Failure.TIMED_OUT, detail=f"after {timeout:g} s", seconds=seconds)
    if isinstance(error, StuckError):
        return Outcome(failure=Failure.NOT_STARTED, detail=str(error), seconds=seconds)
    if isinstance(error, FailedError):
        return Outcome(failure=error.failure, detail=error.detail, seconds=seconds)
    if not isinstance(error, Exception | SystemExit) and not _is_own_cancellation(error):
        raise error
    return Outcome(
        failure=Failure.RAISED, detail=f"{type(error).__name__}: {error}", seconds=seconds
    )


def _is_own_cancellation(error: BaseException) -> bool:
    """Whether the hook awaited something that was cancelled, while nobody cancels the task which called it."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not isinstance(error, asyncio.CancelledError):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs here
        return True
    return task is None or not task.cancelling()
