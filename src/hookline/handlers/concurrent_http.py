"""Concurrent HTTP: runs HTTP hooks and model hooks on a thread each, up to its time limit.

A thread never outlives its limit for long, because giving a call up shuts its socket. Only a DNS
look-up cannot be stopped.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time

from hookline.model.verdict import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from hookline.core.dispatch import Run
    from hookline.handlers.process_spec import Cancel, Limits

# How many abandoned calls may still hold a thread before hookline refuses further ones.
MOST_HELD = 64
_held: set[HttpCall] = set()


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
        self.outcome: Outcome | None = None
        self.ended = threading.Event()
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        thread = threading.Thread(
            target=self._perform, args=(limits, environ, perform), name="hookline http", daemon=True
        )
        if len(_held) >= MOST_HELD:
            held = f"{len(_held)} calls overran their time and still hold a thread"
            self._end(Outcome(failure=Failure.NOT_STARTED, detail=held))
            return
        try:
            thread.start()
        except RuntimeError as error:  # this process can start no further thread
            self._end(Outcome(failure=Failure.NOT_STARTED, detail=str(error)))

    def _perform(
        self, limits: Limits, environ: Mapping[str, str], perform: Callable[..., Outcome]
    ) -> None:
        spec = self.run.spec
        try:
            outcome = perform(
                spec.handler,
                self.run.payload or "",
                seconds=spec.timeout,
                environ=environ,
                largest=limits.kept,
                opened=self._opened,
            )
        except Exception as error:  # noqa: BLE001 - a fault of hookline counts as that hook's failure; its text may contain a header's value
            outcome = Outcome(failure=Failure.RAISED, detail=type(error).__name__)
        with self._lock:
            self._end(outcome)
            _held.discard(self)

    def _end(self, outcome: Outcome) -> None:
        self.outcome = self.outcome or outcome
        self.ended.set()

    def _opened(self, sock: socket.socket) -> None:
        with self._lock:
            if self.outcome is not None:
                raise ConnectionAbortedError  # the caller gave up already, so hookline sends nothing
            self._socket = sock

    def wait(self) -> Outcome:
        """Return the outcome, up to the deadline of the call."""
        if not self.ended.wait(
            max(0.0, min(self.deadline - time.monotonic(), threading.TIMEOUT_MAX))
        ):
            self.give_up(Failure.TIMED_OUT, f"after {self.run.spec.timeout:g} s")
        assert self.outcome is not None  # noqa: S101 - it has ended
        return self.outcome

    def give_up(self, failure: Failure, detail: str = "") -> None:
        """End the call from outside, unless it has ended.

        Shut its socket, so that its thread ends.
        """
        seconds = self.run.spec.timeout if failure is Failure.TIMED_OUT else 0.0
        with self._lock, contextlib.suppress(OSError):
            if self.outcome is not None:
                return
            self._end(Outcome(failure=failure, detail=detail, seconds=seconds))
            _held.add(self)
            if self._socket is not None:  # past TLS, which its thread may be using
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class ConcurrentCalls:
    """A batch of calls, which starts at once. `perform` performs one of them."""

    def __init__(
        self,
        runs: Sequence[Run],
        limits: Limits,
        environ: Mapping[str, str],
        perform: Callable[..., Outcome],
    ) -> None:
        self.calls = [HttpCall(run, limits, environ, perform) for run in runs]

    def outcomes(self, cancel: Cancel | None = None) -> list[Outcome]:
        """Wait for all calls, each up to its own deadline; a cancellation ends them all."""
        if cancel is not None:
            cancel.wake(self._cancel)
        for each in sorted(self.calls, key=lambda call: call.deadline):
            each.wait()
        return [each.wait() for each in self.calls]

    def _cancel(self) -> None:
        for each in self.calls:
            each.give_up(Failure.CANCELLED)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._cancel()  # an interrupt leaves no call behind
