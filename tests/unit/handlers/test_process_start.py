"""Starting a program: its environment, and the failure if it cannot start."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import time

import pytest

from hookline.model.verdict import Failure
from tests.unit.handlers.support import (
    argv_program,
    children,
    descriptors,
    executable,
    program,
    python_program,
    run,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process


def _missing_program(folder: Path):
    return argv_program(("no-such-program",), folder), "was not found"


def _missing_path(folder: Path):
    return argv_program((str(folder / "missing"),), folder), "was not found"


def _missing_interpreter(folder: Path):
    return argv_program(
        (executable(folder / "hook", "#!/no/such/shell\n"),), folder
    ), "interpreter of its `#!` line"


def _not_executable(folder: Path):
    return argv_program(
        (executable(folder / "hook", "#!/bin/sh\n", mode=0o644),), folder
    ), "chmod +x"


def _directory(folder: Path):
    return argv_program(("/tmp",), folder), "may not be executed"


def _empty_file(folder: Path):
    return argv_program(
        (executable(folder / "hook", ""),), folder
    ), "first line should name an interpreter"


def _no_shebang(folder: Path):
    return argv_program(
        (executable(folder / "hook", "echo hi\n"),), folder
    ), "first line should name an interpreter"


def _missing_cwd(folder: Path):
    return program(
        "true", folder, cwd=str(folder / "missing")
    ), "cannot be entered: no such file or directory"


def _file_as_cwd(folder: Path):
    return program(
        "true", folder, cwd=executable(folder / "file", "")
    ), "cannot be entered: not a directory"


def _too_long(folder: Path):
    return argv_program(("true", "x" * (4 << 20)), folder), "too long"


def _nul_in_argument(folder: Path):
    return argv_program(("echo", "a\0b"), folder), "null byte"


def _nul_in_directory(folder: Path):
    return program("true", folder, cwd="/tmp/a\0b"), "null byte"


def _nul_in_environment(folder: Path):
    return program("true", folder, env={"A": "b\0c"}), "null byte"


def _bad_name_in_environment(folder: Path):
    return program("true", folder, env={"A=B": "c"}), "illegal environment variable name"


def _lone_surrogate(folder: Path):
    return argv_program(("echo", "\ud800"), folder), "surrogates not allowed"


def _no_words(folder: Path):
    return argv_program((), folder), "the command is empty"


@pytest.mark.parametrize(
    "case",
    [
        _missing_program,
        _missing_path,
        _missing_interpreter,
        _not_executable,
        _directory,
        _empty_file,
        _no_shebang,
        _missing_cwd,
        _file_as_cwd,
        _too_long,
        _nul_in_argument,
        _nul_in_directory,
        _nul_in_environment,
        _bad_name_in_environment,
        _lone_surrogate,
        _no_words,
    ],
)
def test_what_cannot_be_started_is_an_outcome_that_says_why(case, tmp_path):
    """A program that cannot start is a failure with a reason, no exception, and leaks nothing."""
    what, reason = case(tmp_path)
    before = descriptors(), children()
    outcome = run(what)

    assert outcome.failure is Failure.NOT_STARTED
    assert reason in outcome.detail
    assert outcome.exit_code is None
    assert (descriptors(), children()) == before


def test_a_script_that_is_being_written_is_tried_again(monkeypatch, tmp_path):
    """ETXTBSY passes: hookline starts the script as soon as its writer has closed it."""
    script = executable(tmp_path / "hook", "#!/bin/sh\necho started\n")
    writer = open(script, "a", encoding="utf-8")  # noqa: SIM115 - closed by the injected sleep
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            writer.close()

    monkeypatch.setattr(time, "sleep", sleep)
    outcome = run(argv_program((script,), tmp_path))

    assert outcome.stdout == "started\n"
    assert pauses == [0.01] * 3


def test_a_script_that_stays_busy_is_not_started(monkeypatch, tmp_path):
    """After ten tries ETXTBSY is an outcome like any other error."""
    script = executable(tmp_path / "hook", "#!/bin/sh\n")
    pauses: list[float] = []
    before = descriptors()
    monkeypatch.setattr(time, "sleep", pauses.append)
    with open(script, "a", encoding="utf-8"):
        outcome = run(argv_program((script,), tmp_path))

    assert outcome.failure is Failure.NOT_STARTED
    assert os.strerror(errno.ETXTBSY).lower() in outcome.detail
    assert len(pauses) == 10
    assert descriptors() == before


@pytest.mark.parametrize("free", range(9))
def test_running_out_of_descriptors_is_an_outcome(free, tmp_path):
    """With too few descriptors left for a program's pipes it is not started, or it runs.

    None stays open.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = descriptors()
    taken: list[int] = []
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/proc/self/fd"))) + 32, hard)
    )
    try:
        with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
            taken.extend(iter(lambda: os.dup(0), -1))
        for _ in range(free):
            os.close(taken.pop())
        outcome = run(argv_program(("/bin/true",), tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for fd in taken:
            os.close(fd)

    assert (outcome.failure, outcome.exit_code) in {(Failure.NOT_STARTED, None), (None, 0)}
    assert descriptors() == before


def test_a_program_has_its_own_session_and_only_its_three_streams(tmp_path):
    """A program leads its session and group, and inherits no descriptor beyond three."""
    script = (
        "import json, os\n"
        "def is_open(fd):\n"
        "    try: os.fstat(fd)\n"
        "    except OSError: return False\n"
        "    return True\n"
        "print(json.dumps([os.getpid(), os.getsid(0), os.getpgid(0), [fd for fd in range(1024) if "
        "is_open(fd)]]))\n"
    )
    inheritable = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(inheritable, True)
    try:
        pid, session, group, open_descriptors = json.loads(
            run(python_program(script, tmp_path)).stdout
        )
    finally:
        os.close(inheritable)

    assert (session, group) == (pid, pid)
    assert session != os.getsid(0)
    assert open_descriptors == [0, 1, 2]


def test_a_program_dies_of_a_broken_pipe_as_usual(tmp_path):
    """SIGPIPE, which Python ignores, is not ignored in the program, so that `yes | head` ends."""
    outcome = run(program("exec cat /proc/self/status", tmp_path))
    ignored = next(
        int(line.split()[1], 16)
        for line in outcome.stdout.splitlines()
        if line.startswith("SigIgn")
    )

    assert ignored & (1 << (signal.SIGPIPE - 1)) == 0


def test_a_program_gets_its_environment_and_no_other(tmp_path):
    """The environment is the one given, with nothing of this process's own."""
    outcome = run(program("exec /usr/bin/env", tmp_path, env={"ONLY": "this"}))
    names = {line.partition("=")[0] for line in outcome.stdout.splitlines()}

    assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == {"ONLY"}


def test_a_program_runs_in_its_directory(tmp_path):
    """The working directory is the one given, and a name with blanks is one."""
    folder = tmp_path / "a folder"
    folder.mkdir()

    assert run(program("pwd -P", folder)).stdout == f"{folder.resolve()}\n"
