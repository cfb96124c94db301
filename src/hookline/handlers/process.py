"""Processes: runs programs at once, bounds their time and output, and leaves no process behind.

One poll loop, the `Pool`, serves any number of programs. A `Child` is one of them. It ends when
its leader exits, which a pidfd reports; the end of its output does not count, because an orphan
may hold a pipe for ever. hookline reaps the leader only after the last signal to its group, so
that the number of the group stays valid. Rules: docs/explanation/security.md 1.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections import deque

from hookline.handlers import process_tree
from hookline.handlers.process_spec import Cancel, Limits, Program
from hookline.model.verdict import TOO_LATE, Failure, Outcome
from hookline.wire.hookoutput import background_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hookline.handlers.process_tree import Process

_CHUNK = 1 << 16
_READABLE = select.POLLIN | select.POLLHUP | select.POLLERR
_LOOK_AGAIN = 0.01  # seconds, for systems without pidfd
_LONGEST_WAIT = 3600.0  # seconds; poll counts in an int
_LOST = "its exit code was lost: something else in this process waits for every child"


def run_all(
    programs: Sequence[Program],
    *,
    left: dict[int, BackgroundProgram] | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    cancel: Cancel | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> list[Outcome]:
    """Run programs, as many at once as `limits` allow, and return their outcomes in order.

    `left` receives those that go to the background, by position; their outcomes are marked so. Each
    program ends within its timeout plus the grace period plus a moment. Nothing that a program does
    raises an exception here; an interrupt or a cancellation ends all of them first.
    """
    children = [Child(program) for program in programs]
    Pool(limits, cancel, clock).run(children)
    for at, child in enumerate(children):
        if left is not None and child.leaves:
            left[at] = BackgroundProgram(child)
    return [child.take_outcome() for child in children]


class BackgroundProgram:
    """A program that continues in the background; no loop polls it before `finish`."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def finish(self, limits: Limits, cancel: Cancel | None = None) -> Outcome:
        """Wait for its end, and return its output after the first line."""
        child = self._child
        child.leaves = False
        if child.outcome is None:
            pool = Pool(limits, cancel, time.monotonic)
            pool.add(child)
            pool.run(())
        return child.take_outcome()

    def descriptors(self) -> tuple[int, ...]:
        """Return the open descriptors of the program."""
        return tuple(fd for fd, _ in self._child.watched())


class Pool:
    """The poll loop of the running programs."""

    def __init__(self, limits: Limits, cancel: Cancel | None, clock: Callable[[], float]) -> None:
        self.limits = limits
        self.clock = clock
        self._cancel = cancel
        self._cancelled = False
        self._poll = select.poll()
        self._by_fd: dict[int, Child] = {}
        self._running: list[Child] = []
        if cancel is not None:
            self._poll.register(cancel.reader, select.POLLIN)

    def run(self, children: Iterable[Child]) -> None:
        """Run programs, and those added before, until each has ended or left for the background."""
        waiting = deque(children)
        try:
            self._handle_events(0)  # a set switch starts no program
            while waiting or not all(child.leaves for child in self._running):
                while waiting and len(self._running) < max(1, self.limits.at_once):
                    self._start(waiting.popleft())
                self._wait_for_progress()
        except BaseException:
            for child in self._running:
                child.kill()
            for child in self._running:
                child.abandon()
            raise

    def add(self, child: Child) -> None:
        """Poll a program."""
        child.pool = self
        self._running.append(child)
        for fd, events in child.watched():
            self.watch(fd, child, events)

    def _start(self, child: Child) -> None:
        if self._cancelled:
            child.outcome = Outcome(failure=Failure.CANCELLED)
            return
        self.add(child)  # before its start, so that an interrupt finds it
        child.start()
        if child.outcome is not None:
            self._running.remove(child)

    def _wait_for_progress(self) -> None:
        if not self._running:
            return
        nearest = min(child.deadline for child in self._running)
        seconds = min(max(0.0, nearest - self.clock()), _LONGEST_WAIT)
        if any(child.pidfd < 0 for child in self._running):
            seconds = min(seconds, _LOOK_AGAIN)
        self._handle_events(seconds)
        now = self.clock()
        for child in list(self._running):
            child.check_progress(now)
            if child.outcome is not None:
                self._running.remove(child)

    def _handle_events(self, seconds: float) -> None:
        for fd, _ in self._poll.poll(seconds * 1000):
            if self._cancel is not None and fd == self._cancel.reader:
                self._poll.unregister(fd)
                self._cancelled = True
                for child in self._running:
                    child.end(Failure.CANCELLED)
            elif fd in self._by_fd:
                self._by_fd[fd].on_ready(fd)

    def watch(self, fd: int, child: Child, events: int) -> None:
        self._by_fd[fd] = child
        self._poll.register(fd, events)

    def close(self, fd: int) -> None:
        """Close a watched descriptor; do nothing if it is closed already."""
        if self._by_fd.pop(fd, None) is not None:
            self._poll.unregister(fd)
            os.close(fd)


