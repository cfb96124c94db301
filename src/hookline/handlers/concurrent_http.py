"""Concurrent HTTP: runs HTTP hooks and model hooks on threads, each up to its time limit.

A thread never outlives its limit for long, because giving a call up shuts its socket. Only a DNS
look-up cannot be stopped.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import deque
from queue import Empty, SimpleQueue

from hookline.model.outcome import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from hookline.core.dispatch import Run
    from hookline.handlers.process_spec import Cancel, Limits

# How many abandoned calls may still hold a thread before hookline refuses further ones.
MOST_HELD = 64
_LONGEST_WAIT = 3600.0  # seconds
_NEVER = float("inf")
_held: set[HttpCall] = set()


class HttpCall:
    """One call. It ends once: with an answer, a failure, or when its caller gives up."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.deadline = _NEVER  # until it begins
        self.outcome: Outcome | None = None
        self._socket: socket.socket | None = None
        self._is_over = False
        self._lock = threading.Lock()

    def perform(
        self, perform: Callable[..., Outcome], limits: Limits, environ: Mapping[str, str]
    ) -> None:
        """Perform the call and record its outcome."""
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
            self.outcome = self.outcome or outcome
            self._is_over = True
            _held.discard(self)

    def give_up(self, failure: Failure, detail: str = "") -> None:
        """End the call from outside, unless it has ended; shut its socket, so that its thread ends too."""
        seconds = self.run.spec.timeout if failure is Failure.TIMED_OUT else 0.0
        with self._lock, contextlib.suppress(OSError):
            if self.outcome is None:
                self.outcome = Outcome(failure=failure, detail=detail, seconds=seconds)
            if not self._is_over and self.deadline < _NEVER:
                _held.add(self)
            if self._socket is not None:  # past TLS, which its thread may be using
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _opened(self, sock: socket.socket) -> None:
        with self._lock:
            if self.outcome is not None:
                raise ConnectionAbortedError  # the caller gave up already, so hookline sends nothing
            self._socket = sock


class ConcurrentCalls:
    """A batch of calls, which starts at once; `limits` says how many run at the same time. `perform` performs one of them."""

    def __init__(
        self,
        runs: Sequence[Run],
        limits: Limits,
        environ: Mapping[str, str],
        perform: Callable[..., Outcome],
    ) -> None:
        self.calls = [HttpCall(run) for run in runs]
        self._limits = limits
        self._environ = environ
        self._perform = perform
        self._waiting = deque(self.calls)
        self._news: SimpleQueue[None] = SimpleQueue()
        self._threads = 0
        if len(_held) >= MOST_HELD:
            message = f"{len(_held)} calls overran their time and still hold a thread"
            self._end_all(Failure.NOT_STARTED, message)
        for _ in range(min(len(self._waiting), max(1, limits.at_once))):
            self._start_thread()

    def _start_thread(self) -> None:
        try:
            threading.Thread(target=self._work, name="hookline http", daemon=True).start()
            self._threads += 1
        except RuntimeError as error:  # this process can start no further thread
            if not self._threads:
                self._end_all(Failure.NOT_STARTED, str(error))

    def _work(self) -> None:
        with contextlib.suppress(IndexError):  # no call is waiting any more
            while True:
                waiting = self._waiting.popleft()
                waiting.deadline = time.monotonic() + waiting.run.spec.timeout
                self._notify()  # of the new deadline
                waiting.perform(self._perform, self._limits, self._environ)
                self._notify()

    def _notify(self) -> None:
        self._news.put(None)

    def outcomes(self, cancel: Cancel | None = None) -> list[Outcome]:
        """Wait for all calls, each up to its own deadline; a cancellation ends them all."""
        if cancel is not None:
            cancel.wake(self._notify)
        while pending := [each for each in self.calls if each.outcome is None]:
            nearest = min(self._limits.until, *(each.deadline for each in pending))
            with contextlib.suppress(Empty):
                left = max(0.0, nearest - time.monotonic())
                self._news.get(timeout=min(left, _LONGEST_WAIT))
            if cancel is not None and cancel.is_set:
                self._end_all(Failure.CANCELLED)
            now = time.monotonic()
            if now >= self._limits.until:
                self._end_all(Failure.TIMED_OUT, "after the time for this event was over")
            for late in [each for each in pending if each.deadline <= now and not each.outcome]:
                late.give_up(Failure.TIMED_OUT, f"after {late.run.spec.timeout:g} s")
                if self._waiting:
                    self._start_thread()  # to replace the one that is blocked
        return [each.outcome for each in self.calls if each.outcome is not None]

    def _end_all(self, failure: Failure, detail: str = "") -> None:
        self._waiting.clear()
        for each in self.calls:
            if each.outcome is None:
                each.give_up(failure, detail)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._end_all(Failure.CANCELLED)  # an interrupt leaves no call behind
