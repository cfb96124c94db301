"""Hostile programs as short scripts, what they leave behind, and clocks that wait for a state."""

from __future__ import annotations

import os
import signal
import sys
import time
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from hookline.handlers.process import Limits, Program, run_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookline.model.verdict import Outcome

QUICK = Limits(grace=0.2)
PATIENCE = 60.0


def program(script: str, folder: Path, *, by: str = "bash", **fields: Any) -> Program:
    """A script for a shell in a folder, with a cookie of its own."""
    return argv_program((by, "-c", script), folder, **fields)


def python_program(script: str, folder: Path, **fields: Any) -> Program:
    """The same in Python, without the site packages that would slow its start."""
    return argv_program((sys.executable, "-I", "-S", "-c", script), folder, **fields)


def argv_program(argv: tuple[str, ...], folder: Path, **fields: Any) -> Program:
    cookie = uuid.uuid4().hex
    env = {"PATH": os.environ["PATH"], "HOOKLINE_RUN": cookie}
    return Program(
        **{
            "argv": argv,
            "stdin": b"{}\n",
            "cwd": str(folder),
            "env": env,
            "timeout": 30.0,
            "cookie": cookie,
            **fields,
        }
    )


def run(what: Program, **options: Any) -> Outcome:
    """The outcome of one program."""
    (outcome,) = run_all([what], **{"limits": QUICK, **options})
    return outcome


def executable(path: Path, text: str, mode: int = 0o755) -> str:
    """A file that may be run; its path."""
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return str(path)


class OverdueOnce:
    """A clock that stands just before a time limit until something holds, and then runs past it."""

    def __init__(self, limit: float, holds: Callable[[], object]) -> None:
        self._limit = limit
        self._holds = holds
        self._asked = False
        self._since = 0.0
        self._started = time.monotonic()

    def __call__(self) -> float:
        if not self._asked:
            self._asked = True
            return 0.0
        if not self._since:
            if not self._holds() and time.monotonic() - self._started < PATIENCE:
                return self._limit - 0.01
            self._since = time.monotonic()
        return self._limit + time.monotonic() - self._since


def until(holds: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Whether something comes to hold within a bounded time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def pid_in(path: Path) -> int:
    """The process that wrote its number there; 0 while none has."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return 0


def _stat(pid: int) -> list[str]:
    try:
        return (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()
        )
    except (FileNotFoundError, ProcessLookupError):
        return []


def lives(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    return _stat(pid)[:1] not in ([], ["Z"], ["X"])


def is_gone(pid: int) -> bool:
    """Whether a process ends within a bounded time."""
    return until(lambda: not lives(pid))


def started(pid: int) -> int:
    """When a process was started, in ticks since the machine's start."""
    return int(_stat(pid)[19])


# The children of this process before the test that runs: a fork server of another test may be one.
EARLIER_CHILDREN: set[int] = set()


def children() -> set[int]:
    """The children of this process, zombies included, that began after the test did."""
    found: set[int] = set()
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread has just ended
            found.update(map(int, task.read_text(encoding="ascii").split()))
    return found - EARLIER_CHILDREN


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@contextmanager
def ending(*paths: Path) -> Iterator[None]:
    """Processes that a test leaves alive on purpose are ended with it."""
    try:
        yield
    finally:
        for pid in filter(None, map(pid_in, paths)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
