"""Concurrent HTTP: runs HTTP hooks on threads, so that waiting can end although a DNS look-up cannot be stopped."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import deque
from queue import Empty, SimpleQueue

from hookline.handlers.http import call
from hookline.model.outcome import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self

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
        self.deadline = _NEVER
        self.outcome: Outcome | None = None
        self._socket: socket.socket | None = None
        self._over = False
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Start the time limit."""
        self.deadline = time.monotonic() + self.run.spec.timeout

    def perform(self, perform: Callable[..., Outcome], **options: Any) -> None:
        """Perform the call and record its outcome."""
        spec = self.run.spec
        try:
            self._end(
                perform(
                    spec.handler,
                    self.run.payload or "",
                    seconds=spec.timeout,
                    opened=self._opened,
                    **options,
                )
            )
        except Exception as error:  # noqa: BLE001 - a fault of hookline counts as that hook's failure; its text may contain a header's value
            self._end(Outcome(failure=Failure.RAISED, detail=type(error).__name__))
        with self._lock:
            self._over = True
            _held.discard(self)

    def give_up(self, failure: Failure, detail: str = "") -> None:
        """End the call from outside; shut its socket, so that its thread ends too."""
        self._end(
            Outcome(
                failure=failure,
                detail=detail,
                seconds=self.run.spec.timeout if failure is Failure.TIMED_OUT else 0.0,
            )
        )
        with self._lock, contextlib.suppress(OSError):
            if not self._over and self.deadline < _NEVER:
                _held.add(self)
            if self._socket is not None:
                socket.socket.shutdown(
                    self._socket, socket.SHUT_RDWR
                )  # past TLS, which its thread may be using

    def _opened(self, sock: socket.socket) -> None:
        with self._lock:
            if self.outcome is not None:
                raise ConnectionAbortedError  # the caller gave up already, so hookline sends nothing
            self._socket = sock

    def _end(self, outcome: Outcome) -> None:
        with self._lock:
            self.outcome = self.outcome or outcome


class ConcurrentCalls:
    """A batch of calls, which starts at once; `limits` says how many run at the same time."""

    def __init__(
        self,
        runs: Sequence[Run],
        limits: Limits,
        environ: Mapping[str, str],
        *,
        perform: Callable[..., Outcome] = call,
    ) -> None:
        self.calls = [HttpCall(run) for run in runs]
        self._limits = limits
        self._environ = environ
        self._perform = perform
        self._waiting = deque(self.calls)
        self._news: SimpleQueue[None] = SimpleQueue()
        self._threads = 0
        if len(_held) >= MOST_HELD:
            self._end_all(
                Failure.NOT_STARTED,
                f"{len(_held)} calls overran their time and still hold a thread",
            )
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
        while True:
            try:
                waiting = self._waiting.popleft()
            except IndexError:
                return
            waiting.begin()
            self._notify()  # of the new deadline
            waiting.perform(self._perform, environ=self._environ, largest=self._limits.kept)
            self._notify()

    def _notify(self) -> None:
        self._news.put(None)

    def outcomes(self, cancel: Cancel | None = None) -> list[Outcome]:
        """Wait for all calls, each up to its own deadline; a cancellation ends them all."""
        if cancel is not None:
            cancel.wake(self._notify)
        while open_ := [each for each in self.calls if each.outcome is None]:
            left = min(self._limits.until, *(each.deadline for each in open_)) - time.monotonic()
            with contextlib.suppress(Empty):
                self._news.get(timeout=min(max(0.0, left), _LONGEST_WAIT))
            if cancel is not None and cancel.is_set:
                self._end_all(Failure.CANCELLED)
            if time.monotonic() >= self._limits.until:
                self._end_all(Failure.TIMED_OUT, "after the time for this event was over")
            self._end_overdue(open_)
        return [each.outcome for each in self.calls if each.outcome is not None]

    def _end_overdue(self, open_: list[HttpCall]) -> None:
        now = time.monotonic()
        for late in open_:
            if late.deadline <= now and late.outcome is None:
                late.give_up(Failure.TIMED_OUT, f"after {late.run.spec.timeout:g} s")
                if self._waiting:
                    self._start_thread()  # to replace the one that is blocked

    def _end_all(self, failure: Failure, detail: str = "") -> None:
        self._waiting.clear()
        for each in self.calls:
            if each.outcome is None:
                each.give_up(failure, detail)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._end_all(Failure.CANCELLED)  # an interrupt leaves no call behind
