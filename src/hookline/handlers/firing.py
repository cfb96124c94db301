"""Firing: what this context, and this process, is inside of, so that no hook is asked because of itself."""

from __future__ import annotations

import os
from contextvars import ContextVar

from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec

# (engine, kind, session) of every event that this context is asking hooks about.
FIRING: ContextVar[tuple[tuple[int, str, str], ...]] = ContextVar("hookline_firing", default=())
# A language model is being asked for a hook: from in there no engine asks anybody.
JUDGING = (0, "", "")
# The same for other processes: a header, or metadata, of each request to a model. Who is asked with it was asked from in there.
JUDGED = "hookline-judging"
# In the environment of hooks: the events that they are asked about, outermost first, each as `kind:process:start:hook`.
VARIABLE = "HOOKLINE_FIRING"

_PROC = "/proc"
# Deeper than that nothing is nested which comes to an end; and nobody can try thousands of guesses at once.
DEEPEST = 8
_INIT = 1  # above everything, so it vouches for nothing
_PARENT, _STARTED = 1, 19  # fields of /proc/PID/stat behind the name
_FIELDS = 4  # of an event, from the right: a kind may have colons in it
_SHORT = 16  # characters of a digest
_marks: dict[int, str] = {}


def marked(outer: str, kind: str, mark: str) -> str:
    """The variable for the hook of this mark on an event of this kind, which this process asks; `outer` is its own."""
    pid = os.getpid()
    if pid not in _marks:
        _marks.clear()  # that of whoever we were forked from
        _marks[pid] = f"{pid}:{_stat(pid)[1]}"
    return ",".join(part for part in (outer, f"{kind}:{_marks[pid]}:{mark}") if part)


def mark_of(spec: HookSpec) -> str:
    """By which a hook is known again in another process, whatever project that is in: its id, and what it runs."""
    handler = spec.handler
    runs = (spec.dialect, spec.id, getattr(handler, "argv", ()), getattr(handler, "script", ""))
    return sha256(repr(runs).encode("utf-8", "backslashreplace"))[:_SHORT]


class Inside:
    """What the variable says that this process was started from: hooks that are being asked about events.

    Only a living process above this one vouches for an event. Whatever else a variable says, anybody may have written, also
    into the settings of a clone.
    """

    def __init__(self, text: str) -> None:
        parts = [part for part in text.split(",") if part]
        self._told = [tuple(part.rsplit(":", _FIELDS - 1)) for part in parts[-DEEPEST:]]
        above = set(_above()) if self._told else set()
        self._unbound = next((part for part in parts if tuple(part.rsplit(":", _FIELDS - 1))[1:-1] not in above), None)

    def asked(self, kind: str) -> frozenset[str] | None:
        """The marks of the hooks that are being asked now about an event of this kind; None where all is nested too deeply.

        Who asked may have ended since this process started.
        """
        above = set(_above()) if self._told else set()
        living = [told for told in self._told if told[1:-1] in above]
        return None if len(living) >= DEEPEST else frozenset(told[-1] for told in living if told[0] == kind)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """A word about what the variable says and no living process vouches for."""
        if self._unbound is None:
            return ()
        from hookline.model.problem import Problem  # noqa: PLC0415 - looking is not firing

        message = f"`{VARIABLE}` says `{self._unbound:.60}`, and no process above this one asks a hook about that; it is ignored"
        return (Problem(name="hook.unbound", message=message, hint="unset it", severity="warning"),)


def _above() -> Iterator[tuple[str, str]]:
    """The processes above this one, the nearest first: each with its start, which tells it from a later one of that number."""
    if not os.path.exists(f"{_PROC}/self/stat"):
        yield from _listed()
        return
    pid, seen = os.getppid(), set[int]()
    while pid > _INIT and pid not in seen:
        seen.add(pid)
        parent, started = _stat(pid)
        yield str(pid), started
        pid = parent


def _stat(pid: int) -> tuple[int, str]:
    """The parent of a process, and when it was started in ticks since the machine was; 0 and nothing where that cannot be known."""
    try:
        with open(f"{_PROC}/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return int(fields[_PARENT]), fields[_STARTED].decode("ascii")
    except (OSError, ValueError, IndexError):
        return 0, ""


def _listed() -> Iterator[tuple[str, str]]:
    """The same where there is no /proc: by `ps`, or else the parent alone; when they started is not known."""
    import subprocess  # noqa: PLC0415 - only inside of a hook, and only there

    pid = os.getppid()
    try:
        lines = subprocess.run(["/bin/ps", "-axo", "pid=,ppid="], capture_output=True, check=True, timeout=5).stdout.split()
        parents = dict(zip(map(int, lines[::2]), map(int, lines[1::2]), strict=True))
    except (OSError, ValueError, subprocess.SubprocessError):
        parents = {}
    while pid > _INIT:
        yield str(pid), ""
        pid = parents.pop(pid, 0)
