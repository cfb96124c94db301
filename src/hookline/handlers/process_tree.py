"""Process tree: finds and ends processes that left the process group of the program which started them.

Four traces identify them: a living parent, a parent seen earlier, the run's cookie in their
environment, and the run's pipes. A process that forks twice, clears its environment and closes the
pipes leaves no trace. Only a subreaper finds it (`subreaper`), and a library does not make its
program a subreaper without being asked.
"""

from __future__ import annotations

import contextlib
import os
import signal
from stat import S_IRUSR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    # A process number with its start in ticks since boot: the system reuses numbers, but not pairs.
    Process: TypeAlias = tuple[int, int]
    # The parent, the session, the start, and whether it runs (a zombie does not).
    Stat: TypeAlias = tuple[int, int, int, bool]
    # By process number.
    Table: TypeAlias = dict[int, Stat]

# The variable that holds the cookies of a run, and of the runs around it, for all processes that it
# starts.
COOKIE = "HOOKLINE_RUN"
# Each process found is stopped at once, so a few rounds find everything.
_ROUNDS = 8
_PARENT, _SESSION, _STARTED = 1, 3, 19  # fields of /proc/PID/stat behind the name
_LONGEST_ENVIRONMENT = 1 << 22


def find_descendants(leader: int, known: AbstractSet[Process]) -> set[Process]:
    """Return all processes below a process, and below those found earlier; empty without /proc."""
    return _find_below(leader, known, read_process_table())


def kill_escaped(
    leader: int,
    cookie: str,
    pipes: AbstractSet[str],
    known: AbstractSet[Process],
    *,
    quick: bool = False,
) -> None:
    """Send SIGKILL to the known processes, to those below them, and to any with the run's cookie or pipes.

    `leader` must not be reaped yet: older processes cannot belong to it. Each process is stopped
    when found, so that it starts no others meanwhile. `quick` looks only at numbers above the
    leader's. It misses a process if the numbers wrapped around, which is acceptable after a program
    that ended well.
    """
    lowest = leader if quick and leader <= last_pid() else 0
    stopped: set[Process] = set()
    for _ in range(_ROUNDS):
        found = _find_escaped(leader, cookie, pipes, known | stopped, lowest) - stopped
        if not found:
            break
        for process in found:
            send_signal(process, signal.SIGSTOP)
        stopped |= found
    for process in stopped:
        send_signal(process, signal.SIGKILL)


def open_pidfd(pid: int) -> int:
    """Open a descriptor that becomes readable when a process ends; -1 if the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def pipe_name(fd: int) -> str:
    """Return the name of a pipe as /proc/PID/fd of any process shows it."""
    return f"pipe:[{os.fstat(fd).st_ino}]"


def _find_escaped(
    leader: int, cookie: str, pipes: AbstractSet[str], known: AbstractSet[Process], lowest: int
) -> set[Process]:
    table = read_process_table(lowest)
    found = _find_below(leader, known, table) | {
        (pid, started) for pid, started in known if _is_alive(pid, started, table)
    }
    born = table[leader][2] if leader in table else None
    for pid, (_, _, started, runs) in table.items():
        if not runs or pid in {leader, os.getpid()} or (born is not None and started < born):
            continue
        if _has_cookie(pid, cookie) or (born is not None and has_pipe(pid, pipes)):
            found.add((pid, started))
    return found


def _find_below(leader: int, known: AbstractSet[Process], table: Table) -> set[Process]:
    children: dict[int, list[int]] = {}
    for pid, (parent, _, _, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    below = [leader, *(pid for pid, started in known if _is_alive(pid, started, table))]
    while below:
        fresh = [pid for pid in children.get(below.pop(), ()) if pid not in found]
        found.update(fresh)
        below += fresh
    return {(pid, table[pid][2]) for pid in found if table[pid][3]}


def _is_alive(pid: int, started: int, table: Table) -> bool:
    return pid in table and table[pid][2:] == (started, True)


def last_pid() -> int:
    """Return the number given last.

    It may be below a living process's number after a wrap-around.
    """
    return int((read_proc("/proc/loadavg").split() or [b"0"])[-1])


def read_process_table(lowest: int = 0, others: AbstractSet[int] = frozenset()) -> Table:
    """Return every process from a number on, except `others`; empty without /proc."""
    found: Table = {}
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit() and (pid := int(name)) >= lowest and pid not in others:
                stat = read_stat(pid)
                if stat is not None:
                    found[pid] = stat
    return found


def read_stat(pid: int) -> Stat | None:
    """Return what /proc says about a process; None if there is none."""
    # Brackets enclose the name, which may contain blanks and brackets; the other fields follow the
    # last one.
    fields = read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if not fields:
        return None
    parent, session, started = (int(fields[at]) for at in (_PARENT, _SESSION, _STARTED))
    return parent, session, started, fields[0] not in (b"Z", b"X")


def send_signal(process: Process, number: int) -> None:
    """Send a signal through a pidfd, so that it cannot reach a later process with the same number."""
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


def _has_cookie(pid: int, cookie: str) -> bool:
    return bool(cookie) and cookie in cookies_of(pid)


def cookies_of(pid: int) -> list[str]:
    """Return the cookies in the environment that a process was started with."""
    mark = f"{COOKIE}=".encode()
    entries = read_proc(f"/proc/{pid}/environ", _LONGEST_ENVIRONMENT).split(b"\0")
    texts = (entry[len(mark) :] for entry in entries if entry.startswith(mark))
    return [cookie for text in texts for cookie in os.fsdecode(text).split(",") if cookie]


def has_pipe(pid: int, pipes: AbstractSet[str]) -> bool:
    """Return whether a process writes to one of these pipes.

    One that can also read is a fork of this process.
    """
    folder = f"/proc/{pid}/fd"
    writes = False
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                if os.readlink(f"{folder}/{name}") in pipes:
                    if os.lstat(f"{folder}/{name}").st_mode & S_IRUSR:
                        return False
                    writes = True
    return writes


def read_proc(path: str, longest: int = 4096) -> bytes:
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
