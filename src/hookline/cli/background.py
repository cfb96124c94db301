"""Runs background hooks after the answer, when the host no longer waits for hookline."""

from __future__ import annotations

import os
import signal

from hookline.engine.detached import finish_detached, make_finished
from hookline.handlers.process_tree import become_subreaper, end_everything, forget_parent
from hookline.handlers.supervisor import end_by_signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.core.dispatch import Run
    from hookline.engine.engine import Engine
    from hookline.handlers.process import BackgroundProgram

# Seconds beyond the time limit of the hooks, to end and record them.
_LAST = 60
_FAILED = 70
_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def run_in_background(
    engine: Engine, runs: Sequence[Run], left: Sequence[tuple[Run, BackgroundProgram]]
) -> None:
    """Run hooks in a child process; if the child is killed, end everything that the hooks started.

    `left`: programs of this process that went to the background while they ran. This process gives
    back everything that the host waits for. What the hooks say is kept for the next turn
    (`engine.runtime.sessions`), and `engine.runtime.finished` gets each end, in the child.
    """
    _close_descriptors([fd for _, each in left for fd in each.descriptors()])
    for number in _ENDS:
        signal.signal(number, end_by_signal)
    child = _start_child(engine, runs) if runs else 0
    if left:
        for run, each in left:
            engine.firing.finish_left(run, each)
        engine.close(seconds=engine.runtime.limits.detached + _LAST)
    if child:
        _, status = os.waitpid(child, 0)
        if status:
            end_everything()


def _start_child(engine: Engine, runs: Sequence[Run]) -> int:
    """Fork a child that performs the runs, and return its number.

    0 where this process had to perform them itself.
    """
    try:
        child = os.fork()
    except OSError:  # no further process fits into this system
        _run_hooks(engine, runs)
        return 0
    if not child:
        code = _FAILED
        try:
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))
            forget_parent()
            become_subreaper()
            _run_hooks(engine, runs)
            code = 0
        finally:
            os._exit(code)
    return child


def _close_descriptors(spared: Sequence[int]) -> None:
    """Close every inherited descriptor: an open pipe keeps its reader waiting."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    first = 3
    for fd in sorted(spared):
        os.closerange(first, fd)
        first = fd + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def _run_hooks(engine: Engine, runs: Sequence[Run]) -> None:
    longest = engine.runtime.limits.detached
    for number in (signal.SIGALRM, *_ENDS):
        signal.signal(number, signal.SIG_DFL)
    signal.alarm(int(longest) + _LAST)  # whatever happens to us
    for run in runs:
        refused = engine.firing.start_detached(run)
        if refused is not None:
            end = make_finished(run, refused, engine.runtime.clock())
            finish_detached(engine.runtime, run, end)
    engine.close(seconds=longest)
