"""Supervisor: the process that a host starts only waits; its worker does all of the work.

The supervisor forks before anything else happens. It passes signals to the worker and writes the
worker's answer to the host. It ends everything below the worker when the worker dies or its time is
over. That works while the worker is busy, because the supervisor has nothing else to do. When the
supervisor dies, the worker reads the end of a pipe, and ends all hooks. On Linux both are
subreapers, so that a process which a hook started stays below them when its parent ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import sys
import time

from hookline.handlers.process_tree import become_subreaper, end_everything, forget_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_CHUNK = 1 << 16
_PATIENCE = 0.15  # seconds from the SIGTERM to the SIGKILL of a worker that has to end
_AFTER_SIGNAL = 1.0  # seconds for a worker to end by a forwarded signal
_LEAVING = 5.0  # seconds for a worker to end by itself after its answer
_FAILED = 70
_OVERDUE = 3  # a fault of hookline itself, as the commands number it
_NEVER = float("inf")
_HOUR = 3600.0  # `poll` counts in an int
# The first words of a worker's messages.
_UNTIL, _REPLY = "until", b"reply"


class Worker:
    """The worker, as its supervisor sees it.

    `signalled`: the last forwarded signal, or 0. `event`: the native name of the event, once the
    worker knows it. `until`: the deadline that the worker set, a time of `time.monotonic`. `reply`:
    exit code, stdout and stderr, once sent. `stays`: the worker continues in the background.
    `closed`: the worker has closed its pipe, at its end at the latest.
    """

    def __init__(self, pid: int, lifeline: int, answers: int) -> None:
        self.pid = pid
        self.signalled = 0
        self.event = ""
        self.seconds = 0.0
        self.reply: tuple[int, bytes, bytes] | None = None
        self.stays = self.closed = False
        self.until = _NEVER
        self._began = time.monotonic()
        self._received = bytearray()
        self._status: int | None = None
        self._lifeline = lifeline  # the worker reads its end when this process dies
        self._answers = answers
        self._woken, waker = os.pipe()
        for fd in (self._woken, waker):
            os.set_blocking(fd, False)
        self._poll = select.poll()
        for fd in (answers, self._woken):
            self._poll.register(fd, select.POLLIN)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        for number in _PASSED_ON:
            if signal.getsignal(number) is not signal.SIG_IGN:  # keep what `nohup` set
                signal.signal(number, self._pass_on)

    def _pass_on(self, number: int, _: object) -> None:
        self.signalled = number
        self._send(number)

    def _send(self, number: int) -> None:
        if self._status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def wait_for_end(self, until: float) -> bool:
        """Wait until the worker closes its pipe.

        Return False if it has not by a time of `time.monotonic`.
        """
        while not self.closed and time.monotonic() < until:
            self.listen(until)
        return self.closed

    def wait_for_reply(self, until: float = _NEVER) -> bool:
        """Wait for the reply or the end of the worker.

        Return False if neither comes by then or by its deadline.

        After a signal, a worker has a second to end.
        """
        last = _NEVER
        while self.reply is None and not self.closed:
            if self.signalled and last == _NEVER:
                last = time.monotonic() + _AFTER_SIGNAL
            nearest = min(until, last, self.until)
            if time.monotonic() >= nearest:
                return False
            self.listen(nearest)
        return True

    def listen(self, until: float) -> None:
        """Wait for the next message of the worker, or for a signal."""
        left = None if until == _NEVER else max(0.0, until - time.monotonic())
        ready = {fd for fd, _ in self._poll.poll(None if left is None else min(left, _HOUR) * 1000)}
        if self._woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._woken, _CHUNK)
        if self._answers in ready:
            data = os.read(self._answers, _CHUNK)
            self.closed = not data
            self._received += data
            self._read()

    def _read(self) -> None:
        """Read all complete messages: lines with a deadline, and the reply after them."""
        while self.reply is None and b"\n" in self._received:
            end = self._received.index(b"\n")
            word, *values = self._received[:end].decode("utf-8", "surrogateescape").split(" ")
            if word == _UNTIL:
                self.seconds, self.event = float(values[0]), " ".join(values[1:])
                self.until = self._began + self.seconds
                del self._received[: end + 1]
                continue
            code, stays, out, err = map(int, values)
            if len(self._received) < end + 1 + out + err:
                return
            sent = bytes(self._received[end + 1 :])
            self.stays = bool(stays)
            self.reply = code, sent[:out], sent[out : out + err]

    def exit_code(self) -> int:
        """Reap the worker and return its exit code.

        A negative signal number if a signal ended it.
        """
        if self._status is None:
            _, self._status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(self._status)

    def end(self) -> int:
        """End the worker and everything below it, and return its exit code."""
        self._send(signal.SIGTERM)
        if not self.wait_for_end(time.monotonic() + _PATIENCE):
            self._send(signal.SIGKILL)
        code = self.exit_code()
        if code < 0:  # it may have left processes to this one
            end_everything()
        return code

    def leave(self) -> None:
        """Let the worker end after its reply; do not wait for one that stays in the background."""
        if self.stays:
            return
        if self.wait_for_end(time.monotonic() + _LEAVING):
            self.exit_code()
        else:
            self.end()


def fork_worker() -> Worker | AnswerPipe:
    """Fork; return the worker in the supervisor, and in the worker the pipe for its answer.

    Raises:
        OSError: the system cannot start a process.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    watched, lifeline = os.pipe()
    answers, answering = os.pipe()
    become_subreaper()
    try:
        pid = os.fork()
    except OSError:
        for fd in (watched, lifeline, answers, answering):
            os.close(fd)
        raise
    if pid:
        os.close(watched)
        os.close(answering)
        return Worker(pid, lifeline, answers)
    os.close(lifeline)
    os.close(answers)
    forget_parent()
    os.setsid()  # a signal to the supervisor's group must not reach the worker, which ends hooks
    become_subreaper()
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if ignored, hooks would have no exit codes
    for number in _PASSED_ON:
        signal.signal(number, end_by_signal)
    _end_with_supervisor(watched)
    return AnswerPipe(answering)


