"""Firing: what this context, and this process, is inside of, so that no hook is asked because of itself."""

from __future__ import annotations

import os
from contextvars import ContextVar

from hookline.handlers.secret import is_sealed, key_of, seal
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec

# (engine, kind, session) of every event that this context is asking hooks about.
FIRING: ContextVar[tuple[tuple[int, str, str], ...]] = ContextVar("hookline_firing", default=())
# A language model is being asked for a hook: from in there no engine asks anybody.
JUDGING = (0, "", "")
# The same for other processes: a header, or metadata, of each request to a model. Who is asked with it was asked from in there.
JUDGED = "hookline-judging"
# In the environment of hooks: the events that they are asked about, outermost first, each as `kind:process:start:hook:seal`.
VARIABLE = "HOOKLINE_FIRING"

_PROC = "/proc"
# Deeper than that nothing is nested which comes to an end; and nobody can try thousands of guesses at once.
DEEPEST = 8
# Processes of ours above one another, whatever their keys are: each hookline is a supervisor and its worker, and a hook may
# have one more hookline for itself.
_MOST = 4 * DEEPEST
_INIT = 1  # above everything, so it vouches for nothing
_PARENT, _STARTED = 1, 19  # fields of /proc/PID/stat behind the name
_FIELDS = 5  # of an event, from the right: a kind may have colons in it
_SHORT = 16  # characters of a digest
_LONGEST = 64  # characters of a kind that stands for itself
_LONGEST_PART = 256
_LONGEST_COMMAND = 4096  # of a command line, which begins with what it runs
_OURS = "hookline"
_marks: dict[int, str] = {}


def marked(environ: Mapping[str, str], kind: str, mark: str) -> str:
    """The variable for the hook of this mark on an event of this kind, which this process asks; `environ` is its own.

    Of what that has in it no more is passed on than what is vouched for, so that nobody else makes it any longer.
    """
    pid = os.getpid()
    if pid not in _marks:
        _marks.clear()  # that of whoever we were forked from
        _marks[pid] = f"{pid}:{_stat(pid)[1]}"
    key = key_of(environ, make=True)
    text = f"{_named(kind)}:{_marks[pid]}:{mark}"
    outer = environ.get(VARIABLE, "")
    living = [":".join(told) for told in _vouched(_told(outer), key)] if outer else []
    return ",".join((*living[1 - DEEPEST :], f"{text}:{seal(key, text)}"))


def _named(kind: str) -> str:
    """A kind as it stands in the variable: a long one, or one in more than one part, by its digest."""
    return (
        kind
        if len(kind) <= _LONGEST and "," not in kind
        else sha256(kind.encode("utf-8", "backslashreplace"))[:_SHORT]
    )


def _told(text: str) -> list[tuple[str, ...]]:
    """The parts of the variable, as many as there may be; what is too long to be one is none."""
    parts = [part for part in text[-DEEPEST * _LONGEST_PART :].split(",") if part]
    return [
        tuple(part.rsplit(":", _FIELDS - 1))
        for part in parts[-DEEPEST:]
        if len(part) < _LONGEST_PART
    ]


def _vouched(told: Iterable[tuple[str, ...]], key: bytes) -> list[tuple[str, ...]]:
    """Those parts that a hookline of this user wrote, in a process that is above this one and lives."""
    above = set(_above())
    return [
        each
        for each in told
        if len(each) == _FIELDS
        and each[1:3] in above
        and is_sealed(key, ":".join(each[:-1]), each[-1])
    ]


def mark_of(spec: HookSpec) -> str:
    """By which a hook is known again in another process, whatever project that is in: its id, and what it runs."""
    handler = spec.handler
    runs = (spec.dialect, spec.id, getattr(handler, "argv", ()), getattr(handler, "script", ""))
    return sha256(repr(runs).encode("utf-8", "backslashreplace"))[:_SHORT]


class Inside:
    """What the variable says that this process was started from: hooks that are being asked about events.

    Only a living process above this one vouches for an event, and only with the user's key. Whatever else a variable says, anybody may
    have written, also into the settings of a clone.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        text = environ.get(VARIABLE, "")
        self._key = key_of(environ) if text else b""
        told = _told(text)
        self._told = _vouched(told, self._key) if told else []
        parts = [part for part in text.split(",", DEEPEST * 2) if part]
        self._unbound = next(
            (part for part in parts if tuple(part.rsplit(":", _FIELDS - 1)) not in self._told), None
        )
        self._deep = bool(text) and sum(map(_is_ours, ancestors())) >= _MOST

    def asked(self, kind: str) -> frozenset[str] | None:
        """The marks of the hooks that are being asked now about an event of this kind; None where all is nested too deeply.

        Who asked may have ended since this process started.
        """
        living = _vouched(self._told, self._key) if self._told else []
        if len(living) >= DEEPEST or self._deep:
            return None
        name = _named(kind)
        return frozenset(told[-2] for told in living if told[0] == name)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """A word about what the variable says and nobody vouches for."""
        if self._unbound is None:
            return ()
        from hookline.model.problem import Problem  # noqa: PLC0415 - looking is not firing

        message = f"`{VARIABLE}` says `{self._unbound:.60}`, and no hookline above this process that is known to be yours wrote that; it is ignored"
        return (Problem(name="hook.unbound", message=message, hint="unset it", severity="warning"),)


def _above() -> Iterator[tuple[str, str]]:
    """The processes above this one, the nearest first: each with its start, which tells it from a later one of that number."""
    if not os.path.exists(f"{_PROC}/self/stat"):
        yield from _listed()
        return
    for pid in ancestors():
        yield str(pid), _stat(pid)[1]


def ancestors() -> Iterator[int]:
    """The numbers of the processes above this one, the nearest first; the parent's alone where there is no /proc."""
    pid, seen = os.getppid(), set[int]()
    while pid > _INIT and pid not in seen:
        seen.add(pid)
        yield pid
        pid = _stat(pid)[0]


def _is_ours(pid: int) -> bool:
    """Whether a process is a hookline by its command line, which no environment changes."""
    try:
        with open(f"{_PROC}/{pid}/cmdline", "rb") as file:
            words = os.fsdecode(file.read(_LONGEST_COMMAND)).split("\0")
    except OSError:
        return False
    by_module = (
        "python" in words[0] and "-m" in words[:-1] and words[words.index("-m") + 1] == _OURS
    )
    return by_module or any(word.rpartition("/")[2] == _OURS for word in words[:2])


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
        lines = subprocess.run(
            ["/bin/ps", "-axo", "pid=,ppid="], capture_output=True, check=True, timeout=5
        ).stdout.split()
        parents = dict(zip(map(int, lines[::2]), map(int, lines[1::2]), strict=True))
    except (OSError, ValueError, subprocess.SubprocessError):
        parents = {}
    while pid > _INIT:
        yield str(pid), ""
        pid = parents.pop(pid, 0)
