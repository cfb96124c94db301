"""Concurrent HTTP: runs HTTP hooks and model hooks on a thread each, up to its time limit.

A thread never outlives its limit for long, because giving a call up shuts its socket. Only a DNS
look-up cannot be stopped; it ends when the resolver gives up.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from concurrent.futures import Future, InvalidStateError
from importlib import import_module

from hookline.errors import HandlerError
from hookline.handlers.http import call
from hookline.handlers.model_libraries import find_missing_library
from hookline.model.spec import Model
from hookline.model.verdict import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.handlers.process_spec import Cancel, Limits


def start_calls(runs: Sequence[Run], limits: Limits, environ: Mapping[str, str]) -> list[HttpCall]:
    """Start calls, each on a thread of its own."""
    # Loading a library does not count as a hook's time.
    performers = [_find_performer(run) for run in runs]
    return [
        HttpCall(run, limits, environ, perform)
        for run, perform in zip(runs, performers, strict=True)
    ]


def wait_for_calls(calls: Sequence[HttpCall], cancel: Cancel | None) -> list[Outcome]:
    """Wait for calls, each up to its own deadline; a cancellation ends them all."""
    if cancel is not None:
        cancel.wake(lambda: give_up_calls(calls))
    for each in sorted(calls, key=lambda call: call.deadline):
        each.wait()
    return [each.wait() for each in calls]


def give_up_calls(calls: Sequence[HttpCall]) -> None:
    """End the calls that are still under way."""
    for each in calls:
        each.give_up(Failure.CANCELLED)


def _find_performer(run: Run) -> Callable[..., Outcome]:
    """Return the function that performs a call."""
    handler = run.spec.handler
    if not isinstance(handler, Model):
        return call
    message, hint = find_missing_library(handler)
    if message:
        missing = str(HandlerError(message, hint=hint))
        return lambda *_, **__: Outcome(failure=Failure.NOT_STARTED, detail=missing)
    # Only model hooks pay for some seconds of loading.
    perform: Callable[..., Outcome] = import_module("hookline.handlers.model_hook").ask_model
    return perform


class HttpCall:
    """One call. It ends once: with an answer, a failure, or when its caller gives up."""

    def __init__(
        self,
        run: Run,
        limits: Limits,
        environ: Mapping[str, str],
        perform: Callable[..., Outcome],
    ) -> None:
        self.run = run
        self.deadline = min(time.monotonic() + run.spec.timeout, limits.until)
        self._outcome: Future[Outcome] = Future()
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        options: dict[str, Any] = {
            "seconds": run.spec.timeout,
            "environ": environ,
            "largest": limits.kept,
            "opened": self._opened,
        }
        thread = threading.Thread(
            target=self._perform, args=(perform, options), name="hookline http", daemon=True
        )
        try:
            thread.start()
        except RuntimeError as error:  # this process can start no further thread
            self._end(Outcome(failure=Failure.NOT_STARTED, detail=str(error)))

    def _perform(self, perform: Callable[..., Outcome], options: dict[str, Any]) -> None:
        try:
            outcome = perform(self.run.spec.handler, self.run.payload or "", **options)
        except Exception as error:  # noqa: BLE001 - a fault of hookline is that hook's failure
            # Its text may contain a header's value.
            outcome = Outcome(failure=Failure.RAISED, detail=type(error).__name__)
        self._end(outcome)

    def _end(self, outcome: Outcome) -> bool:
        """End the call; return False if it has ended already."""
        with contextlib.suppress(InvalidStateError):
            self._outcome.set_result(outcome)
            return True
        return False

    def _opened(self, sock: socket.socket) -> None:
        with self._lock:
            if self._outcome.done():
                raise ConnectionAbortedError  # the caller gave up already: hookline sends nothing
            self._socket = sock

    def wait(self) -> Outcome:
        """Return the outcome, up to the deadline of the call."""
        left = max(0.0, min(self.deadline - time.monotonic(), threading.TIMEOUT_MAX))
        try:
            return self._outcome.result(left)
        except TimeoutError:
            self.give_up(Failure.TIMED_OUT, f"after {self.run.spec.timeout:g} s")
            return self._outcome.result()

    def give_up(self, failure: Failure, detail: str = "") -> None:
        """End the call from outside, unless it has ended.

        Shut its socket, so that its thread ends.
        """
        seconds = self.run.spec.timeout if failure is Failure.TIMED_OUT else 0.0
        if not self._end(Outcome(failure=failure, detail=detail, seconds=seconds)):
            return
        with self._lock, contextlib.suppress(OSError):
            if self._socket is not None:  # past TLS, which its thread may be using
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