class _Stream:
    """An output stream: its descriptor (-1 once closed), what is kept of it, and its length."""

    def __init__(self) -> None:
        self.fd = -1
        self.kept = bytearray()
        self.length = 0


class Child:
    """One program of a pool.

    `deadline` is the time of the next action: the time limit, then the end of the grace period,
    then the end of waiting for a killed program. Once its leader has exited, it is the end of
    reading from pipes that other processes hold. `leaves`: it asked to continue in the background.
    """

    pool: Pool

    def __init__(self, program: Program) -> None:
        self.program = program
        self.outcome: Outcome | None = None
        self.leaves = False
        self.began = self.deadline = self.seconds = 0.0
        self.pid = self.pidfd = self.stdin = -1
        self._failure: Failure | None = None
        self._popen: subprocess.Popen[bytes] | None = None
        self._exited = self._reaped = False
        self._signalled = 0
        self._looked = not program.may_leave
        self._first_line = 0  # length in bytes of a line that asked for the background
        self._known: set[Process] = set()
        self._out, self._err = _Stream(), _Stream()
        self._unsent = memoryview(program.stdin)

    def start(self) -> None:
        """Start the program, or record why it cannot start."""
        self.began = self.pool.clock()
        if self.began >= self.pool.limits.until:
            self.outcome = Outcome(failure=Failure.TIMED_OUT, detail=TOO_LATE)
            return
        self.deadline = min(self.began + self.program.timeout, self.pool.limits.until)
        self.seconds = self.deadline - self.began
        try:
            self._popen, ends = process_tree.start(self.program)
        except (OSError, ValueError) as error:
            self.outcome = Outcome(
                failure=Failure.NOT_STARTED,
                detail=process_tree.explain_start_failure(error, self.program),
                seconds=self.pool.clock() - self.began,
            )
            return
        self.pid = self._popen.pid
        self.stdin, self._out.fd, self._err.fd = ends
        self.pidfd = process_tree.open_pidfd(self.pid)
        for fd, events in self.watched():
            self.pool.watch(fd, self, events)
        self._feed()

    def watched(self) -> list[tuple[int, int]]:
        """Return each open descriptor of the program, with the events to poll."""
        ends = [(self.stdin, select.POLLOUT), (self.pidfd, select.POLLIN)]
        ends += [(self._out.fd, _READABLE), (self._err.fd, _READABLE)]
        return [(fd, events) for fd, events in ends if fd >= 0]

    def take_outcome(self) -> Outcome:
        """Return the outcome; that of a program that left for the background says so."""
        if self.leaves:
            return Outcome(background=True, seconds=self.pool.clock() - self.began)
        assert self.outcome is not None  # noqa: S101 - the loop returns when there is one
        read = self.program.read
        return read(self.outcome) if read else self.outcome

    # -- events of the poll ------------------------------------------------------------------------

    def on_ready(self, fd: int) -> None:
        if fd == self.pidfd:
            self._leader_exited()
        elif fd == self.stdin:
            self._feed()
        else:
            self._read(self._out if fd == self._out.fd else self._err)

    def _leader_exited(self) -> None:
        self._exited = True
        self.pool.close(self.pidfd)
        self.pidfd = -1
        self._stop_feeding()
        self.deadline = self.pool.clock() + (0 if self._signalled else self.pool.limits.drain)

    def _feed(self) -> None:
        try:
            self._unsent = self._unsent[_write(self.stdin, self._unsent[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # EPIPE: a hook need not read its stdin
            self._stop_feeding()
            return
        if not self._unsent:
            self._stop_feeding()

    def _stop_feeding(self) -> None:
        self.pool.close(self.stdin)
        self.stdin = -1

    def _read(self, stream: _Stream) -> bool:
        """Read what the stream has now; return False at its end or if there is nothing."""
        try:
            data = os.read(stream.fd, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._stop_reading(stream)
            return False
        limits = self.pool.limits
        stream.kept += data[: limits.kept - len(stream.kept)]
        stream.length += len(data)
        if not self._looked and b"\n" in self._out.kept:
            self._look_at_first_line()
        if self._out.length + self._err.length > limits.flood and not (
            self._exited or self._failure
        ):
            self._failure = Failure.FLOODED
            self._end_now()
        return True

    def _stop_reading(self, stream: _Stream) -> None:
        self.pool.close(stream.fd)
        stream.fd = -1

    def _look_at_first_line(self) -> None:
        """Send the program to the background if its first line of output asks for that."""
        self._looked = True
        line = bytes(self._out.kept).partition(b"\n")[0]
        seconds = background_seconds(line.decode("utf-8", "replace"))
        if seconds is None:
            return
        self.leaves, self._first_line = True, len(line) + 1
        if not self._exited and not self._signalled:
            self.seconds = min(seconds, self.pool.limits.detached)
            self.deadline = self.pool.clock() + self.seconds

    # -- timeouts ----------------------------------------------------------------------------------

    def check_progress(self, now: float) -> None:
        if self.pidfd < 0 and not self._exited and _has_exited(self.pid):
            self._leader_exited()
        is_read = self._signalled or (self._out.fd < 0 and self._err.fd < 0)
        if self._exited and (is_read or now >= self.deadline):
            self._finish(now)
        elif now < self.deadline:
            return
        elif not self._signalled:
            self.end(Failure.TIMED_OUT)
        elif self._signalled == signal.SIGTERM:
            self._end_now()
        else:  # SIGKILL did not end it: it is blocked in the kernel, and hookline stops waiting
            self._finish(now)

    def end(self, failure: Failure) -> None:
        """Send SIGTERM to the group; SIGKILL follows after the grace period."""
        if self._exited or self._signalled:
            return
        self._failure = failure
        self._known |= process_tree.find_descendants(self.pid)
        self._signal(signal.SIGTERM)
        self.deadline = self.pool.clock() + self.pool.limits.grace

    def _end_now(self) -> None:
        self.kill()
        self.deadline = self.pool.clock() + self.pool.limits.last

    def kill(self) -> None:
        """Send SIGKILL to the group."""
        self._known |= process_tree.find_descendants(self.pid)
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        self._signalled = number
        if self.pid > 0 and not self._reaped:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    # -- the end -----------------------------------------------------------------------------------

    def _finish(self, now: float) -> None:
        """Read the remaining output, end the remaining processes, and reap the leader."""
        held = [
            stream for stream in (self._out, self._err) if stream.fd >= 0 and self._drain(stream)
        ]
        if not self._looked:
            self._look_at_first_line()
        spares = not self._signalled and not self.program.kill_leftovers
        if not spares:
            self._end_rest()
        code, died_of = self._reap()
        self.outcome = Outcome(
            exit_code=None if self._failure else code,
            stdout=self._out.kept[self._first_line :].decode("utf-8", self.program.undecodable),
            stderr=self._err.kept.decode("utf-8", "replace"),
            failure=self._failure,
            detail=self._detail(died_of),
            seconds=now - self.began,
            truncated=any(s.length > len(s.kept) for s in (self._out, self._err)),
            leftovers=spares and bool(held),
        )

    def _drain(self, stream: _Stream) -> bool:
        """Read only what is in the pipe now, because its writers may never stop.

        Return whether another process holds it open.
        """
        for _ in range(self.pool.limits.kept // _CHUNK + 1):
            if not self._read(stream):
                break
        is_open = stream.fd >= 0
        self._stop_reading(stream)
        return is_open

    def _end_rest(self) -> None:
        """Send SIGKILL to the rest of the group, and to processes that left it."""
        quick = not self._signalled
        self._signal(signal.SIGKILL)
        process_tree.end_run(self.pid, self.program.cookie, self._known, quick=quick)

    def _reap(self) -> tuple[int | None, str]:
        """Return the exit code, or the name of the signal that ended the leader."""
        popen = self._popen
        assert popen is not None  # noqa: S101 - only a started program is reaped
        self._reaped = True  # from here on, another process may get its number
        self.pool.close(self.pidfd)
        self.pidfd = -1
        try:
            options = os.WEXITED if self._exited else os.WEXITED | os.WNOHANG
            end = os.waitid(os.P_PID, self.pid, options)
        except ChildProcessError:
            popen.returncode = -1
            self._failure = self._failure or Failure.UNREADABLE
            return None, ""
        finally:
            process_tree.forget(self.pid)
        if end is None:
            return None, ""
        if end.si_code == os.CLD_EXITED:
            popen.returncode = end.si_status
            return end.si_status, ""
        popen.returncode = -end.si_status
        self._failure = self._failure or Failure.KILLED
        return None, _signal_name(end.si_status)

    def _detail(self, died_of: str) -> str:
        match self._failure:
            case Failure.TIMED_OUT:
                return f"after {round(self.seconds, 3):g} s"
            case Failure.KILLED:
                return died_of
            case Failure.FLOODED:
                return f"more than {self.pool.limits.flood / (1 << 20):g} MiB"
            case Failure.UNREADABLE:
                return _LOST
        return ""

    def abandon(self) -> None:
        """Kill and reap the program without an outcome, because its caller is gone."""
        if self._popen is not None and not self._reaped:
            self._end_rest()
            try:
                self._popen.wait(self.pool.limits.last)
            except subprocess.TimeoutExpired:
                pass
            finally:  # also at a second interrupt
                process_tree.forget(self.pid)
        for fd, _ in self.watched():
            self.pool.close(fd)


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
