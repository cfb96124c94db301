"""Processes: run programs at once, bound their time and output, and leave nothing of them behind.

One poll loop serves any number of programs; what each goes through is in `child`. Rules: docs/architecture.md 4.9;
docs/formats/agenthooks.md 10; docs/explanation/security.md 1.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque

from hookline.handlers.child import Child
from hookline.handlers.program import Cancel, Limits, Program
from hookline.model.frozen import Frozen
from hookline.model.outcome import TOO_LATE, Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_LOOK_AGAIN = 0.01  # seconds, where no pidfd tells of an end
_LONGEST_WAIT = 3600.0  # poll counts in an int
_NEVER = float("inf")


class Left(Frozen):
    """A program that went to the background while others waited for it. `child`: it, which no loop polls."""

    child: Any

    def finish(self, limits: Limits, cancel: Cancel | None = None) -> Outcome:
        """Wait for its end, and return what it did after its first line of output."""
        child: Child = self.child
        if child.outcome is None:
            Pool((), limits, cancel, time.monotonic, time.sleep).take_over(child)
        assert child.outcome is not None  # noqa: S101 - the loop returns when there is one
        return child.outcome

    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that belong to it."""
        child: Child = self.child
        return () if child.outcome is not None else tuple(fd for fd, _ in child.watched())


def run_all(
    programs: Sequence[Program],
    *,
    left: dict[int, Left] | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    cancel: Cancel | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Outcome]:
    """Run programs, as many at once as `limits` allow, and return their outcomes in the order given.

    `left` gets those that went to the background, by their places; their outcomes here are marked so. Returns when each has ended, within its timeout plus grace plus a moment, whatever it does. Never raises for what a
    program does; an interrupt or a cancellation ends all of them first.
    """
    pool = Pool(programs, limits, cancel, clock, sleep)
    outcomes = pool.run()
    if left is not None:
        left |= {child.at: Left(child=child) for child in pool.gone}
    return outcomes


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
        self.gone: list[Child] = []  # to the background
        self.cancelled = False

    def run(self) -> list[Outcome]:
        try:
            if self.cancel is not None:
                self.poll.register(self.cancel.reader, select.POLLIN)
                self._take_turns(0)  # who is cancelled already starts nothing
            while self.waiting or any(child.left is None for child in self.running):
                self._start_some()
                self._turn()
            self._leave()
        finally:
            for child in self.running:
                child.kill()
            for child in self.running:
                child.abandon()
        return [outcome for outcome in self.outcomes if outcome is not None]

    def _leave(self) -> None:
        """Give back the programs that go on in the background: no loop polls them until `Left.finish`."""
        for child in self.running:
            assert child.left is not None  # noqa: S101 - the others have ended
            self.outcomes[child.at] = child.goes_on()
            for fd in [fd for fd, watching in self.by_fd.items() if watching is child]:
                self.poll.unregister(fd)
                del self.by_fd[fd]
        self.running = []

    def _start_some(self) -> None:
        while self.waiting and len(self.running) < max(1, self.limits.at_once):
            at, program = self.waiting.popleft()
            if self.cancelled:
                self.outcomes[at] = Outcome(failure=Failure.CANCELLED)
                continue
            if self.limits.until < _NEVER and self.clock() >= self.limits.until:
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

    def take_over(self, child: Child) -> None:
        """Poll a program that another loop started, until its end."""
        self.outcomes, child.at, child.pool, child.left = [None], 0, self, None
        for fd, events in child.watched():
            self.watch(fd, child, events)
        self.running.append(child)
        self.run()

    def _settle(self, child: Child) -> None:
        if child.left is not None and child not in self.gone:
            self.gone.append(child)
        if child.outcome is not None:
            self.outcomes[child.at] = child.outcome if child.left is None else child.goes_on()
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
