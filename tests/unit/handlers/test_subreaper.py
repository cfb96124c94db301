"""Subreaper: ends orphans of a hook that have no trace of it."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from hookline import Engine
from tests.unit.handlers.support import OverdueOnce, is_gone, lives, pid_in, program, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.process
SLEEPER = "setsid sh -c 'echo $$ >new; mv new {0}; exec sleep 300' >/dev/null 2>&1 </dev/null"
ORPHAN = f"({SLEEPER} &); until [ -s {{0}} ]; do :; done"
TRACELESS = f"(env -i {SLEEPER} &); until [ -s {{0}} ]; do :; done"


def in_a_fork(act: Callable[[], object]) -> None:
    """Act in a child process that adopts its own orphans."""
    pid = os.fork()
    if not pid:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0


def run_out_of_time(script: str, folder: Path, until: str) -> None:
    """Run a hook whose time is over when it has written a file."""
    clock = OverdueOnce(5.0, lambda: pid_in(folder / until))
    run(program(f"{script}; sleep 300", folder, timeout=5.0), clock=clock)


@pytest.mark.parametrize("supervised", [True, False])
def test_a_program_asks_to_be_a_subreaper(tmp_path, supervised):
    """With `supervised=True` an orphan without a trace ends at the time limit.

    A program that does not ask is left alone.
    """

    def act() -> None:
        Engine(supervised=supervised)
        run_out_of_time(TRACELESS.format("escaped"), tmp_path, "escaped")

    in_a_fork(act)
    escaped = pid_in(tmp_path / "escaped")

    assert escaped
    if supervised:
        assert is_gone(escaped)
    else:
        assert lives(escaped)
        os.kill(escaped, signal.SIGKILL)


def test_a_subreaper_spares_what_belongs_to_others(tmp_path):
    """What an earlier hook left in the background lives on, and so does a child of the program."""

    def act() -> None:
        Engine(supervised=True)
        run(program(ORPHAN.format("earlier"), tmp_path))
        with subprocess.Popen(["/bin/sleep", "300"]) as own:
            run_out_of_time(TRACELESS.format("escaped"), tmp_path, "escaped")
            assert lives(own.pid)
            own.kill()

    in_a_fork(act)
    earlier = pid_in(tmp_path / "earlier")

    assert is_gone(pid_in(tmp_path / "escaped"))
    assert lives(earlier)
    os.kill(earlier, signal.SIGKILL)
