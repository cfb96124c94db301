"""Workers: threads for plain functions, so that waiting can end although nothing stops them."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from contextvars import copy_context

from hookline.handlers.table import OverdueError
from hookline.model.verdict import Failure, RemoteHandlerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# How many functions of one owner may overrun at once before hookline refuses further ones.
MOST_STUCK = 64


class Workers:
    """The threads of one owner, such as an engine: one for each call of a function.

    A thread whose function overran is given up. It cannot be stopped, only counted: beyond `most`
    of them, hookline refuses further calls.
    """

    def __init__(self, most: int = MOST_STUCK) -> None:
        self.most = most
        self._running: set[Future[Any]] = set()

    def count_stuck(self) -> int:
        """Return how many functions overran their time and still run."""
        return sum(future.cancelled() for future in list(self._running))

    def call(self, function: Callable[[Any], Any], argument: Any, seconds: float) -> Any:
        """Call a function and return its result, if it comes in time.

        Raises:
            OverdueError: it came too late.
            RemoteHandlerError: too many functions overran their time.
            BaseException: the function raised it.
        """
        future = self._start(function, argument)
        try:
            future.exception(min(seconds, threading.TIMEOUT_MAX))
        except TimeoutError:
            if future.cancel():
                raise OverdueError from None
        return future.result()

    async def call_async(
        self, function: Callable[[Any], Any], argument: Any, seconds: float
    ) -> Any:
        """Call a function from an event loop, which continues while the function runs.

        Raises:
            OverdueError, RemoteHandlerError, BaseException: as `call`.
        """
        future = self._start(function, argument)
        try:
            async with asyncio.timeout(seconds) as limit:
                return await asyncio.wrap_future(future)
        except TimeoutError:
            if limit.expired():
                raise OverdueError from None
            raise

    def _start(self, function: Callable[[Any], Any], argument: Any) -> Future[Any]:
        stuck = self.count_stuck()
        if stuck >= self.most:
            detail = f"{stuck} handlers overran their time and still run"
            raise RemoteHandlerError(Failure.NOT_STARTED, detail)
        future: Future[Any] = Future()
        self._running.add(future)
        arguments = (future, copy_context().run, function, argument)
        threading.Thread(
            target=self._run, args=arguments, name="hookline worker", daemon=True
        ).start()
        return future

    def _run(
        self,
        future: Future[Any],
        call: Callable[..., Any],
        function: Callable[[Any], Any],
        argument: Any,
    ) -> None:
        with suppress(InvalidStateError):  # the caller has given the call up
            try:
                answer = call(function, argument)
            except BaseException as error:  # noqa: BLE001 - the caller gets it raised
                future.set_exception(error)
            else:
                future.set_result(answer)
        self._running.discard(future)
