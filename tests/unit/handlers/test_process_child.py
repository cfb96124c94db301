"""A child process: what its streams and its end become in the outcome."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from hookline.handlers.process import Limits
from hookline.model.verdict import Failure
from tests.unit.handlers.support import (
    OverdueOnce,
    argv_program,
    children,
    descriptors,
    ending,
    is_gone,
    lives,
    pid_in,
    program,
    python_program,
    run,
    until,
)

pytestmark = pytest.mark.process

MIB = 1 << 20
# Five million bytes in which each place can be told from every other.
LARGE = b"".join(b"%09d\n" % number for number in range(500_000))


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_program_may_ignore_what_it_is_sent(shell, tmp_path):
    """A hook that never reads a payload of five megabytes decides all the same."""
    outcome = run(program("echo '{}'; exit 2", tmp_path, by=shell, stdin=LARGE))

    assert (outcome.exit_code, outcome.stdout, outcome.failure) == (2, "{}\n", None)


def test_a_program_may_close_its_input_early(tmp_path):
    """A hook that closes stdin and lives on is waited for, and its answer kept."""
    outcome = run(program("exec <&-; sleep 0.05; echo done", tmp_path, stdin=LARGE))

    assert (outcome.exit_code, outcome.stdout) == (0, "done\n")


def test_a_program_may_close_all_its_streams(tmp_path):
    """A hook that closes every stream and lives on is still waited for until it exits."""
    outcome = run(program("exec <&- >&- 2>&-; sleep 0.05; exit 3", tmp_path, stdin=LARGE))

    assert (outcome.exit_code, outcome.leftovers) == (3, False)


def test_everything_sent_arrives_and_everything_kept_is_what_came(tmp_path):
    """Five megabytes through `cat` come back byte by byte, up to the kept part.

    The rest is only counted.
    """
    outcome = run(program("tee copy | cat", tmp_path, stdin=LARGE))

    assert outcome.stdout.encode() == LARGE[:MIB]
    assert (tmp_path / "copy").read_bytes() == LARGE
    assert outcome.truncated
    assert outcome.exit_code == 0


def test_what_fits_is_not_truncated(tmp_path):
    """Output of exactly the kept size is whole; one byte more is not."""
    exactly = run(program("head -c 1048576 /dev/zero >&2", tmp_path))
    more = run(program("head -c 1048577 /dev/zero >&2", tmp_path))

    assert (len(exactly.stderr), exactly.truncated) == (MIB, False)
    assert (len(more.stderr), more.truncated) == (MIB, True)


def test_no_input_is_an_input_that_ends(tmp_path):
    """A hook that is sent nothing sees the end of its input at once."""
    assert run(program("cat; echo end", tmp_path, stdin=b"")).stdout == "end\n"


def test_two_hundred_megabytes_leave_memory_as_it_was(tmp_path):
    """Draining 200 MB grows this process by 16 MB at most.

    Told by a fresh one, whose high-water mark is its own.
    """
    # ru_maxrss would begin at the mark of the parent (pytest), and hide as much growth;
    # VmHWM begins again.
    script = (
        "import re\n"
        "from pathlib import Path\n"
        "from tests.unit.handlers.support import program, run\n"
        "def peak(): return int(re.search(r'VmHWM:\\s+(\\d+)', "
        "Path('/proc/self/status').read_text())[1])\n"
        "run(program('echo warm', Path('.')))\n"
        "before = peak()\n"
        "outcome = run(program('head -c 200000000 /dev/zero', Path('.')))\n"
        "print(outcome.exit_code, len(outcome.stdout), outcome.truncated, peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        check=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"},
    )
    *told, growth = done.stdout.split()

    assert told == ["0", str(MIB), "True"]
    assert int(growth) <= 16 * 1024


def test_endless_output_ends_the_program(tmp_path):
    """A hook that prints without end is killed at the flood limit, without grace, and says so."""
    outcome = run(program("trap '' TERM; yes & yes >&2", tmp_path), limits=Limits(flood=3 * MIB))

    assert outcome.failure is Failure.FLOODED
    assert outcome.detail == "more than 3 MiB"
    assert outcome.exit_code is None
    assert (outcome.stdout + outcome.stderr).startswith("y\ny\n")


def test_a_small_flood_limit_is_told_as_a_part(tmp_path):
    """A message shows a limit below a mebibyte as a fraction."""
    assert (
        run(program("yes", tmp_path), limits=Limits(flood=MIB // 4)).detail == "more than 0.25 MiB"
    )


def test_a_flood_after_the_exit_does_not_undo_it(tmp_path):
    """What an orphan prints after a hook has denied cannot turn the denial into a failure."""
    orphan = (
        "(echo $BASHPID >pid; until grep -q '^State:.Z' /proc/$$/status; do :; done; exec yes) &"
    )
    with ending(tmp_path / "pid"):
        outcome = run(
            program(f"{orphan} exit 2", tmp_path), limits=Limits(flood=100_000, drain=0.4)
        )

    assert (outcome.exit_code, outcome.failure, outcome.leftovers) == (2, None, True)


@pytest.mark.parametrize("code", [0, 1, 2, 126, 127, 255])
def test_an_exit_code_is_told_as_it_is(code, tmp_path):
    """No exit code is folded into another, or into a failure."""
    outcome = run(program(f"echo out; echo err >&2; exit {code}", tmp_path))

    assert (outcome.exit_code, outcome.stdout, outcome.stderr, outcome.failure) == (
        code,
        "out\n",
        "err\n",
        None,
    )


@pytest.mark.parametrize(
    "name", ["HUP", "INT", "QUIT", "ILL", "ABRT", "KILL", "SEGV", "PIPE", "ALRM", "TERM", "USR1"]
)
def test_a_deadly_signal_is_told_by_name(name, tmp_path):
    """A hook that died of a signal has no exit code; the detail names the signal."""
    outcome = run(program(f"ulimit -c 0; echo before; kill -{name} $$; sleep 5", tmp_path, by="sh"))

    assert (outcome.failure, outcome.detail, outcome.exit_code) == (
        Failure.KILLED,
        f"SIG{name}",
        None,
    )
    assert outcome.stdout == "before\n"


def test_a_signal_without_a_name_is_told_by_number(tmp_path):
    """Some real-time signals have no names, and still end a hook like any other."""
    outcome = run(program(f"kill -{signal.SIGRTMIN + 6} $$; sleep 5", tmp_path))

    assert (outcome.failure, outcome.detail) == (Failure.KILLED, f"signal {signal.SIGRTMIN + 6}")


def test_bytes_that_are_no_text_are_replaced(tmp_path):
    """Output that is not UTF-8 is readable all the same."""
    assert run(program(r"printf '\377\376{}'", tmp_path)).stdout == "\ufffd\ufffd{}"


def test_a_grandchild_that_holds_the_pipe_does_not_matter(tmp_path):
    """The leader's exit ends the run: an orphan with the pipe neither delays nor hides a denial."""
    with ending(tmp_path / "pid"):
        outcome = run(program("sleep 60 & echo $! >pid; echo no >&2; exit 2", tmp_path, timeout=20))

        assert (outcome.exit_code, outcome.stderr, outcome.failure) == (2, "no\n", None)
        assert outcome.leftovers
        assert outcome.seconds < 15
        assert lives(pid_in(tmp_path / "pid"))


