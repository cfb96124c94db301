"""Spawn: starts a program in its own session, with three pipes; or explains why it cannot start."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
from _signal import getsignal  # type: ignore[import-not-found]  # the function of `signal` makes an enum, which takes 0.1 ms in all

from hookline.errors import HandlerError
from hookline.handlers import subreaper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from hookline.handlers.process_spec import Program

    # This process's ends of the program's standard streams.
    Ends: TypeAlias = tuple[int, int, int]

_BUSY_TRIES, _BUSY_PAUSE = 10, 0.01
_FIRST = 1 << 16
# `subprocess` itself resets the two that Python ignores.
_CHECKED = sorted(
    set(map(int, signal.valid_signals())) - {int(signal.SIGPIPE), int(signal.SIGXFSZ)}
)


def start(
    program: Program, sleep: Callable[[float], None]
) -> tuple[subprocess.Popen[bytes], Ends, int]:
    """Return the started program, our non-blocking ends of its streams, and how many payload bytes it was sent.

    Raises:
        OSError: the program or its directory is missing, or the system cannot start a process.
        HandlerError: hookline is ending all of its hooks.
        ValueError: an argument, a name or a path is not acceptable to a system call.
    """
    with contextlib.ExitStack() as on_error:
        (child_in, stdin), (stdout, child_out), (stderr, child_err) = (
            _pipe(on_error) for _ in range(3)
        )
        for fd in (stdin, stdout, stderr):
            os.set_blocking(fd, False)
        sent = 0
        with contextlib.suppress(BlockingIOError):  # most payloads fit into the pipe at once
            sent = os.write(stdin, program.stdin[:_FIRST])
        ends = (child_in, child_out, child_err)
        popen = _exec(program, ends, sleep)
        on_error.pop_all()
    for fd in (child_in, child_out, child_err):
        os.close(fd)
    return popen, (stdin, stdout, stderr), sent


def _pipe(on_error: contextlib.ExitStack) -> tuple[int, int]:
    ends = os.pipe()
    for fd in ends:
        on_error.callback(os.close, fd)
    return ends


def _exec(program: Program, ends: Ends, sleep: Callable[[float], None]) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = ends
    if not program.argv:
        raise ValueError("the command is empty")
    signals = signal_state()
    for tries_left in range(_BUSY_TRIES, -1, -1):
        try:
            with subreaper.STARTING:
                if subreaper.is_ending():
                    raise HandlerError("hookline is ending all of its hooks")
                popen = subprocess.Popen(  # `child` owns the pipes and waits for the end
                    program.argv,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    cwd=program.cwd,
                    env=program.env,
                    start_new_session=True,
                    # See there.
                    preexec_fn=_reset_signals if any(signals) else None,  # noqa: PLW1509
                )
                subreaper.register(popen.pid, program.cookie)
                return popen
        except OSError as error:
            # A fork elsewhere may still hold the script open for writing for a moment.
            if error.errno != errno.ETXTBSY or not tries_left:
                raise
            sleep(_BUSY_PAUSE)
    raise AssertionError  # pragma: no cover - the last try returns or raises


def signal_state() -> tuple[set[int], set[int]]:
    """Return the signals that a program would inherit as ignored, and those it would inherit blocked.

    Signal numbers are ints. A signal that a C library ignores without Python is not seen.
    """
    ignored = {number for number in _CHECKED if getsignal(number) == signal.SIG_IGN}
    return ignored, signal.pthread_sigmask(signal.SIG_BLOCK, ())


def _reset_signals() -> None:
    """Set every ignored signal to its default and unblock all, between fork and exec.

    `exec` keeps both, so a hook below `nohup` would ignore SIGHUP. `posix_spawn` could do this, but
    cannot change the working directory. A function in the child costs `subprocess` its fast path,
    so it is passed only if a signal is ignored or blocked. It calls nothing that takes a lock.
    """
    ignored, _ = signal_state()
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def explain_start_failure(error: OSError | ValueError | HandlerError, program: Program) -> str:
    """Return why a program could not start, for the person who configured it."""
    name = program.argv[0] if program.argv else ""
    if not isinstance(error, OSError):
        return f"`{name}`: {error}"
    if program.cwd is not None and error.filename == program.cwd:
        return f"the working directory `{program.cwd}` cannot be entered: {os.strerror(error.errno or 0).lower()}"
    match error.errno:
        case errno.ENOENT:
            return f"`{name}` was not found, or the interpreter of its `#!` line was not"
        case errno.EACCES:
            return f"`{name}` may not be executed; try `chmod +x`"
        case errno.ENOEXEC:
            return (
                f"`{name}` is no program; its first line should name an interpreter (`#!/bin/sh`)"
            )
        case errno.E2BIG:
            return f"the arguments or the environment of `{name}` are too long"
    return f"`{name}`: {os.strerror(error.errno or 0).lower()}"
