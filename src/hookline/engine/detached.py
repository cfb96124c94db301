"""Runs detached hooks on threads, with a time limit each and a limit of their number.

`close` drains them.
"""

from __future__ import annotations

import threading
import time
from collections import deque

from hookline.core.interpretation import interpret
from hookline.core.registry import Entry
from hookline.handlers.inprocess import call
from hookline.handlers.process_spec import Cancel, Limits
from hookline.handlers.table import perform_all
from hookline.model.frozen import Frozen
from hookline.model.handler import InProcess
from hookline.model.outcome import Failure, Outcome
from hookline.model.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dialect import Dialect
    from hookline.core.dispatch import Run
    from hookline.handlers.process import BackgroundProgram
    from hookline.model.spec import HookSpec

_TICK = 0.1  # seconds between two looks at `hurried`
_LAST_WAIT = 1.0  # seconds, for threads whose programs were ended


class Finished(Frozen):
    """The end of a detached hook, with all that the journal and the observers need.

    `verdict`: its output as its own dialect reads it; its stance has no effect. `kind`,
    `native_event`, `dialect`, `session_id` and `cwd` are those of the event that started it; the
    dialect is the host's. `started` and `ended`: seconds since 1970.
    """

    hook_id: str
    outcome: Outcome
    verdict: Verdict = Verdict()
    kind: str = ""
    native_event: str = ""
    dialect: str = ""
    session_id: str = ""
    cwd: str = ""
    started: float = 0.0
    ended: float = 0.0


def make_finished(run: Run, outcome: Outcome, *, started: float, ended: float) -> Finished:
    """Return the end of a run; `started` and `ended` in seconds since 1970."""
    event, spec, dialect = run.event, run.spec, run.dialect
    if run.identity:
        outcome = outcome.replace(identity=run.identity, content=run.content)
    if dialect is None:
        verdict = Verdict(
            hook_id=spec.id,
            exit_code=outcome.exit_code,
            seconds=outcome.seconds,
            shadow=spec.shadow,
        )
    else:
        row = dialect.table.row(spec.native_event)
        entry = Entry(spec=spec, dialect=dialect, row=row, tools=None, on_tool=(), content=())
        verdict = interpret(entry, outcome, event)
    return Finished(
        hook_id=spec.id,
        outcome=outcome,
        verdict=verdict,
        kind=event.kind,
        native_event=event.native_name,
        dialect=event.dialect,
        session_id=event.session_id,
        cwd=event.cwd,
        started=started,
        ended=ended,
    )


def find_time_limit(spec: HookSpec, dialect: Dialect | None, longest: float) -> float:
    """Return the seconds after which a detached hook is ended: its own limit if its dialect enforces that, at most `longest`.

    A strict hook keeps its own limit under every dialect, so that a hanging guard is reported.
    """
    untimed = dialect is not None and dialect.table.detached_untimed and not spec.strict
    return longest if untimed else min(spec.timeout, longest)


class Detached:
    """The detached hooks of one engine.

    `finished` is called at the end of each, one at a time, on the thread that it ran on. `clock`
    returns seconds since 1970.
    """

    def __init__(
        self,
        limits: Limits | None,
        environ: Mapping[str, str],
        finished: Callable[[Run, Finished], object],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._limits = limits or Limits()
        self._environ = environ
        self._finished = finished
        self._clock = clock
        self._running: dict[threading.Thread, Cancel] = {}
        self._queue: deque[Run] = deque()
        self._ending = False
        self._lock = threading.Lock()
        self._telling = threading.Lock()

    def start(self, run: Run) -> Outcome | None:
        """Start a run on a thread, or queue it.

        Return why not, if the queue is full or the engine is closing.
        """
        with self._lock:
            if self._ending:
                return Outcome(
                    failure=Failure.NOT_STARTED,
                    detail="nothing starts any more: hooks in the background are being ended",
                )
            if len(self._running) < max(1, self._limits.detached_at_once):
                self._spawn(run)
                return None
            if len(self._queue) < self._limits.detached_queued:
                self._queue.append(run)
                return None
        full = f"{self._limits.detached_at_once} hooks run in the background and {self._limits.detached_queued} wait (HKL2003)"
        return Outcome(failure=Failure.NOT_STARTED, detail=full)

    def finish(self, run: Run, left: BackgroundProgram) -> None:
        """Wait on a thread for the end of a program that runs already.

        No limit of their number applies.
        """
        with self._lock:
            self._spawn(run, left)

    def _spawn(self, run: Run, left: BackgroundProgram | None = None) -> None:
        thread = threading.Thread(
            target=self._work, args=(run, left), name=f"hookline {run.spec.id}", daemon=True
        )
        cancel = self._running[thread] = Cancel()
        if self._ending:
            cancel.set()
        thread.start()

    def _work(self, run: Run, left: BackgroundProgram | None) -> None:
        """Perform a run, and start what waits; an observer that raises ends this thread only."""
        here = threading.current_thread()
        try:
            started = self._clock()
            outcome = self._perform(run, self._running[here], left)
            done = make_finished(run, outcome, started=started, ended=self._clock())
            with self._telling:
                self._finished(run, done)
        finally:
            with self._lock:
                self._running.pop(here).close()
                if self._queue:
                    self._spawn(self._queue.popleft())

    def _perform(self, run: Run, cancel: Cancel, left: BackgroundProgram | None) -> Outcome:
        if left is not None:
            return left.finish(self._limits, cancel)
        if cancel.is_set:
            return Outcome(failure=Failure.CANCELLED)
        longest = find_time_limit(run.spec, run.dialect, self._limits.detached)
        limited = run.replace(spec=run.spec.replace(timeout=longest))
        if isinstance(run.spec.handler, InProcess):
            return call(limited)
        (outcome,) = perform_all(
            [limited], limits=self._limits, cancel=cancel, environ=self._environ
        )
        return outcome

    def drain(self, seconds: float, hurried: Callable[[], bool] = lambda: False) -> None:
        """Wait for what runs and what waits, at most so long altogether.

        Then end it, process trees included.

        It returns within as many seconds, the time that programs are given to end, and a moment. A
        Python function cannot be ended; `finished` still gets its result. `hurried` returns whether
        to end the first wait early.
        """
        self._join(time.monotonic() + seconds, hurried)
        with self._lock:
            self._ending = True
            for cancel in self._running.values():
                cancel.set()
        self._join(
            time.monotonic()
            + self._limits.grace
            + self._limits.last
            + self._limits.drain
            + _LAST_WAIT
        )
        with self._lock:
            self._ending = False

    def _join(self, until: float, hurried: Callable[[], bool] = lambda: False) -> None:
        """Wait for threads, those that follow them included."""
        while (left := until - time.monotonic()) > 0 and not hurried():
            with self._lock:  # between the end of a thread and the start of the next, none runs
                running = next(iter(self._running), None)
            if running is None:
                return
            running.join(min(left, _TICK))
