"""Batches of programs: how many run at once, how to end them, and that nothing remains."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hookline.handlers.process import Cancel, Limits, run_all
from hookline.model.verdict import Failure
from tests.unit.handlers.support import (
    QUICK,
    OverdueOnce,
    argv_program,
    children,
    descriptors,
    executable,
    is_gone,
    pid_in,
    program,
    run,
    until,
)

pytestmark = pytest.mark.process

WAIT_FOR_ALL = "touch here.$0; until [ $(ls here.* | wc -l) -ge 8 ]; do sleep 0.02; done; echo $0"


def _numbered(script: str, count: int, folder, **fields):
    return [
        argv_program(("bash", "-c", script, str(number)), folder, **fields)
        for number in range(count)
    ]


def test_programs_run_at_once(tmp_path):
    """Eight programs that each wait for the seven others all end: they were running together."""
    outcomes = run_all(_numbered(WAIT_FOR_ALL, 8, tmp_path), limits=Limits(at_once=8))

    assert [outcome.stdout for outcome in outcomes] == [f"{number}\n" for number in range(8)]


@pytest.mark.parametrize("at_once", [1, 0])
def test_programs_run_one_after_the_other(at_once, tmp_path):
    """With one at once no program ever meets another.

    A limit of none would never end, and means one.
    """
    script = "mkdir lock || exit 9; sleep 0.02; rmdir lock"
    outcomes = run_all(_numbered(script, 4, tmp_path), limits=Limits(at_once=at_once))

    assert [outcome.exit_code for outcome in outcomes] == [0, 0, 0, 0]


def test_outcomes_are_in_the_order_of_the_programs(tmp_path):
    """The order of their ends does not matter; a program that never started keeps its place."""
    first = program("until [ -e second ]; do sleep 0.01; done; echo first", tmp_path)
    outcomes = run_all(
        [
            first,
            argv_program(("no-such-program",), tmp_path),
            program("touch second; echo second", tmp_path),
        ]
    )

    assert [outcome.stdout for outcome in outcomes] == ["first\n", "", "second\n"]
    assert outcomes[1].failure is Failure.NOT_STARTED


def test_no_program_is_no_outcome():
    """Nothing to run is nothing to wait for."""
    assert run_all([]) == []


def test_more_programs_than_may_run_at_once_all_run(tmp_path):
    """Those that must wait are started as others end."""
    outcomes = run_all(_numbered("exit $0", 20, tmp_path), limits=Limits(at_once=3))

    assert [outcome.exit_code for outcome in outcomes] == list(range(20))


@pytest.mark.parametrize("ignoring", ["", "trap '' TERM; "])
def test_the_time_limit_holds(ignoring, tmp_path):
    """A late program returns within limit and grace, also if it ignores SIGTERM."""
    limit, grace = 0.3, 0.2
    began = time.monotonic()
    outcome = run(
        program(f"{ignoring}while :; do sleep 60; done", tmp_path, timeout=limit),
        limits=Limits(grace=grace),
    )
    took = time.monotonic() - began

    assert (outcome.failure, outcome.detail) == (Failure.TIMED_OUT, "after 0.3 s")
    assert outcome.seconds >= limit
    assert took <= limit + grace + 1.0  # 0.25 s on a quiet machine
    assert children() == set()


def test_each_program_has_a_time_limit_of_its_own(tmp_path):
    """One that runs out of time does not take with it one that has more."""
    late = program("echo $$ >pid; sleep 60", tmp_path, timeout=5.0)
    other = program(
        "until [ -s pid ]; do sleep 0.01; done; while kill -0 $(<pid); do sleep 0.01; done; echo "
        "done",
        tmp_path,
    )
    clock = OverdueOnce(5.0, lambda: pid_in(tmp_path / "pid"))
    timed_out, done = run_all([late, other], limits=QUICK, clock=clock)

    assert timed_out.failure is Failure.TIMED_OUT
    assert done.stdout == "done\n"


@pytest.mark.parametrize("limit", [1e12, float("inf")])
def test_a_time_limit_may_be_longer_than_any_timer(limit, tmp_path):
    """A limit beyond what the kernel's timers can count is no error."""
    assert run(program("exit 3", tmp_path, timeout=limit)).exit_code == 3


@pytest.mark.parametrize("ignoring", ["", "trap '' TERM; "])
def test_a_cancellation_ends_all(ignoring, tmp_path):
    """Running programs and their escapees die, and waiting ones never start."""
    cancel = Cancel()
    script = (
        f"{ignoring}(setsid sleep 60 >/dev/null 2>&1 & echo $! >escaped.$0); echo $$ >pid.$0; "
        f"while :; do sleep 60; done"
    )
    pids = [tmp_path / f"{name}.{number}" for name in ("pid", "escaped") for number in range(3)]

    def cancel_when_all_run() -> None:
        until(lambda: all(map(pid_in, pids)))
        cancel.set()
        cancel.set()

    thread = threading.Thread(target=cancel_when_all_run)
    thread.start()
    outcomes = run_all(
        _numbered(script, 5, tmp_path), limits=Limits(at_once=3, grace=0.05), cancel=cancel
    )
    thread.join()
    cancel.close()

    assert [outcome.failure for outcome in outcomes] == [Failure.CANCELLED] * 5
    assert [path.name for path in pids if not is_gone(pid_in(path))] == []
    assert not (tmp_path / "pid.3").exists()
    assert children() == set()


