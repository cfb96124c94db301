"""Process tree: starts programs, and ends all processes of one, also those that left its group.

A process belongs to a run by its session, by the run's cookie in its environment, by its parent,
or because it was below the leader earlier. A subreaper also adopts orphans: an orphan without a
cookie ends with the run if no other hook runs. Nothing finds an orphan that left the session and
cleared its environment while other hooks ran, or in a program that is no subreaper. Without
`/proc` (macOS) only the process group ends.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import time
from _thread import RLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    from hookline.handlers.process_spec import Program

    # A process number with its start in ticks since boot: the system reuses numbers, but not pairs.
    Process: TypeAlias = tuple[int, int]
    # The parent, the session and the start of each process, by its number. Zombies are left out.
    Table: TypeAlias = dict[int, tuple[int, int, int]]

# The variable that holds the cookies of a run, and of the runs around it.
COOKIE = "HOOKLINE_RUN"
_PR_SET_CHILD_SUBREAPER = 36
_PARENT, _SESSION, _STARTED = 1, 3, 19  # fields of /proc/PID/stat behind the name
_LONGEST_ENVIRONMENT = 1 << 22
_BUSY_TRIES, _BUSY_PAUSE = 10, 0.01  # seconds between two tries
_QUIET_LOOKS = 2  # a process may be forked while the table is read
_LONGEST = 2.0  # seconds of looking for processes that keep forking

# Held from starting a program until it is registered, so that no search takes it for an orphan.
_STARTING = RLock()


class _State:
    """Whether this process is a subreaper, and the leaders that it started and has not reaped."""

    adopts = False
    running: set[int] = set()  # noqa: RUF012 - there is one state a process


def become_subreaper(*, adopt: bool = True) -> bool:
    """Make this process the parent of all orphans below it; return False if the system cannot.

    `adopt=False` undoes it.
    """
    try:
        # importing `ctypes` would take longer than all the rest; this is what it does inside
        from _ctypes import call_function, dlopen, dlsym  # noqa: PLC0415 - not on every system

        prctl = dlsym(dlopen(None, 0), "prctl")  # type: ignore[arg-type]  # None is this program
        done = not call_function(prctl, (_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0))
        _State.adopts = adopt and done
    except (ImportError, OSError):
        _State.adopts = False
    return _State.adopts


def forget_parent() -> None:
    """Forget what the parent of this fork started."""
    _State.running = set()


# -- starting --------------------------------------------------------------------------------------


def start(program: Program) -> tuple[subprocess.Popen[bytes], tuple[int, int, int]]:
    """Start a program in its own session, and return it with our ends of its three streams.

    They do not block.

    Raises:
        OSError: the program or its directory is missing, or the system cannot start a process.
        ValueError: an argument, a name or a path is not acceptable to a system call.
    """
    if not program.argv:
        raise ValueError("the command is empty")
    fds: list[int] = []
    try:
        for _ in range(3):
            fds += os.pipe()
        child_in, stdin, stdout, child_out, stderr, child_err = fds
        for fd in (stdin, stdout, stderr):
            os.set_blocking(fd, False)
        popen = _exec(program, (child_in, child_out, child_err))
    except BaseException:
        for fd in fds:
            os.close(fd)
        raise
    for fd in (child_in, child_out, child_err):
        os.close(fd)
    return popen, (stdin, stdout, stderr)


def _exec(program: Program, ends: tuple[int, int, int]) -> subprocess.Popen[bytes]:
    import subprocess  # noqa: PLC0415 - an event without command hooks does not load it

    stdin, stdout, stderr = ends
    tries = 0
    while True:
        try:
            with _STARTING:
                popen = subprocess.Popen(  # `Child` owns the pipes and waits for the end
                    program.argv,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    cwd=program.cwd,
                    env=program.env,
                    start_new_session=True,
                )
                _State.running.add(popen.pid)
                return popen
        except OSError as error:
            # A fork elsewhere may still hold the script open for writing for a moment.
            tries += 1
            if error.errno != errno.ETXTBSY or tries > _BUSY_TRIES:
                raise
            time.sleep(_BUSY_PAUSE)


def explain_start_failure(error: OSError | ValueError, program: Program) -> str:
    """Return why a program could not start, for the person who configured it."""
    name = program.argv[0] if program.argv else ""
    if not isinstance(error, OSError):
        return f"`{name}`: {error}"
    why = os.strerror(error.errno or 0).lower()
    if program.cwd is not None and error.filename == program.cwd:
        return f"the working directory `{program.cwd}` cannot be entered: {why}"
    match error.errno:
        case errno.ENOENT:
            return f"`{name}` was not found, or the interpreter of its `#!` line was not"
        case errno.EACCES:
            return f"`{name}` may not be executed; try `chmod +x`"
        case errno.ENOEXEC:
            hint = "its first line should name an interpreter (`#!/bin/sh`)"
            return f"`{name}` is no program; {hint}"
        case errno.E2BIG:
            return f"the arguments or the environment of `{name}` are too long"
    return f"`{name}`: {why}"


def forget(leader: int) -> None:
    """Forget a reaped program, and reap the orphans that have ended."""
    with _STARTING:
        _State.running.discard(leader)
    if _State.adopts:
        _reap_orphans()


def _reap_orphans() -> None:
    """Reap ended orphans, but no child in this program's own session: it has its own waiter."""
    with contextlib.suppress(ChildProcessError, ProcessLookupError):
        while True:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                return
            with _STARTING:
                if ended.si_pid in _State.running:
                    return
            if os.getsid(ended.si_pid) == os.getsid(0):
                return
            os.waitid(os.P_PID, ended.si_pid, os.WEXITED | os.WNOHANG)


