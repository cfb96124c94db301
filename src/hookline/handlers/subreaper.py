"""Subreaper: this process adopts orphaned processes, finds the hook that started each, and ends them.

A process that forks twice, clears its environment, leaves its group and closes every pipe is still
a descendant of a subreaper. An orphan belongs to a hook by its session, its cookie or its pipes. An
orphan without any of these ends when its hook must have been the only one running; otherwise it
ends with the last of the hooks that ran at the same time.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from _thread import RLock

from hookline.handlers.process_tree import (
    cookies_of,
    has_pipe,
    last_pid,
    read_process_table,
    read_stat,
    send_signal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from hookline.handlers.process_tree import Process, Table


_PR_SET_CHILD_SUBREAPER = 36
_QUIET_LOOKS = 2
_LONGEST = 2.0  # seconds of looking for descendants that keep forking
_MOST_LEFT = 4096
_ABOVE_ALL = (0, 1)

# Held from starting a program until it is registered, so that no search takes it for an orphan.
STARTING = RLock()


class _State:
    """The programs that this process started.

    `running`: the cookie of each leader that is not reaped yet. `left`: cookies of runs that ended
    well, whose processes may stay. `due`: the start, in ticks, of the oldest run that was ended
    while others ran.
    """

    adopts = False
    ending = False
    running: dict[int, str] = {}  # noqa: RUF012 - there is one state a process
    left: dict[str, None] = {}  # noqa: RUF012 - as above
    due: int | None = None


def become_subreaper(*, adopt: bool = True) -> bool:
    """Make this process the parent of all orphans below it; return False if the system cannot.

    `adopt=False` undoes it.
    """
    try:
        # importing `ctypes` would take longer than all the rest; this is what it does inside
        from _ctypes import call_function, dlopen, dlsym  # noqa: PLC0415 - as above

        prctl = dlsym(dlopen(None, 0), "prctl")  # type: ignore[arg-type]  # None is this program
        done = not call_function(prctl, (_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0))
        _State.adopts = adopt and done
    except (ImportError, OSError):
        _State.adopts = False
    return _State.adopts


def forget_parent() -> None:
    """Forget what the parent of this fork started."""
    _State.running, _State.left, _State.due = {}, {}, None


def is_subreaper() -> bool:
    """Return whether this process is a subreaper."""
    return _State.adopts


def is_ending() -> bool:
    """Return whether this process is ending all processes below it, so that none may start."""
    return _State.ending


def register(leader: int, cookie: str) -> None:
    """Record a started program; the caller holds `STARTING`."""
    _State.running[leader] = cookie


def unregister(leader: int, *, ended: bool) -> None:
    """Forget a reaped program. `ended`: its processes were ended; otherwise they may stay."""
    with STARTING:
        cookie = _State.running.pop(leader, "")
        alone = not _State.running
    if not _State.adopts:
        return
    if cookie and not ended:
        _State.left[cookie] = None
        if len(_State.left) > _MOST_LEFT:
            del _State.left[next(iter(_State.left))]
    if alone and _State.due is not None:
        due, _State.due = _State.due, None
        _end(lambda owner, started: owner is None and started >= due)
    _reap()


def end_run(
    leader: int, pipes: AbstractSet[str], known: AbstractSet[Process], *, quick: bool = False
) -> None:
    """End all processes of one run until none is left; its leader must not be reaped yet.

    `quick` as in `kill_escaped`.
    """
    stat = read_stat(leader)
    born = stat[2] if stat else 0
    with STARTING:
        alone = len(_State.running) <= 1
    if not alone:
        _State.due = born if _State.due is None else min(_State.due, born)

    def is_wanted(owner: int | None, started: int) -> bool:
        return owner == leader or (alone and owner is None and started >= born)

    lowest = leader if quick and leader <= last_pid() else 0
    _end(is_wanted, leader=leader, pipes=pipes, known=known, lowest=lowest)


def end_everything() -> None:
    """End every process below this one until none is left; none can start any more."""
    with STARTING:
        _State.ending = True
        leaders = list(_State.running)
    for leader in leaders:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
    _end(lambda _owner, _started: True)


# -- search ----------------------------------------------------------------------------------------


def _end(
    is_wanted: Callable[[int | None, int], bool],
    *,
    leader: int = 0,
    pipes: AbstractSet[str] = frozenset(),
    known: AbstractSet[Process] = frozenset(),
    lowest: int = 0,
) -> None:
    """Send SIGKILL to each descendant that `is_wanted` accepts, until several searches find no further one."""
    others = set(_ABOVE_ALL)
    done: set[Process] = set()
    owners: dict[Process, int | None] = {}
    quiet, until = 0, time.monotonic() + _LONGEST
    while quiet < _QUIET_LOOKS and time.monotonic() < until:
        table, is_whole = _find_below(others, lowest)
        quiet = quiet + 1 if is_whole else 0
        for pid, (_, _, started, runs) in table.items():
            process = (pid, started)
            if process in done:
                continue
            if not runs:  # a process that has just ended may have forked before
                done.add(process)
                quiet = 0
                continue
            owner = _owner(pid, table, owners, leader, pipes, known)
            if is_wanted(owner, started):
                send_signal(process, signal.SIGKILL)
                done.add(process)
                quiet = 0


def _find_below(others: set[int], lowest: int) -> tuple[Table, bool]:
    """Return the processes below this one, and whether that is certain.

    Uncertain ones are added to `others`.
    """
    table = read_process_table(lowest, others)
    me = os.getpid()
    table.pop(me, None)
    below: Table = {}
    is_whole = True
    for first in table:
        line, pid = [], first
        while pid in table and pid not in below and pid not in line:
            line.append(pid)
            pid = table[pid][0]
        if pid == me or pid in below:
            below |= {each: table[each] for each in line}
        elif pid in others or (lowest and pid < lowest):
            others.update(line)
        else:  # its parent ended between two looks
            is_whole = False
    return below, is_whole


def _owner(
    pid: int,
    table: Table,
    owners: dict[Process, int | None],
    leader: int,
    pipes: AbstractSet[str],
    known: AbstractSet[Process],
) -> int | None:
    """Return the leader of the run that started a process; 0 for a run that ended well.

    None if unknown.
    """
    top = pid
    while True:
        if top in _State.running:
            return top
        if (top, table[top][2]) in known:
            return leader
        if table[top][0] not in table:
            break
        top = table[top][0]
    process = (top, table[top][2])
    if process not in owners:
        owners[process] = _owner_of_orphan(top, table[top][1], leader, pipes)
    return owners[process]


def _owner_of_orphan(pid: int, session: int, leader: int, pipes: AbstractSet[str]) -> int | None:
    if session in _State.running:
        return session
    cookies = set(cookies_of(pid))
    if cookies:
        for other, cookie in list(_State.running.items()):
            if cookie in cookies:
                return other
        if not cookies.isdisjoint(_State.left):
            return 0
    return leader if pipes and has_pipe(pid, pipes) else None


def _reap() -> None:
    """Reap orphans that have ended, but no child in this program's own session, which has its own waiter."""
    with contextlib.suppress(ChildProcessError, ProcessLookupError):
        while True:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                return
            with STARTING:
                if ended.si_pid in _State.running:
                    return
            if os.getsid(ended.si_pid) == os.getsid(0):
                return
            os.waitid(os.P_PID, ended.si_pid, os.WEXITED | os.WNOHANG)
