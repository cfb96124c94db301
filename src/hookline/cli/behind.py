"""Behind: hooks that nobody waits for, run in a process of their own after the answer, because the host waits for the end of ours."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from hookline.core.dispatch import Run
    from hookline.engine.engine import Engine

# Seconds that it has, beyond the time limit of its hooks, to end them and to write down what they said.
_LAST = 60
_FAILED = 70
_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_PR_SET_CHILD_SUBREAPER = 36


def run_behind(engine: Engine, runs: Sequence[Run]) -> None:
    """Run hooks in a process that is no child of ours, holds nothing that our parent waits for, and ends by itself.

    What they say is kept for the next turn (`engine.sessions`), and each end is told to `engine.finished`, there. However that
    process ends, its hooks do not outlive it.
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


def _first(engine: Engine, runs: Sequence[Run]) -> NoReturn:
    """Leave the host's session, and hand over to a child that nobody has to wait for."""
    code = _FAILED
    try:
        os.setsid()
        if not os.fork():
            if engine.journal is not None:
                engine.journal.close()  # it has files of its own, which it opens again when it is told something
            _let_go()
            _guard(engine, runs)
        code = 0
    finally:
        os._exit(code)


def _let_go() -> None:
    """Give back every descriptor that was inherited: a pipe that stays open keeps its reader waiting."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def _guard(engine: Engine, runs: Sequence[Run]) -> None:
    """Have a child run the hooks; if it is ended from outside, end everything that it started and could not end any more."""
    _adopt()
    child = os.fork()
    if not child:
        _perform(engine, runs)
        return
    for number in _ENDS:
        signal.signal(number, lambda number, _: _pass_on(child, number))
    ended, status = 0, 0
    while ended != child:
        ended, status = os.waitpid(-1, 0)  # whatever was left to us by others ends here, too
    if status:
        from hookline.handlers.escapees import kill  # noqa: PLC0415 - only where something went wrong

        kill(os.getpid(), "", frozenset(), frozenset())


def _adopt() -> None:
    """Become the parent of everything below us that loses its own, so that it can be found; where the system knows that."""
    import ctypes  # noqa: PLC0415 - nobody waits for us, and nothing else here needs it

    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _pass_on(child: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, number)


def _perform(engine: Engine, runs: Sequence[Run]) -> None:
    from hookline.engine.detached import finished_of  # noqa: PLC0415 - most events have nothing in the background
    from hookline.engine.recall import ended  # noqa: PLC0415 - as above
    from hookline.handlers.program import Limits  # noqa: PLC0415 - as above

    longest = (engine.limits or Limits()).detached
    for number in (signal.SIGALRM, *_ENDS):
        signal.signal(number, signal.SIG_DFL)
    signal.alarm(int(longest) + _LAST)  # whatever happens to us
    for run in runs:
        refused = engine.start_detached(run)
        if refused is not None:
            now = engine.clock()
            ended(engine, run, finished_of(run, refused, started=now, ended=now))
    engine.close(seconds=longest)
