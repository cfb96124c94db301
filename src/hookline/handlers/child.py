"""Child: runs one program.

Writes stdin, drains stdout and stderr, enforces the timeout, reaps the process.

A program ends when its leader exits, which a pidfd reports. The end of its output does not count,
because an orphan may hold a pipe for ever. hookline reaps the leader only after the last signal to
its group, so that the group's number stays valid.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess

from hookline.errors import HandlerError
from hookline.handlers import process_tree, spawn, subreaper
from hookline.model.verdict import Failure, Outcome
from hookline.wire.hookoutput import background_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from hookline.handlers.process_spec import Limits, Program
    from hookline.handlers.process_tree import Process

    class Pool(Protocol):
        """The part of a pool that a child uses."""

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

    `deadline` is the time of the next action: the time limit, then the end of the grace period,
    then the end of waiting for a killed program. Once its leader has exited, it is the end of
    reading from pipes that other processes hold.
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
        self.first_line = 0  # length of that first line in bytes
        self.looked = not program.may_leave
        self.pipes: set[str] = set()
        self.strays: set[Process] = set()
        self.kept: dict[int, bytearray] = {}
        self.counted: dict[int, int] = {}
        self.unsent = memoryview(program.stdin)

    def start(self) -> None:
        """Start the program, or record why it cannot start."""
        try:
            self.popen, ends, sent = spawn.start(self.program, self.pool.sleep)
        except (OSError, ValueError, HandlerError) as error:
            seconds = self.pool.clock() - self.began
            self.outcome = Outcome(
                failure=Failure.NOT_STARTED,
                detail=spawn.explain_start_failure(error, self.program),
                seconds=seconds,
            )
            return
        self.pid = self.popen.pid
        self.stdin, self.stdout, self.stderr = ends
        for fd, events in zip(ends, (select.POLLOUT, _READABLE, _READABLE), strict=True):
            self.pool.watch(fd, self, events)
        for fd in (self.stdout, self.stderr):
            self.kept[fd], self.counted[fd] = bytearray(), 0
            self.pipes.add(process_tree.pipe_name(fd))
        self.unsent = self.unsent[sent:]
        if not self.unsent:
            self._stop_feeding()
        self.pidfd = process_tree.open_pidfd(self.pid)
        if self.pidfd >= 0:
            self.pool.watch(self.pidfd, self, select.POLLIN)

    # -- events of the poll ------------------------------------------------------------------------

    def on_ready(self, fd: int) -> None:
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
        except OSError:  # EPIPE: a hook need not read its stdin
            self._stop_feeding()
            return
        self.unsent = self.unsent[written:]
        if not self.unsent:
            self._stop_feeding()

    def _stop_feeding(self) -> None:
        self.pool.forget(self.stdin)
        self.stdin = -1

    def _read(self, fd: int) -> bool:
        """Read what the stream has now; return False at its end or if there is nothing."""
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
        """Send the program to the background if its first line of output asks for that."""
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

    def background_outcome(self) -> Outcome:
        """Return the outcome of a program that continues in the background."""
        return Outcome(background=True, seconds=self.pool.clock() - self.began)

    def watched_descriptors(self) -> list[tuple[int, int]]:
        """Return each open descriptor of the program, with the events to poll."""
        ends = ((self.stdin, select.POLLOUT), (self.stdout, _READABLE), (self.stderr, _READABLE))
        return [(fd, events) for fd, events in (*ends, (self.pidfd, select.POLLIN)) if fd >= 0]

    def _stop_reading(self, fd: int) -> None:
        self.pool.forget(fd)
        if fd == self.stdout:
            self.stdout = -1
        else:
            self.stderr = -1

    # -- timeouts ----------------------------------------------------------------------------------

    def check_progress(self, now: float) -> None:
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
        else:  # SIGKILL did not end it: it is blocked in the kernel, and hookline stops waiting
            self._finish(now)

    def end(self, failure: Failure, now: float) -> None:
        """Send SIGTERM to the group; SIGKILL follows after the grace period."""
        if self.exited or self.signalled:
            return
        self.failure = failure
        self.strays = process_tree.find_descendants(self.pid, self.strays)
        self._signal(signal.SIGTERM)
        self.deadline = now + self.limits.grace

    def _end_now(self) -> None:
        self.kill()
        self.deadline = self.pool.clock() + self.limits.last

    def kill(self) -> None:
        """Send SIGKILL to the group.

        SIGSTOP comes first, so that it starts nothing during the search for strays.
        """
        self._signal(signal.SIGSTOP)
        self.strays |= process_tree.find_descendants(self.pid, self.strays)
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        self.signalled = number
        if self.pid > 0 and not self.reaped:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    # -- the end -----------------------------------------------------------------------------------

    def _finish(self, now: float) -> None:
        """Read the remaining output, end the remaining processes, reap the leader, and make the outcome."""
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
        subreaper.unregister(self.pid, ended=not left_alone)
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
        """Read only what is in the pipe now, because its writers may never stop.

        Return whether it is still open.
        """
        for _ in range(self.limits.kept // _CHUNK + 1):
            if not self._read(fd):
                break
        if fd not in {self.stdout, self.stderr}:
            return False
        self._stop_reading(fd)
        return True

    def _sweep(self) -> None:
        """Send SIGKILL to the rest of the group, and to processes that left it."""
        if self.pid > 0 and not self.reaped:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        quick = not self.signalled
        if subreaper.is_subreaper():
            subreaper.end_run(self.pid, self.pipes, self.strays, quick=quick)
        else:
            process_tree.kill_escaped(
                self.pid, self.program.cookie, self.pipes, self.strays, quick=quick
            )

    def _reap(self) -> tuple[int | None, str]:
        """Return the exit code, or the name of the signal that ended the leader.

        Neither if it is unknown.
        """
        assert self.popen is not None  # noqa: S101 - only a started program is reaped
        self.reaped = True  # from here on, another process may get its number
        if self.pidfd >= 0:
            self.pool.forget(self.pidfd)
            self.pidfd = -1
        try:
            end = os.waitid(
                os.P_PID, self.pid, os.WEXITED if self.exited else os.WEXITED | os.WNOHANG
            )
        except ChildProcessError:
            self.popen.returncode = -1
            self.failure = self.failure or Failure.UNREADABLE
            return None, ""
        if end is None:
            return None, ""
        if end.si_code == os.CLD_EXITED:
            self.popen.returncode = end.si_status
            return end.si_status, ""
        self.popen.returncode = -end.si_status
        self.failure = self.failure or Failure.KILLED
        return None, _signal_name(end.si_status)

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
        """Kill and reap the program without an outcome, because its caller is gone."""
        if not self.reaped:
            self._sweep()
            if self.popen is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.popen.wait(self.limits.last)
                subreaper.unregister(self.pid, ended=True)
        for fd in (self.stdin, self.stdout, self.stderr, self.pidfd):
            self.pool.forget(fd)


def _write(fd: int, data: memoryview) -> int:
    """Call `os.write`, also in a host process where SIGPIPE would be fatal."""
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
