"""Processes: runs programs concurrently, bounds their time and output, and leaves no process behind.

One poll loop serves any number of programs; `child` runs each of them. Rules: docs/architecture.md
4.9; docs/formats/agenthooks.md 10; docs/explanation/security.md 1.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque

from hookline.handlers.child import Child
from hookline.handlers.process_spec import Cancel, Limits, Program
from hookline.model.frozen import Frozen
from hookline.model.verdict import TOO_LATE, Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_LOOK_AGAIN = 0.01  # seconds, for systems without pidfd
_LONGEST_WAIT = 3600.0  # poll counts in an int
_NEVER = float("inf")


class BackgroundProgram(Frozen):
    """A program that continues in the background. `child`: the program, which no loop polls now."""

    child: Any

    def finish(self, limits: Limits, cancel: Cancel | None = None) -> Outcome:
        """Wait for its end, and return its output after the first line."""
        child: Child = self.child
        if child.outcome is None:
            Pool((), limits, cancel, time.monotonic, time.sleep).take_over(child)
        assert child.outcome is not None  # noqa: S101 - the loop returns when there is one
        return child.outcome

    def descriptors(self) -> tuple[int, ...]:
        """Return the open descriptors of the program."""
        child: Child = self.child
        return (
            () if child.outcome is not None else tuple(fd for fd, _ in child.watched_descriptors())
        )


def run_all(
    programs: Sequence[Program],
    *,
    left: dict[int, BackgroundProgram] | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    cancel: Cancel | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Outcome]:
    """Run programs, as many at once as `limits` allow, and return their outcomes in order.

    `left` receives those that go to the background, by position; their outcomes are marked so. Each
    program ends within its timeout plus the grace period plus a moment. Nothing that a program does
    raises an exception here; an interrupt or a cancellation ends all of them first.
    """
    pool = Pool(programs, limits, cancel, clock, sleep)
    outcomes = pool.run()
    if left is not None:
        left |= {child.at: BackgroundProgram(child=child) for child in pool.gone}
    return outcomes


class Pool:
    """The poll loop of the running programs."""

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
        self.gone: list[Child] = []  # in the background
        self.cancelled = False

    def run(self) -> list[Outcome]:
        try:
            if self.cancel is not None:
                self.poll.register(self.cancel.reader, select.POLLIN)
                self._take_turns(0)  # a set switch starts no program
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
        """Hand out the programs that continue in the background: no loop polls them until `BackgroundProgram.finish`."""
        for child in self.running:
            assert child.left is not None  # noqa: S101 - the others have ended
            self.outcomes[child.at] = child.background_outcome()
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
            self.running.append(child)  # before its start, so that an interrupt finds it
            child.start()
            self._settle(child)

    def _turn(self) -> None:
        """Wait for the next event of any program, and let each check its progress."""
        if not self.running:
            return
        nearest = min(child.deadline for child in self.running)
        left = min(max(0.0, nearest - self.clock()), _LONGEST_WAIT)
        if any(child.pidfd < 0 for child in self.running):
            left = min(left, _LOOK_AGAIN)
        self._take_turns(left)
        now = self.clock()
        for child in list(self.running):
            child.check_progress(now)
            self._settle(child)

    def _take_turns(self, seconds: float) -> None:
        for fd, _ in self.poll.poll(seconds * 1000):
            if self.cancel is not None and fd == self.cancel.reader:
                self._cancel_all()
            elif fd in self.by_fd:
                self.by_fd[fd].on_ready(fd)

    def take_over(self, child: Child) -> None:
        """Poll a program that another loop started, until its end."""
        self.outcomes, child.at, child.pool, child.left = [None], 0, self, None
        for fd, events in child.watched_descriptors():
            self.watch(fd, child, events)
        self.running.append(child)
        self.run()

    def _settle(self, child: Child) -> None:
        if child.left is not None and child not in self.gone:
            self.gone.append(child)
        if child.outcome is not None:
            self.outcomes[child.at] = (
                child.outcome if child.left is None else child.background_outcome()
            )
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
        """Close a watched descriptor; do nothing if it is closed already."""
        if self.by_fd.pop(fd, None) is not None:
            self.poll.unregister(fd)
            os.close(fd)