def test_a_background_child_that_lets_go_of_the_pipes_is_no_leftover(tmp_path):
    """Who closed the pipes is not waited for; the hook ended cleanly."""
    with ending(tmp_path / "pid"):
        outcome = run(program("sleep 60 >/dev/null 2>&1 & echo $! >pid", tmp_path))

        assert (outcome.exit_code, outcome.leftovers) == (0, False)
        assert lives(pid_in(tmp_path / "pid"))


@pytest.mark.parametrize(
    "start",
    [
        "sleep 60 &",
        "sleep 60 >/dev/null 2>&1 &",
        "setsid sleep 60 &",
        "setsid sleep 60 >/dev/null 2>&1 &",
        "nohup sleep 60 &",
    ],
)
def test_leftovers_die_where_that_is_asked_for(start, tmp_path):
    """`kill_leftovers` ends all that the hook started, in whatever session it is."""
    outcome = run(program(f"{start} echo $! >pid; exit 2", tmp_path, kill_leftovers=True))

    assert (outcome.exit_code, outcome.leftovers) == (2, False)
    assert is_gone(pid_in(tmp_path / "pid"))


def test_partial_output_is_kept_when_time_is_over(tmp_path):
    """What a hook printed before its time was over can be read, on both streams."""
    clock = OverdueOnce(5.0, (tmp_path / "printed").exists)
    outcome = run(
        program("echo out; echo err >&2; touch printed; sleep 60", tmp_path, timeout=5.0),
        clock=clock,
    )

    assert (outcome.failure, outcome.detail) == (Failure.TIMED_OUT, "after 5 s")
    assert (outcome.stdout, outcome.stderr, outcome.exit_code) == ("out\n", "err\n", None)


