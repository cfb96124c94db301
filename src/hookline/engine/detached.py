"""Runs detached hooks on threads, and delivers their late answers; limits redos."""

from __future__ import annotations

import threading
import time
from collections import deque

from hookline.core.deferred_results import (
    DeferredResult,
    add_deferred,
    can_deliver_all,
    can_deliver_wakes,
    make_deferred,
    report_dropped,
)
from hookline.core.dispatch import Run
from hookline.core.guardrails import cap_redo, follows_redo, is_sent_back, is_spent, redo_limit
from hookline.core.interpretation import interpret
from hookline.core.registry import Entry
from hookline.engine.runtime import Finished, Runtime
from hookline.engine.session_limits import make_mark
from hookline.handlers.process_spec import Cancel, Limits
from hookline.handlers.table import call, perform_all
from hookline.model.spec import HookSpec, InProcess
from hookline.model.verdict import Decision, Failure, Outcome, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hookline.core.dialect import Dialect, EventRow
    from hookline.core.plan import Plan
    from hookline.handlers.process import BackgroundProgram
    from hookline.model.event import Event


_TICK = 0.1  # seconds between two looks at `hurried`
_LAST_WAIT = 1.0  # seconds, for threads whose programs were ended


def make_finished(run: Run, outcome: Outcome, ended: float) -> Finished:
    """Return the end of a run; `ended` in seconds since 1970."""
    event, spec, dialect = run.event, run.spec, run.dialect
    if run.identity:
        outcome = outcome.replace(identity=run.identity, content=run.content)
    if dialect is None:
        verdict = Verdict(hook_id=spec.id, exit_code=outcome.exit_code, shadow=spec.shadow)
    else:
        row = dialect.table.row(spec.native_event)
        entry = Entry(spec=spec, dialect=dialect, row=row, tools=None, on_tool=(), content=())
        verdict = interpret(entry, outcome, event)
    return Finished(hook_id=spec.id, event=event, outcome=outcome, verdict=verdict, ended=ended)


def find_time_limit(spec: HookSpec, dialect: Dialect | None, longest: float) -> float:
    """Return the seconds after which a detached hook is ended, at most `longest`.

    That is its own limit, if its dialect enforces it. A strict hook keeps its own limit under every
    dialect, so that a hanging guard is reported.
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
        limits: Limits,
        environ: Mapping[str, str],
        finished: Callable[[Run, Finished], object],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._limits = limits
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
        running, waiting = self._limits.detached_at_once, self._limits.detached_queued
        full = f"{running} hooks run in the background and {waiting} wait (HKL2003)"
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
            outcome = self._perform(run, self._running[here], left)
            done = make_finished(run, outcome, self._clock())
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


def conclude_turn(runtime: Runtime, event: Event, decision: Decision, plan: Plan) -> Decision:
    """Return the decision at the begin of a turn or a stop: with late answers, redos limited."""
    table = runtime.host(event.dialect).table
    ends = event.kind in table.ends_session
    if event.session_id and ends:
        for told in {each.ended for each in runtime.snapshot.enlisted.values() if each.ended}:
            told(event.session_id)
    row, follows = table.row(event.native_name), follows_redo(event, table)
    if is_sent_back(decision, row):
        capped = _limit_redo(runtime, event, decision, row, follows=follows)
        return capped if capped is not decision else _add_late(runtime, event, decision, plan)[0]
    if is_spent(decision):
        return decision  # a hook would have sent the agent back again, so this is no new turn
    with_late, lates = _add_late(runtime, event, decision, plan)
    if not is_sent_back(with_late, row):
        if event.kind not in table.repeats:
            runtime.sessions.settle(event, follows=follows, ends=ends)
        return with_late
    capped = _limit_redo(runtime, event, with_late, row, follows=follows)
    if capped is with_late:
        return with_late
    for late in lates:  # another process used up the limit meanwhile: deliver it at the next turn
        runtime.sessions.keep(event, late)
    return decision


def _limit_redo(
    runtime: Runtime,
    event: Event,
    decision: Decision,
    row: EventRow | None,
    *,
    follows: bool | None,
) -> Decision:
    """Count a redo and return the decision.

    If the limit is reached, return one that lets the agent stop.
    """
    usual = runtime.find_redo_limit(event)
    limit = redo_limit(decision, usual) if runtime.redo_limit is None else usual
    had = runtime.sessions.send_back(event, limit, follows=follows)
    return decision if had is None and follows is False else cap_redo(decision, had, limit, row)


def _add_late(
    runtime: Runtime, event: Event, decision: Decision, plan: Plan
) -> tuple[Decision, Sequence[DeferredResult]]:
    """Return the decision with the late answers of detached hooks, and these answers."""
    table = runtime.host(event.dialect).table
    everything = can_deliver_all(event, decision, plan, table)
    if not everything:
        # A wake is delivered where the agent continues anyway, or may be sent back once more.
        limit = runtime.find_redo_limit(event)
        if not can_deliver_wakes(event, decision, plan) or not (
            is_sent_back(decision, table.row(event.native_name))
            or limit <= 0
            or runtime.count_redos(event) < limit
        ):
            return decision, ()
    lates, dropped = runtime.sessions.take(event, wakes=not everything)
    wanted = [late for late in lates if not _is_silenced(runtime, event, late.hook_id)]
    told = add_deferred(decision, event, plan, wanted) if wanted else decision
    return report_dropped(told, dropped), lates


def _is_silenced(runtime: Runtime, event: Event, hook_id: str) -> bool:
    """Whether a hook was switched off or revoked since it was started."""
    spec = runtime.find_spec(hook_id)
    if spec is None or runtime.gate is None:
        return False
    return runtime.gate.is_withdrawn(Run(spec=spec, event=event))


def finish_detached(runtime: Runtime, run: Run, finished: Finished) -> None:
    """Keep the answer of a detached hook for the next turn, and report its end."""
    if run.spec.once and finished.verdict.fault is not None:
        runtime.sessions.release(run.event, make_mark(run.spec))
    late = make_deferred(finished.verdict, run.dialect.table) if run.dialect is not None else None
    try:
        if late is not None and late.wake and runtime.wake is not None:
            runtime.wake(run.event.session_id, late.wake)
            late = late.replace(wake="")
    finally:  # also if the callback raises
        if late is not None and late.has_content:
            runtime.sessions.keep(run.event, late)
        runtime.sessions.over(run.event, run.spec.id)
        if runtime.journal is not None:
            runtime.journal.finished(
                run.event, run.spec, finished.verdict, finished.outcome, finished.ended
            )
        if runtime.finished is not None:
            runtime.finished(finished)