class AnswerPipe:
    """The pipe from a worker to its supervisor."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def set_deadline(self, seconds: float, event: str) -> None:
        """Tell the supervisor the event, and how many seconds after its start it must answer."""
        name = event.replace("\n", " ").encode("utf-8", "surrogateescape")
        _write_all(self._fd, f"{_UNTIL} {seconds} ".encode() + name + b"\n")

    def send(self, exit_code: int, stdout: bytes, stderr: bytes, *, stays: bool = False) -> None:
        """Send the reply. `stays`: the worker continues in the background."""
        head = b"%s %d %d %d %d\n" % (_REPLY, exit_code, stays, len(stdout), len(stderr))
        if stays:
            # The supervisor ends soon, but this worker continues.
            signal.signal(signal.SIGIO, signal.SIG_IGN)
        _write_all(self._fd, head + stdout + stderr)
        if stays:
            os.close(self._fd)


def write_streams(stdout: bytes, stderr: bytes) -> None:
    """Write to the standard streams; what a host that has gone away does not read is dropped."""
    for fd, data in ((1, stdout), (2, stderr)):
        with contextlib.suppress(OSError):
            _write_all(fd, data)


def _write_all(fd: int, data: bytes) -> None:
    unsent = memoryview(data)
    while unsent:
        unsent = unsent[os.write(fd, unsent) :]


def supervise(name: str, job: Callable[[AnswerPipe | None], int]) -> int:
    """Run a job in a worker, and return its exit code in both processes.

    The supervisor waits for the worker first.

    The worker writes to the standard streams itself. If no process can be forked, the job runs
    unsupervised. A worker that is still busy at the deadline it set is ended with a message.
    """
    try:
        worker = fork_worker()
    except OSError:
        return job(None)
    if isinstance(worker, AnswerPipe):
        return job(worker)
    while not worker.closed and time.monotonic() < worker.until:
        worker.listen(worker.until)
    if not worker.closed:
        sys.stderr.write(f"{name}: no decision within {worker.seconds:g} s, the deadline\n")
        worker.end()
        return _OVERDUE
    code = worker.exit_code()
    if code >= 0:
        return code
    end_everything()
    if code != -signal.SIGINT:
        die_of_signal(-code)
    return 128 + signal.SIGINT  # the same code as a worker that is interrupted later


def end_by_signal(number: int, _: object) -> NoReturn:
    """End everything below this process, then end this process by the signal."""
    end_everything()
    die_of_signal(number)


def die_of_signal(number: int) -> NoReturn:
    """End this process by a signal, so that the parent sees which one."""
    with contextlib.suppress(OSError):  # SIGKILL cannot be changed
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    os._exit(128 + number)  # the signal was one that does not end a process


def _end_with_supervisor(watched: int) -> None:
    """Have SIGIO sent to this process when the supervisor dies, which closes the pipe."""

    def end(_number: int, _frame: object) -> None:
        with contextlib.suppress(BlockingIOError):
            if not os.read(watched, 1):
                end_everything()
                os._exit(_FAILED)

    os.set_blocking(watched, False)
    signal.signal(signal.SIGIO, end)
    fcntl.fcntl(watched, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(watched, fcntl.F_SETFL, fcntl.fcntl(watched, fcntl.F_GETFL) | os.O_ASYNC)
    end(0, None)  # the supervisor may have died already