# -- ending ----------------------------------------------------------------------------------------


def end_run(
    leader: int, cookie: str, known: AbstractSet[Process] = frozenset(), *, quick: bool = False
) -> None:
    """End all processes of a run; its leader must not be reaped yet.

    `known`: processes that were below it earlier. `quick` looks only at numbers above the leader's,
    and so misses one if numbers started from 1 again, which is acceptable after a normal end.
    """
    stat = read_stat(leader)
    born = stat[2] if stat else 0
    own_session = os.getsid(0)

    def select(table: Table) -> set[int]:
        takes_orphans = _State.adopts and len(_State.running) <= 1
        orphans = _find_below(table, {os.getpid()}) if takes_orphans else set()
        found = set()
        for pid, (_, session, started) in table.items():
            if started < born or session == own_session:
                continue
            cookies = read_cookies(pid)
            if (
                session == leader
                or (pid, started) in known
                or cookie in cookies
                or (pid in orphans and not cookies)
            ):
                found.add(pid)
        return (found | _find_below(table, found | {leader})) - {leader}

    _end(select, lowest=leader if quick else 0)


def end_marked(cookie: str) -> None:
    """End each process whose environment holds a cookie, and all below; none without /proc."""

    def select(table: Table) -> set[int]:
        found = {pid for pid in table if cookie in read_cookies(pid)}
        return found | _find_below(table, found)

    _end(select)


def end_everything() -> None:
    """End every process below this one; without /proc, the groups of its programs."""
    for leader in list(_State.running):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
    _end(lambda table: _find_below(table, {os.getpid()}))


def find_descendants(leader: int) -> set[Process]:
    """Return all processes below a process; empty without /proc."""
    table = read_process_table()
    return {(pid, table[pid][2]) for pid in _find_below(table, {leader})}


def _end(select: Callable[[Table], set[int]], *, lowest: int = 0) -> None:
    """Stop the processes that `select` finds until it finds no others, and then kill them.

    A stopped process starts no others.
    """
    stopped: set[Process] = set()
    quiet, until = 0, time.monotonic() + _LONGEST
    while quiet < _QUIET_LOOKS and time.monotonic() < until:
        with _STARTING:
            table = read_process_table(lowest)
            found = {(pid, table[pid][2]) for pid in select(table)} - stopped
        quiet = 0 if found else quiet + 1
        for process in found:
            send_signal(process, signal.SIGSTOP)
        stopped |= found
    for process in stopped:
        send_signal(process, signal.SIGKILL)


def _find_below(table: Table, above: AbstractSet[int]) -> set[int]:
    """Return the processes below some processes."""
    children: dict[int, list[int]] = {}
    for pid, (parent, _, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    left = list(above)
    while left:
        fresh = [pid for pid in children.get(left.pop(), ()) if pid not in found]
        found.update(fresh)
        left += fresh
    return found


def send_signal(process: Process, number: int) -> None:
    """Send a signal through a pidfd, so that it cannot reach a later process of that number."""
    pid, started = process
    fd = open_pidfd(pid)
    try:
        stat = read_stat(pid)
        if stat is None or stat[2] != started:
            return
        with contextlib.suppress(OSError):
            if fd >= 0:
                signal.pidfd_send_signal(fd, number)
            else:
                os.kill(pid, number)
    finally:
        if fd >= 0:
            os.close(fd)


def open_pidfd(pid: int) -> int:
    """Open a descriptor that becomes readable when a process ends; -1 if the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


# -- /proc -----------------------------------------------------------------------------------------


def read_process_table(lowest: int = 0) -> Table:
    """Return every process from a number on, without zombies; empty without /proc."""
    found: Table = {}
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) >= lowest:
                stat = read_stat(int(name))
                if stat is not None and stat[3]:
                    found[int(name)] = stat[:3]
    return found


def read_stat(pid: int) -> tuple[int, int, int, bool] | None:
    """Return the parent, session and start of a process, and whether it runs (a zombie does not).

    None if /proc does not know it.
    """
    # The name, which may contain anything, stands in brackets.
    fields = _read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if not fields:
        return None
    parent, session, started = (int(fields[at]) for at in (_PARENT, _SESSION, _STARTED))
    return parent, session, started, fields[0] not in (b"Z", b"X")


def read_cookies(pid: int) -> list[str]:
    """Return the cookies in the environment that a process was started with."""
    mark = f"{COOKIE}=".encode()
    entries = _read_proc(f"/proc/{pid}/environ", _LONGEST_ENVIRONMENT).split(b"\0")
    texts = (entry[len(mark) :] for entry in entries if entry.startswith(mark))
    return [cookie for text in texts for cookie in os.fsdecode(text).split(",") if cookie]


def _read_proc(path: str, longest: int = 4096) -> bytes:
    """Read a file of /proc in one go, at half the cost of `open`; empty if it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, longest)
    except OSError:
        return b""
    finally:
        os.close(fd)
