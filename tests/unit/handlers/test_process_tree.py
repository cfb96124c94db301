"""Escapees: which processes outside a program's group belong to it, and which do not."""

from __future__ import annotations

import os
import signal
import subprocess
import uuid
from contextlib import contextmanager

import pytest

from hookline.handlers import process_tree
from hookline.handlers.command import COOKIE
from hookline.handlers.process import Limits
from hookline.model.verdict import Failure
from tests.unit.handlers.support import (
    OverdueOnce,
    children,
    is_gone,
    lives,
    pid_in,
    program,
    python_program,
    run,
    started,
    until,
)

pytestmark = pytest.mark.process

_SLEEPER = "echo $$ >pid; exec sleep 60"
WAYS_OUT = {
    "child": f"bash -c '{_SLEEPER}' &",
    "setsid": f"setsid bash -c '{_SLEEPER}' &",
    "setsid, forked": f"setsid -f bash -c '{_SLEEPER}'",
    "setsid, streams closed": f"setsid bash -c '{_SLEEPER}' </dev/null >/dev/null 2>&1 &",
    "double fork": f"(bash -c '{_SLEEPER}' &)",
    "double fork, setsid": f"(setsid bash -c '{_SLEEPER}' </dev/null >/dev/null 2>&1 &)",
    "nohup": f"nohup bash -c '{_SLEEPER}' >/dev/null 2>&1 &",
    "env -i": f"env -i PATH=$PATH bash -c '{_SLEEPER}' &",
    "env -i, setsid": f"env -i PATH=$PATH setsid bash -c '{_SLEEPER}' &",
    "env -i, setsid, streams closed": f"env -i PATH=$PATH setsid bash -c '{_SLEEPER}' </dev/null "
    f">/dev/null 2>&1 &",
    "deaf": (
        """setsid bash -c 'trap "" TERM HUP INT; echo $$ >pid; """
        """while :; do sleep 0.05; done' &"""
    ),
}


@pytest.mark.parametrize("way", WAYS_OUT)
@pytest.mark.parametrize("deaf", [False, True], ids=["", "leader ignores SIGTERM"])
def test_nothing_outlives_a_timeout(way, deaf, tmp_path):
    """After a timeout all that the hook started is gone: in its group, in a session, orphaned."""
    script = f"{'trap : TERM' if deaf else ''}\n{WAYS_OUT[way]}\nwhile :; do sleep 60; done"
    clock = OverdueOnce(5.0, lambda: pid_in(tmp_path / "pid"))
    outcome = run(program(script, tmp_path, timeout=5.0), clock=clock, limits=Limits(grace=0.05))

    assert outcome.failure is Failure.TIMED_OUT
    assert pid_in(tmp_path / "pid")
    assert is_gone(pid_in(tmp_path / "pid"))


def test_nothing_outlives_a_flood(tmp_path):
    """What left the group of a hook that is killed for its output dies with it."""
    script = f"{WAYS_OUT['double fork, setsid']}\nuntil [ -s pid ]; do sleep 0.01; done\nexec yes"
    outcome = run(program(script, tmp_path), limits=Limits(flood=1 << 20))

    assert outcome.failure is Failure.FLOODED
    assert is_gone(pid_in(tmp_path / "pid"))


def test_an_escapee_that_starts_others_without_end_dies_with_them(tmp_path):
    """It is stopped before its children are counted."""
    loop = (
        "env -i PATH=$PATH setsid bash -c 'echo $$ >pid; while :; do sleep 60 & echo $! >>pids; "
        "done' </dev/null >/dev/null 2>&1 &"
    )
    many = tmp_path / "pids"
    clock = OverdueOnce(5.0, lambda: many.exists() and len(many.read_text().split()) > 20)
    outcome = run(program(f"{loop}\nsleep 60", tmp_path, timeout=5.0), clock=clock)

    assert outcome.failure is Failure.TIMED_OUT
    assert is_gone(pid_in(tmp_path / "pid"))
    assert [pid for pid in map(int, many.read_text().split()) if not is_gone(pid)] == []


def test_what_a_run_inside_a_run_started_dies_with_the_outer_one(tmp_path):
    """The cookies of nested runs stand together, so the outer run finds what the inner one lost."""
    inner = (
        f"(HOOKLINE_RUN=$HOOKLINE_RUN,inner setsid bash -c '{_SLEEPER}' </dev/null >/dev/null "
        f"2>&1 &)\nsleep 60"
    )
    run(
        program(inner, tmp_path, timeout=5.0),
        clock=OverdueOnce(5.0, lambda: pid_in(tmp_path / "pid")),
    )

    assert is_gone(pid_in(tmp_path / "pid"))


