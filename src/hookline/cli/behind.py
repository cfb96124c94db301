"""Behind: hooks that nobody waits for, run in a process of their own after the answer, because the host waits for the end of ours."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.core.dispatch import Run
    from hookline.engine.engine import Engine

# Seconds that it has, beyond the time limit of its hooks, to end them and to write down what they said.
_LAST = 60
_FAILED = 70


def run_behind(engine: Engine, runs: Sequence[Run]) -> None:
    """Run hooks in a process that is no child of ours, holds nothing that our parent waits for, and ends by itself.

    What they say is kept for the next turn (`engine.sessions`), and each end is told to `engine.finished`, there.
    """
    try:
        child = os.fork()
        if not child:
            _first(engine, runs)
        _, status = os.waitpid(child, 0)
    except OSError:  # no further process may be started, so these hooks could not be either
        status = _FAILED
    if status:
        sys.stderr.write("hookline: no process could be started for hooks in the background\n")


def _first(engine: Engine, runs: Sequence[Run]) -> None:
    """Leave the host's session, and hand over to a child that nobody has to wait for."""
    code = _FAILED
    try:
        os.setsid()
        if not os.fork():
            if engine.journal is not None:
                engine.journal.close()  # it has files of its own, which it opens again when it is told something
            _let_go()
            _perform(engine, runs)
        code = 0
    finally:
        os._exit(code)


def _let_go() -> None:
    """Give back every descriptor that was inherited: a pipe that stays open keeps its reader waiting."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def _perform(engine: Engine, runs: Sequence[Run]) -> None:
    from hookline.handlers.program import Limits  # noqa: PLC0415 - most events have nothing in the background

    longest = (engine.limits or Limits()).detached
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(longest) + _LAST)  # whatever happens to us
    for run in runs:
        engine.start_detached(run)
    engine.close(seconds=longest)
