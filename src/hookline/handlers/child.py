"""Child: one program from its start to its outcome: fed, read, hurried and buried.

Its end is its leader's exit, told by a pidfd, never the end of its output: an orphan may hold a pipe for ever. The leader
is reaped only after its group got its last signal, so that the group's number cannot belong to a stranger.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess

from hookline.errors import HandlerError
from hookline.handlers import escapees, orphans, spawn
from hookline.model.outcome import Failure, Outcome
from hookline.wire.hookoutput import background_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from hookline.handlers.escapees import Process
    from hookline.handlers.program import Limits, Program

    class Pool(Protocol):
        """What a child needs of the pool that runs it."""

        limits: Limits
        clock: Callable[[], float]
        sleep: Callable[[float], None]

        def watch(self, fd: int, child: Child, events: int) -> None: ...
        def forget(self, fd: int) -> None: ...


_CHUNK = 1 << 16
_READABLE = select.POLLIN | select.POLLHUP | select.POLLERR
_LONGEST_LINE = 4096  # bytes of a first line that may mean the background
_LOST = "its exit code was lost: something else in this process waits for every child"


class Child:
    """One program of a pool.

    `deadline` is when something must be done about it next: the time limit, then the end of the grace, then the end of
    waiting for a killed program; or, once its leader has exited, the end of reading from pipes that others hold.
    """

    def __init__(self, at: int, program: Program, pool: Pool) -> None:
        self.at = at
        self.program = program
        self.pool = pool
        self.limits = pool.limits
        self.began = pool.clock()
        self.deadline = min(self.began + program.timeout, self.limits.until)
        self.seconds = self.deadline - self.began
        self.outcome: Outcome | None = None
        self.failure: Failure | None = None
        self.popen: subprocess.Popen[bytes] | None = None
        self.pid = self.pidfd = self.stdin = self.stdout = self.stderr = -1
        self.exited = self.reaped = False
        self.signalled = 0
        self.left: float | None = None  # the seconds that it asked for in the background
        self.first_line = 0  # bytes of the line by which it did
        self.looked = not program.may_leave
        self.pipes: set[str] = set()
        self.strays: set[Process] = set()
        self.kept: dict[int, bytearray] = {}
        self.counted: dict[int, int] = {}
        self.unsent = memoryview(program.stdin)
        self.lasting = contextlib.ExitStack()  # what is kept for it until it ended

    def start(self) -> None:
        """Start it, or come to an outcome at once."""
        try:
            self.popen, ends, sent = spawn.start(self.program, self.pool.sleep, self.lasting)
        except (OSError, ValueError, HandlerError) as error:
            self.lasting.close()
            seconds = self.pool.clock() - self.began
            self.outcome = Outcome(
                failure=Failure.NOT_STARTED, detail=spawn.why(error, self.program), seconds=seconds
            )
            return
        self.pid = self.popen.pid
        self.stdin, self.stdout, self.stderr = ends
        for fd, events in zip(ends, (select.POLLOUT, _READABLE, _READABLE), strict=True):
            self.pool.watch(fd, self, events)
        for fd in (self.stdout, self.stderr):
            self.kept[fd], self.counted[fd] = bytearray(), 0
            self.pipes.add(escapees.pipe_name(fd))
        self.unsent = self.unsent[sent:]
        if not self.unsent:
            self._stop_feeding()
        self.pidfd = escapees.pidfd(self.pid)
        if self.pidfd >= 0:
            self.pool.watch(self.pidfd, self, select.POLLIN)

    # -- what the poll tells ---------------------------------------------------------------------------------------

    def ready(self, fd: int) -> None:
        if fd == self.pidfd:
            self._leader_exited()
        elif fd == self.stdin:
            self._feed()
        else:
            self._read(fd)

    def _leader_exited(self) -> None:
        self.exited = True
        if self.pidfd >= 0:
            self.pool.forget(self.pidfd)
            self.pidfd = -1
        if self.stdin >= 0:
            self._stop_feeding()
        self.deadline = self.pool.clock() + (0 if self.signalled else self.limits.drain)

    def _feed(self) -> None:
        try:
            written = _write(self.stdin, self.unsent[:_CHUNK])
        except BlockingIOError:
            return
        except OSError:  # EPIPE: a hook need not read what it is sent
            self._stop_feeding()
            return
        self.unsent = self.unsent[written:]
        if not self.unsent:
            self._stop_feeding()

    def _stop_feeding(self) -> None:
        self.pool.forget(self.stdin)
        self.stdin = -1

    def _read(self, fd: int) -> bool:
        """Take what the stream has; false at its end or where there is nothing now."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._stop_reading(fd)
            return False
        kept = self.kept[fd]
        kept += data[: self.limits.kept - len(kept)]
        self.counted[fd] += len(data)
        if not self.looked and fd == self.stdout and b"\n" in kept:
            self._look_at_first_line()
        if (
            sum(self.counted.values()) > self.limits.flood
            and self.failure is None
            and not self.exited
        ):
            self.failure = Failure.FLOODED
            self._end_now()
        return True

    def _look_at_first_line(self) -> None:
        """Send the program to the background where its first line of output says so."""
        self.looked = True
        line, newline, _ = bytes(next(iter(self.kept.values()))).partition(b"\n")
        if len(line) > _LONGEST_LINE:
            return
        seconds = background_seconds(line.decode("utf-8", "replace"))
        if seconds is None:
            return
        self.left, self.first_line = seconds, len(line) + len(newline)
        if not self.exited and not self.signalled:
            self.seconds = min(seconds, self.limits.detached)
            self.deadline = self.pool.clock() + self.seconds

    def goes_on(self) -> Outcome:
        """The outcome for whoever waits: there is nothing to wait for."""
        return Outcome(background=True, seconds=self.pool.clock() - self.began)

    def watched(self) -> list[tuple[int, int]]:
        """Every descriptor of it that is open, with the events that matter."""
        ends = ((self.stdin, select.POLLOUT), (self.stdout, _READABLE), (self.stderr, _READABLE))
        return [(fd, events) for fd, events in (*ends, (self.pidfd, select.POLLIN)) if fd >= 0]

    def _stop_reading(self, fd: int) -> None:
        self.pool.forget(fd)
        if fd == self.stdout:
            self.stdout = -1
        else:
            self.stderr = -1

    # -- what time tells -------------------------------------------------------------------------------------------

    def take_notice(self, now: float) -> None:
        if self.pidfd < 0 and not self.exited and _has_exited(self.pid):
            self._leader_exited()
        if self.exited and (
            self.signalled or (self.stdout < 0 and self.stderr < 0) or now >= self.deadline
        ):
            self._finish(now)
        elif now >= self.deadline:
            self._overdue(now)

    def _overdue(self, now: float) -> None:
        if not self.signalled:
            self.end(Failure.TIMED_OUT, now)
        elif self.signalled == signal.SIGTERM:
            self._end_now()
        else:  # not even SIGKILL ended it: blocked in the kernel; nobody waits for it any longer
            self._finish(now)

    def end(self, failure: Failure, now: float) -> None:
        """SIGTERM to the group; SIGKILL follows after the grace."""
        if self.exited or self.signalled:
            return
        self.failure = failure
        self.strays = escapees.descendants(self.pid, self.strays)
        self._signal(signal.SIGTERM)
        self.deadline = now + self.limits.grace

    def _end_now(self) -> None:
        self.kill()
        self.deadline = self.pool.clock() + self.limits.last

    def kill(self) -> None:
        """SIGKILL to the group. Stopped first, it starts nothing while we look for what has left it."""
        self._signal(signal.SIGSTOP)
        self.strays |= escapees.descendants(self.pid, self.strays)
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        self.signalled = number
        if self.pid > 0 and not self.reaped:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    # -- the end ---------------------------------------------------------------------------------------------------

    def _finish(self, now: float) -> None:
        """Read what is left, end what must not live on, reap the leader, and make the outcome."""
        held = [fd for fd in (self.stdout, self.stderr) if fd >= 0 and self._drain(fd)]
        if not self.looked:
            self._look_at_first_line()
        out, err = self.kept.values()
        stdout = out[self.first_line :].decode("utf-8", "replace")
        stderr = err.decode("utf-8", "replace")
        left_alone = not self.signalled and not self.program.kill_leftovers
        if not left_alone:
            self._sweep()
        code, died_of = self._reap()
        orphans.unregister(self.pid, ended=not left_alone)
        self.lasting.close()
        self.outcome = Outcome(
            exit_code=None if self.failure else code,
            stdout=stdout,
            stderr=stderr,
            failure=self.failure,
            detail=self._detail(died_of),
            seconds=now - self.began,
            truncated=any(count > self.limits.kept for count in self.counted.values()),
            leftovers=left_alone and bool(held),
        )

    def _drain(self, fd: int) -> bool:
        """Take what is in the pipe now, and no more, as whoever still writes to it may do so for ever. Whether one might."""
        for _ in range(self.limits.kept // _CHUNK + 1):
            if not self._read(fd):
                break
        if fd not in {self.stdout, self.stderr}:
            return False
        self._stop_reading(fd)
        return True

    def _sweep(self) -> None:
        """SIGKILL for the rest of the group, and for what left it."""
        if self.pid > 0 and not self.reaped:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        quick = not self.signalled
        if orphans.adopts():
            orphans.end_run(self.pid, self.pipes, self.strays, quick=quick)
        else:
            escapees.kill(self.pid, self.program.cookie, self.pipes, self.strays, quick=quick)

    def _reap(self) -> tuple[int | None, str]:
        """The exit code, or the name of the signal that the leader died of; neither, where nobody can tell."""
        assert self.popen is not None  # noqa: S101 - who is reaped was started
        self.reaped = True  # from here on its number may be a stranger's
        if self.pidfd >= 0:
            self.pool.forget(self.pidfd)
            self.pidfd = -1
        try:
            told = os.waitid(
                os.P_PID, self.pid, os.WEXITED if self.exited else os.WEXITED | os.WNOHANG
            )
        except ChildProcessError:
            self.popen.returncode = -1
            self.failure = self.failure or Failure.UNREADABLE
            return None, ""
        if told is None:
            return None, ""
        if told.si_code == os.CLD_EXITED:
            self.popen.returncode = told.si_status
            return told.si_status, ""
        self.popen.returncode = -told.si_status
        self.failure = self.failure or Failure.KILLED
        return None, _signal_name(told.si_status)

    def _detail(self, died_of: str) -> str:
        match self.failure:
            case Failure.TIMED_OUT:
                return f"after {round(self.seconds, 3):g} s"
            case Failure.KILLED:
                return died_of
            case Failure.FLOODED:
                return (
                    f"more than {self.limits.flood >> 20} MiB"
                    if self.limits.flood >> 20
                    else f"more than {self.limits.flood} bytes"
                )
            case Failure.UNREADABLE:
                return _LOST
        return ""

    def abandon(self) -> None:
        """Bury it without an outcome, killed as it is: whoever asked for it is gone."""
        if not self.reaped:
            self._sweep()
            if self.popen is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.popen.wait(self.limits.last)
                orphans.unregister(self.pid, ended=True)
        for fd in (self.stdin, self.stdout, self.stderr, self.pidfd):
            self.pool.forget(fd)
        self.lasting.close()


def _write(fd: int, data: memoryview) -> int:
    """What `os.write` does, also in a host where SIGPIPE kills."""
    if signal.getsignal(signal.SIGPIPE) is not signal.SIG_DFL:
        return os.write(fd, data)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        return os.write(fd, data)
    except BrokenPipeError:
        signal.sigtimedwait({signal.SIGPIPE}, 0)
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _has_exited(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    except ChildProcessError:
        return True


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal between the first and the last
        return f"signal {number}"