@contextmanager
def sleeping(**options):
    """An innocent process, and one that is younger."""
    with subprocess.Popen(["/bin/sleep", "60"], **options) as innocent:
        try:
            yield innocent.pid
        finally:
            innocent.kill()


def test_a_number_that_was_given_again_is_not_hit():
    """A process with the id of a known one but another start time is a different process."""
    with sleeping() as leader, sleeping(start_new_session=True) as pid:
        process_tree.end_run(leader, "", {(pid, started(pid) - 1)})
        untouched = lives(pid)
        process_tree.end_run(leader, "", {(pid, started(pid))})

        assert untouched
        assert is_gone(pid)
        assert lives(leader)


def test_who_was_there_before_the_program_is_no_escapee():
    """An older service with the cookie survives.

    So does a child of this process's own session. A younger one in another session does not.
    """
    cookie = uuid.uuid4().hex
    marked = {"env": {COOKIE: cookie}}
    with sleeping(**marked, start_new_session=True) as older:
        assert until(lambda: started_now() > started(older))
        with (
            sleeping() as leader,
            sleeping(**marked) as own,
            sleeping(**marked, start_new_session=True) as younger,
        ):
            process_tree.end_run(leader, cookie)

            assert is_gone(younger)
            assert [lives(pid) for pid in (older, leader, own)] == [True] * 3


def started_now() -> int:
    """The time of birth of a process that is born now."""
    with sleeping() as pid:
        return started(pid)


def test_a_cookie_is_recognised_whole_and_no_part_of_it(tmp_path):
    """Only the whole cookie counts, alone or beside others: no prefix, and no empty one."""
    cookie = uuid.uuid4().hex
    marks = [f"{cookie}", f"outer,{cookie}", f"{cookie},inner", f"{cookie}0", f"0{cookie}", ""]
    with sleeping() as leader:
        marked = {
            mark: subprocess.Popen(
                ["/bin/sleep", "60"],
                env={COOKIE: mark, "PATH": "/bin:/usr/bin"},
                start_new_session=True,
            )
            for mark in marks
        }
        process_tree.end_run(leader, "")
        process_tree.end_run(leader, cookie)
        gone = [mark for mark, popen in marked.items() if mark in marks[:3] and is_gone(popen.pid)]
        alive = [mark for mark, popen in marked.items() if lives(popen.pid)]
        for popen in marked.values():
            popen.kill()
            popen.wait()

    assert gone == marks[:3]
    assert alive == marks[3:]


def test_escapees_die_without_pidfds_too(monkeypatch, tmp_path):
    """On a kernel or an interpreter that has no pidfd, the same processes are found and ended."""
    monkeypatch.delattr(os, "pidfd_open")
    clock = OverdueOnce(5.0, lambda: pid_in(tmp_path / "pid"))
    outcome = run(
        program(f"{WAYS_OUT['double fork, setsid']}\nsleep 60", tmp_path, timeout=5.0), clock=clock
    )

    assert process_tree.open_pidfd(os.getpid()) == -1
    assert outcome.failure is Failure.TIMED_OUT
    assert is_gone(pid_in(tmp_path / "pid"))


def test_without_proc_the_groups_of_programs_end(monkeypatch, tmp_path):
    """Everything ends that is in the group of a program which this process started."""
    monkeypatch.setattr(process_tree, "read_process_table", lambda _lowest=0: {})
    popen, ends = process_tree.start(program("sleep 60 & echo $! >pid; wait", tmp_path))
    assert until(lambda: pid_in(tmp_path / "pid"))
    process_tree.end_everything()

    assert popen.wait(10) == -signal.SIGKILL
    assert is_gone(pid_in(tmp_path / "pid"))
    process_tree.forget(popen.pid)
    for fd in ends:
        os.close(fd)


def test_a_name_that_looks_like_a_status_is_a_name(tmp_path):
    """A process may be called anything, also something with brackets and blanks."""
    script = (
        "import os, signal\n"
        "if not os.fork():\n"
        "    open('/proc/self/comm', 'w').write(') Z 1 (')\n"
        "    os.setsid(); open('pid', 'w').write(str(os.getpid())); signal.pause()\n"
        "signal.pause()\n"
    )
    run(
        python_program(script, tmp_path, timeout=5.0),
        clock=OverdueOnce(5.0, lambda: pid_in(tmp_path / "pid")),
    )

    assert is_gone(pid_in(tmp_path / "pid"))
    assert children() == set()
