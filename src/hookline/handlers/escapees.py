"""Escapees: processes that left the group of the program which started them, found and ended.

Four traces lead to them: the parent that still lives, the parent that was seen earlier, the run's cookie in their
environment, and the run's pipes in their hands. What forked twice, emptied its environment and let go of the pipes has
left none; only a subreaper finds it (`orphans`), and a library does not make its program one without being asked.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    # A number and when it was given, in ticks since the machine's start: numbers are given again, pairs are not.
    Process: TypeAlias = tuple[int, int]
    # By number: the parent, the start, and whether it runs (a zombie does not).
    Table: TypeAlias = dict[int, tuple[int, int, bool]]

# The name under which the cookies of a run, and of the runs around it, stand in the environment of everything it starts.
COOKIE = "HOOKLINE_RUN"
# Whoever is found is stopped at once, so each look finds only what was started before it: a few looks find everything.
_ROUNDS = 8
_STAT_PARENT, _STAT_STARTED = 1, 19  # fields of /proc/PID/stat behind the name
_LONGEST_ENVIRONMENT = 1 << 22


def descendants(leader: int, known: AbstractSet[Process]) -> set[Process]:
    """Everything below a process, and below those found earlier, now; empty where there is no /proc."""
    return _below(leader, known, _table())


def kill(
    leader: int,
    cookie: str,
    pipes: AbstractSet[str],
    known: AbstractSet[Process],
    *,
    quick: bool = False,
) -> None:
    """SIGKILL for the known processes, what is below them, and whatever has the run's cookie or holds its pipes.

    `leader` has not been reaped yet: what is older than it is nobody's escapee. Each is stopped when it is found, so that
    it starts no other while we look on. `quick` looks at numbers given after the leader's only, and misses what a program
    started that has gone through all numbers there are: enough where it ended well.
    """
    lowest = leader if quick and leader <= latest() else 0
    stopped: set[Process] = set()
    for _ in range(_ROUNDS):
        found = _escaped(leader, cookie, pipes, known | stopped, lowest) - stopped
        if not found:
            break
        for process in found:
            send(process, signal.SIGSTOP)
        stopped |= found
    for process in stopped:
        send(process, signal.SIGKILL)


def pidfd(pid: int) -> int:
    """A descriptor that stands for a process and is readable once it has ended; -1 where the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def pipe_name(fd: int) -> str:
    """The name of a pipe in everybody's /proc/PID/fd."""
    return f"pipe:[{os.fstat(fd).st_ino}]"


def _escaped(
    leader: int, cookie: str, pipes: AbstractSet[str], known: AbstractSet[Process], lowest: int
) -> set[Process]:
    table = _table(lowest)
    found = _below(leader, known, table) | {
        (pid, started) for pid, started in known if _is_alive(pid, started, table)
    }
    born = table[leader][1] if leader in table else None
    for pid, (_, started, runs) in table.items():
        if not runs or pid in {leader, os.getpid()} or (born is not None and started < born):
            continue
        if _has_cookie(pid, cookie) or (born is not None and holds(pid, pipes)):
            found.add((pid, started))
    return found


def _below(leader: int, known: AbstractSet[Process], table: Table) -> set[Process]:
    children: dict[int, list[int]] = {}
    for pid, (parent, _, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    below = [leader, *(pid for pid, started in known if _is_alive(pid, started, table))]
    while below:
        fresh = [pid for pid in children.get(below.pop(), ()) if pid not in found]
        found.update(fresh)
        below += fresh
    return {(pid, table[pid][1]) for pid in found if table[pid][2]}


def _is_alive(pid: int, started: int, table: Table) -> bool:
    return pid in table and table[pid][1:] == (started, True)


def latest() -> int:
    """Return the number given last; below a living process's where numbers began anew since that was started."""
    return int((read_proc("/proc/loadavg").split() or [b"0"])[-1])


def _table(lowest: int = 0) -> Table:
    """Every process from a number on, now; empty where there is no /proc."""
    found: Table = {}
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            # The name in brackets may hold blanks and brackets; the other fields begin after the last one.
            fields = (
                read_proc(f"/proc/{name}/stat").rpartition(b")")[2].split()
                if name.isdigit() and int(name) >= lowest
                else []
            )
            if fields:
                found[int(name)] = (
                    int(fields[_STAT_PARENT]),
                    int(fields[_STAT_STARTED]),
                    fields[0] not in {b"Z", b"X"},
                )
    return found


def send(process: Process, number: int) -> None:
    """A signal through a pidfd, so that a process which was given the same number in between is not hit."""
    pid, started = process
    fd = pidfd(pid)
    try:
        fields = read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        if not fields or int(fields[_STAT_STARTED]) != started:
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


def holds(pid: int, pipes: AbstractSet[str]) -> bool:
    """Whether a process writes to one of these pipes. Who can also read from it is a fork of ourselves, not of the program."""
    folder = f"/proc/{pid}/fd"
    writes = False
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                if os.readlink(f"{folder}/{name}") in pipes:
                    if os.lstat(f"{folder}/{name}").st_mode & stat.S_IRUSR:
                        return False
                    writes = True
    return writes


def read_proc(path: str, longest: int = 4096) -> bytes:
    """A file of /proc, in one go, at half the price of `open`; empty where it cannot be read."""
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
