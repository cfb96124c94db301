"""Behind: hooks that run in the background after the answer, while the host no longer waits for anything of ours."""

from __future__ import annotations

import os
import signal

from hookline.handlers.orphans import become_subreaper, end_everything
from hookline.handlers.supervisor import die_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.core.dispatch import Run
    from hookline.engine.engine import Engine

# Seconds that the hooks have, beyond their time limit, to be ended and to be written down.
_LAST = 60
_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def run_behind(engine: Engine, runs: Sequence[Run]) -> None:
    """Run hooks in a process of their own, for an answer that no supervisor writes."""
    if os.fork():
        return
    try:
        os.setsid()
        become_subreaper()
        stay_behind(engine, runs)
    finally:
        os._exit(0)


def stay_behind(engine: Engine, runs: Sequence[Run]) -> None:
    """Run hooks in a child of this process, and end everything that they started when the child is ended from outside.

    This process gives back everything that the host waits for. What the hooks say is kept for the next turn
    (`engine.sessions`), and `engine.finished` gets each end, in the child.
    """
    if engine.journal is not None:
        engine.journal.close()  # it has files of its own, which it opens again when it is told something
    _let_go()
    try:
        child = os.fork()
    except OSError:  # no further process fits into this system
        _perform(engine, runs)
        return
    if not child:
        become_subreaper()
        _perform(engine, runs)
        return
    for number in _ENDS:
        signal.signal(number, lambda number, _: _pass_on(child, number))
    ended, status = 0, 0
    while ended != child:
        ended, status = os.waitpid(-1, 0)  # whatever was left to us by others ends here, too
    if status:
        end_everything()


def _let_go() -> None:
    """Give back every descriptor that was inherited: a pipe that stays open keeps its reader waiting."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def _pass_on(child: int, number: int) -> None:
    try:
        os.kill(child, number)
    except ProcessLookupError:
        die_by(number)


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
