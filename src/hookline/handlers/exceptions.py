"""Exceptions of handlers, and the failure that each stands for."""

from __future__ import annotations

import sys
from time import perf_counter

from hookline.model.verdict import Failure, Outcome


class OverdueError(TimeoutError):
    """A hook has used up its time; differs from a TimeoutError raised by the hook itself."""


class StuckError(RuntimeError):
    """Too many workers are blocked by functions that overran their time."""


class RemoteHandlerError(Exception):
    """A handler in another process or on another machine returned no answer.

    Names the failure and its detail.
    """

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


def make_failure_outcome(error: BaseException, timeout: float, began: float) -> Outcome:
    """Return a hook's exception or exit as its failure.

    Raise an interrupt or its caller's cancellation again.
    """
    seconds = perf_counter() - began
    if isinstance(error, OverdueError):
        return Outcome(failure=Failure.TIMED_OUT, detail=f"after {timeout:g} s", seconds=seconds)
    if isinstance(error, StuckError):
        return Outcome(failure=Failure.NOT_STARTED, detail=str(error), seconds=seconds)
    if isinstance(error, RemoteHandlerError):
        return Outcome(failure=error.failure, detail=error.detail, seconds=seconds)
    if not isinstance(error, Exception | SystemExit) and not _is_own_cancellation(error):
        raise error
    return Outcome(
        failure=Failure.RAISED, detail=f"{type(error).__name__}: {error}", seconds=seconds
    )


def _is_own_cancellation(error: BaseException) -> bool:
    """Return whether the hook awaited something that was cancelled, while its own task was not."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not isinstance(error, asyncio.CancelledError):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs here
        return True
    return task is None or not task.cancelling()