def test_who_exits_well_in_the_grace_has_still_run_out_of_time(tmp_path):
    """Exit 0 after SIGTERM is a timeout, and the outcome keeps what was printed meanwhile."""
    script = "trap 'echo sorry; exit 0' TERM; touch ready; while :; do sleep 0.01; done"
    outcome = run(
        program(script, tmp_path, timeout=5.0), clock=OverdueOnce(5.0, (tmp_path / "ready").exists)
    )

    assert (outcome.failure, outcome.exit_code, outcome.stdout) == (
        Failure.TIMED_OUT,
        None,
        "sorry\n",
    )


def test_a_stopped_program_runs_out_of_time_too(tmp_path):
    """A hook that stopped itself cannot hear SIGTERM; SIGKILL ends it after the grace."""
    clock = OverdueOnce(5.0, (tmp_path / "pid").exists)
    outcome = run(program("echo $$ >pid; kill -STOP $$", tmp_path, timeout=5.0), clock=clock)

    assert outcome.failure is Failure.TIMED_OUT
    assert is_gone(pid_in(tmp_path / "pid"))


@pytest.mark.filterwarnings("ignore:subprocess:ResourceWarning")
def test_what_sigkill_does_not_end_is_not_waited_for(tmp_path):
    """A program that SIGKILL does not end at once delays nothing and costs no descriptor."""
    before = descriptors()
    clock = OverdueOnce(5.0, (tmp_path / "ready").exists)
    outcome = run(
        program("trap '' TERM; touch ready; sleep 60", tmp_path, timeout=5.0),
        limits=Limits(grace=0, last=0),
        clock=clock,
    )

    assert outcome.failure is Failure.TIMED_OUT
    assert descriptors() == before
    assert until(lambda: run(program("true", tmp_path)).exit_code == 0 and not children())


@pytest.mark.filterwarnings(
    "ignore:subprocess:ResourceWarning"
)  # subprocess itself, about a program that it could not start
def test_an_exit_code_that_another_process_took_is_no_success(tmp_path):
    """If the host ignores SIGCHLD, the exit code is unknown: the run fails without an exception."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        outcome = run(program("echo hi; exit 0", tmp_path))
        missing = run(argv_program(("no-such-program",), tmp_path))
    finally:
        signal.signal(signal.SIGCHLD, before)

    assert (outcome.failure, outcome.exit_code, outcome.stdout) == (
        Failure.UNREADABLE,
        None,
        "hi\n",
    )
    assert "exit code was lost" in outcome.detail
    assert missing.failure is Failure.NOT_STARTED


def test_a_host_that_dies_of_sigpipe_survives_a_closed_input(tmp_path):
    """A host with the default SIGPIPE survives a hook that does not read its input."""
    script = (
        "import signal\n"
        "from pathlib import Path\n"
        "from tests.unit.handlers.support import program, run\n"
        "signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
        "print(run(program('exec <&-; sleep 0.05; exit 7', Path('.'), "
        "stdin=bytes(5_000_000))).exit_code)\n"
    )
    env = {"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=False, text=True, env=env
    )

    assert (done.returncode, done.stdout) == (0, "7\n"), done.stderr


def test_a_python_hook_reads_the_payload_as_sent(tmp_path):
    """The payload arrives as bytes, whole, and is followed by the end of the input."""
    payload = '{"text": "\u00e4\u2028\U0001f600"}\n'.encode()
    outcome = run(
        python_program("import sys; print(sys.stdin.buffer.read().hex())", tmp_path, stdin=payload)
    )

    assert bytes.fromhex(outcome.stdout) == payload
