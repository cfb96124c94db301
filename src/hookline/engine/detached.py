"""Detached hooks: started and not waited for, but never lost: each has its time limit, and `close` drains them."""

from __future__ import annotations

import threading
from time import monotonic

from hookline.handlers.inprocess import call
from hookline.handlers.program import Cancel
from hookline.handlers.table import perform_all
from hookline.model.frozen import Frozen
from hookline.model.handler import InProcess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dispatch import Run
    from hookline.handlers.program import Limits
    from hookline.model.outcome import Outcome


class Finished(Frozen):
    """A detached hook that came to its end."""

    hook_id: str
    outcome: Outcome


class Detached:
    """The detached hooks of one engine. `finished` tells each one's outcome, on the hook's own thread."""

    def __init__(self, limits: Limits | None, environ: Mapping[str, str], finished: Callable[[Finished], None] | None = None) -> None:
        self._limits = limits
        self._environ = environ
        self._finished = finished
        self._running: dict[threading.Thread, Cancel] = {}
        self._lock = threading.Lock()

    def start(self, run: Run) -> None:
        """Start a run on a thread of its own."""
        cancel = Cancel()
        thread = threading.Thread(target=self._perform, args=(run, cancel), name=f"hookline {run.spec.id}", daemon=True)
        with self._lock:
            self._running[thread] = cancel
        thread.start()

    def _perform(self, run: Run, cancel: Cancel) -> None:
        try:
            if isinstance(run.spec.handler, InProcess):
                outcome = call(run)
            else:
                (outcome,) = perform_all([run], limits=self._limits, cancel=cancel, environ=self._environ)
            if self._finished is not None:
                self._finished(Finished(hook_id=run.spec.id, outcome=outcome))
        finally:
            with self._lock:
                self._running.pop(threading.current_thread(), None)
                cancel.close()

    def drain(self, seconds: float) -> None:
        """Wait for what is running, at most so long altogether; then end it, process trees included."""
        until = monotonic() + seconds
        for thread in list(self._running):
            thread.join(max(0.0, until - monotonic()))
        with self._lock:
            for cancel in self._running.values():
                cancel.set()
        for thread in list(self._running):
            thread.join(seconds + 2)