def test_an_earlier_cancellation_starts_nothing(tmp_path):
    """An earlier cancellation starts no program, in this run and in the next."""
    cancel = Cancel()
    cancel.set()
    outcomes = [run(program("touch started", tmp_path), cancel=cancel) for _ in range(2)]
    cancel.close()

    assert [outcome.failure for outcome in outcomes] == [Failure.CANCELLED] * 2
    assert not (tmp_path / "started").exists()


def test_a_switch_may_be_set_for_ever():
    """The pipe behind it never blocks a caller that sets it many times."""
    cancel = Cancel()
    for _ in range(70_000):
        cancel.set()
    outcomes = run_all([program("exit 1", Path("/"))], cancel=cancel)
    cancel.close()

    assert [outcome.failure for outcome in outcomes] == [Failure.CANCELLED]


def test_an_unused_cancel_changes_nothing(tmp_path):
    """A run that could be cancelled, and is not, goes its way and leaves the switch open."""
    cancel = Cancel()
    before = descriptors()
    outcome = run(program("exit 4", tmp_path), cancel=cancel)
    open_now = descriptors()
    cancel.close()

    assert outcome.exit_code == 4
    assert open_now == before


def test_an_interrupt_leaves_no_process(tmp_path):
    """Ctrl-C in the middle of the loop is raised, after everything has died that was running."""
    names = ["pid.0", "pid.1", "escaped.0", "escaped.1"]
    script = (
        "setsid bash -c 'echo $$ >escaped.'$0'; exec sleep 60' & echo $$ >pid.$0; while :; do "
        "echo tick; sleep 0.02; done"
    )
    before = descriptors()

    def clock() -> float:
        if all(pid_in(tmp_path / name) for name in names):
            raise KeyboardInterrupt
        return time.monotonic()

    with pytest.raises(KeyboardInterrupt):
        run_all(_numbered(script, 2, tmp_path), clock=clock)

    assert [name for name in names if not is_gone(pid_in(tmp_path / name))] == []
    assert children() == set()
    assert descriptors() == before


def test_an_interrupt_while_one_is_started_leaves_no_other(monkeypatch, tmp_path):
    """Ctrl-C while a busy script is tried again ends the programs that were started before it."""
    script = executable(tmp_path / "hook", "#!/bin/sh\n")
    before = descriptors()

    real_sleep = time.sleep

    def sleep(_: float) -> None:
        while not pid_in(tmp_path / "pid"):
            os.sched_yield()
        patched.setattr(time, "sleep", real_sleep)  # to wait for the end of a program
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(time, "sleep", sleep)
        with open(script, "a", encoding="utf-8"), pytest.raises(KeyboardInterrupt):
            run_all(
                [program("echo $$ >pid; sleep 60", tmp_path), argv_program((script,), tmp_path)]
            )

    assert is_gone(pid_in(tmp_path / "pid"))
    assert children() == set()
    assert descriptors() == before


def test_an_interrupt_at_any_moment_leaves_nothing(tmp_path):
    """Wherever in a run the clock is interrupted, no process and no descriptor remains."""
    before = descriptors()
    for moment in range(1, 12):
        asked = iter(range(moment))

        def clock(asked=asked) -> float:
            if next(asked, None) is None:
                raise KeyboardInterrupt
            return time.monotonic()

        with suppress(KeyboardInterrupt):
            run_all(
                [
                    program("echo hi; exit 1", tmp_path),
                    program("echo ho; sleep 60", tmp_path, timeout=0.02),
                ],
                limits=QUICK,
                clock=clock,
            )

        assert (children(), descriptors()) == (set(), before)


def test_everything_works_without_pidfds(monkeypatch, tmp_path):
    """Without pidfds hookline polls: exits, signals, timeouts and orphans are the same."""
    monkeypatch.delattr(os, "pidfd_open")
    clock = OverdueOnce(5.0, (tmp_path / "ready").exists)
    quick = run_all(
        [
            program("exit 2", tmp_path),
            program("kill -9 $$", tmp_path),
            program("sleep 1 & exit 3", tmp_path),
        ]
    )
    late = run(
        program("trap '' TERM; touch ready; while :; do sleep 60; done", tmp_path, timeout=5.0),
        clock=clock,
    )

    assert [(outcome.exit_code, outcome.detail, outcome.leftovers) for outcome in quick] == [
        (2, "", False),
        (None, "SIGKILL", False),
        (3, "", True),
    ]
    assert late.failure is Failure.TIMED_OUT
    assert children() == set()


def test_fifty_runs_leave_nothing_open(tmp_path):
    """Programs that end well, fail, are missing, late or loud leave no descriptor or process."""
    before = descriptors()
    kinds = [
        program("cat", tmp_path, stdin=b"x" * 300_000),
        program("exit 2", tmp_path, stdin=b"x" * 300_000),
        program("kill -9 $$", tmp_path),
        argv_program(("no-such-program",), tmp_path),
        argv_program(("echo", "a\0b"), tmp_path),
        program("true", tmp_path, cwd="/no/such/folder"),
        program("sleep 60", tmp_path, timeout=0.01),
        program("exec yes", tmp_path),
        program("setsid sleep 60 & exit 0", tmp_path, kill_leftovers=True),
        program("exec >&- 2>&-; exit 1", tmp_path),
    ]
    for _ in range(5):
        outcomes = run_all(kinds, limits=Limits(grace=0.05, drain=0.02, flood=1 << 20))

        assert len(outcomes) == len(kinds)

    assert (children(), descriptors()) == (set(), before)
