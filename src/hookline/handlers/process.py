"""Processes: run programs at once, bound their time and output, and leave nothing of them behind.

One poll loop serves any number of programs; what each goes through is in `child`. Rules: architecture, decision 9;
`agenthooks.md` 10; `security.md` 2.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque

from hookline.handlers.child import Child
from hookline.handlers.program import Cancel, Limits, Program
from hookline.model.outcome import TOO_LATE, Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LOOK_AGAIN = 0.01  # seconds, where no pidfd tells of an end
_LONGEST_WAIT = 3600.0  # poll counts in an int


def run_all(
    programs: Sequence[Program],
    *,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    cancel: Cancel | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Outcome]:
    """Run programs, as many at once as `limits` allow, and return their outcomes in the order given.

    Returns when each has ended, within its timeout plus grace plus a moment, whatever it does. Never raises for what a
    program does; an interrupt or a cancellation ends all of them first.
    """
    return Pool(programs, limits, cancel, clock, sleep).run()


class Pool:
    """The poll loop over the programs that are running."""

    def __init__(
        self,
        programs: Sequence[Program],
        limits: Limits,
        cancel: Cancel | None,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self.limits = limits
        self.clock = clock
        self.sleep = sleep
        self.cancel = cancel
        self.poll = select.poll()
        self.by_fd: dict[int, Child] = {}
        self.waiting = deque(enumerate(programs))
        self.outcomes: list[Outcome | None] = [None] * len(programs)
        self.running: list[Child] = []
        self.cancelled = False

    def run(self) -> list[Outcome]:
        try:
            if self.cancel is not None:
                self.poll.register(self.cancel.reader, select.POLLIN)
                self._take_turns(0)  # who is cancelled already starts nothing
            while self.waiting or self.running:
                self._start_some()
                self._turn()
        finally:
            for child in self.running:
                child.kill()
            for child in self.running:
                child.abandon()
        return [outcome for outcome in self.outcomes if outcome is not None]

    def _start_some(self) -> None:
        while self.waiting and len(self.running) < max(1, self.limits.at_once):
            at, program = self.waiting.popleft()
            if self.cancelled:
                self.outcomes[at] = Outcome(failure=Failure.CANCELLED)
                continue
            if self.clock() >= self.limits.until:
                self.outcomes[at] = Outcome(failure=Failure.TIMED_OUT, detail=TOO_LATE)
                continue
            child = Child(at, program, self)
            self.running.append(child)  # before it is started, so that an interrupt finds it
            child.start()
            self._settle(child)

    def _turn(self) -> None:
        """Wait for the next thing to happen to any program, and let each take notice."""
        if not self.running:
            return
        nearest = min(child.deadline for child in self.running)
        left = min(max(0.0, nearest - self.clock()), _LONGEST_WAIT)
        if any(child.pidfd < 0 for child in self.running):
            left = min(left, _LOOK_AGAIN)
        self._take_turns(left)
        now = self.clock()
        for child in list(self.running):
            child.take_notice(now)
            self._settle(child)

    def _take_turns(self, seconds: float) -> None:
        for fd, _ in self.poll.poll(seconds * 1000):
            if self.cancel is not None and fd == self.cancel.reader:
                self._cancel_all()
            elif fd in self.by_fd:
                self.by_fd[fd].ready(fd)

    def _settle(self, child: Child) -> None:
        if child.outcome is not None:
            self.outcomes[child.at] = child.outcome
            self.running.remove(child)

    def _cancel_all(self) -> None:
        assert self.cancel is not None  # noqa: S101 - only its own descriptor leads here
        self.poll.unregister(self.cancel.reader)
        self.cancelled = True
        for child in self.running:
            child.end(Failure.CANCELLED, self.clock())

    def watch(self, fd: int, child: Child, events: int) -> None:
        self.by_fd[fd] = child
        self.poll.register(fd, events)

    def forget(self, fd: int) -> None:
        """Close what was watched; nothing where that has happened already."""
        if self.by_fd.pop(fd, None) is not None:
            self.poll.unregister(fd)
            os.close(fd)
