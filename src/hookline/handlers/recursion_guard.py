"""Recursion guard: which hooks this context and this process run inside of, so that no hook fires because of itself."""

from __future__ import annotations

import os
from contextvars import ContextVar

from hookline.handlers.signing_key import is_signed, load_key, sign
from hookline.model.problem import Problem
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hookline.model.spec import HookSpec

# (engine, kind, session) of each event for which this context is running hooks.
ACTIVE_EVENTS: ContextVar[tuple[tuple[int, str, str], ...]] = ContextVar(
    "hookline_firing", default=()
)
# A header, or metadata, of each model request. A server that receives it runs no hooks.
MODEL_CALL_HEADER = "hookline-judging"
# The variable that names the events whose hooks are running, outermost first, each as
# `kind:process:start:hook:seal`.
VARIABLE = "HOOKLINE_FIRING"

_PROC = "/proc"
# No terminating chain nests deeper than this. The limit also keeps an attacker from trying
# thousands of guesses.
DEEPEST = 8
# The most hookline processes above each other, whatever their keys. Each hookline is a supervisor
# and a worker, and a hook may start one more.
_MOST = 4 * DEEPEST
_INIT = 1  # the ancestor of all processes, so it proves nothing
_PARENT, _STARTED = 1, 19  # fields of /proc/PID/stat behind the name
_FIELDS = 5  # of an event, from the right, because a kind may contain colons
_SHORT = 16  # characters of a digest
_LONGEST = 64  # characters of a kind that is written out
_LONGEST_PART = 256
_LONGEST_COMMAND = 4096  # bytes of a command line to read, which begins with the program
_OURS = "hookline"
_marks: dict[int, str] = {}


def extend_variable(environ: Mapping[str, str], kind: str, mark: str) -> str:
    """Return the variable for a hook on an event of this kind; `environ` is this process's own environment.

    Only verified parts of the current variable are passed on, so that it cannot grow by forged
    parts.
    """
    pid = os.getpid()
    if pid not in _marks:
        _marks.clear()  # a fork must not use its parent's mark
        _marks[pid] = f"{pid}:{_stat(pid)[1]}"
    key = load_key(environ, make=True)
    text = f"{_kind_label(kind)}:{_marks[pid]}:{mark}"
    outer = environ.get(VARIABLE, "")
    living = _select_verified(_parse_variable(outer), key)
    parts = [":".join(part) for part in living[1 - DEEPEST :]]
    return ",".join((*parts, f"{text}:{sign(key, text)}"))


def _kind_label(kind: str) -> str:
    """Return a kind as the variable writes it: a digest if it is long or has several parts."""
    if len(kind) <= _LONGEST and "," not in kind:
        return kind
    return sha256(kind.encode("utf-8", "backslashreplace"))[:_SHORT]


def _parse_variable(text: str) -> list[tuple[str, ...]]:
    """Return the parts of the variable, up to the limit; drop a part that is too long."""
    parts = [part for part in text[-DEEPEST * _LONGEST_PART :].split(",") if part]
    return [
        tuple(part.rsplit(":", _FIELDS - 1))
        for part in parts[-DEEPEST:]
        if len(part) < _LONGEST_PART
    ]


def _select_verified(parts: Sequence[tuple[str, ...]], key: bytes) -> list[tuple[str, ...]]:
    """Return the parts that a hookline of this user wrote, in a living ancestor of this process."""
    above = set(_ancestors_with_start()) if parts else set()
    return [
        part
        for part in parts
        if len(part) == _FIELDS
        and part[1:3] in above
        and is_signed(key, ":".join(part[:-1]), part[-1])
    ]


def hook_mark(spec: HookSpec) -> str:
    """Return the mark that identifies a hook in other processes and projects: its id, and what it runs."""
    handler = spec.handler
    runs = (spec.dialect, spec.id, getattr(handler, "argv", ()), getattr(handler, "script", ""))
    return sha256(repr(runs).encode("utf-8", "backslashreplace"))[:_SHORT]


class Reentrancy:
    """The hooks that this process runs inside of, as the environment variable says.

    A part of the variable counts only if a living ancestor wrote it with the user's key. Anyone can
    write other parts, also a clone through its settings.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        text = environ.get(VARIABLE, "")
        self._key = load_key(environ) if text else b""
        self._verified = _select_verified(_parse_variable(text), self._key)
        known = {":".join(part) for part in self._verified}
        parts = [part for part in text.split(",", DEEPEST * 2) if part]
        self._unbound = next((part for part in parts if part not in known), None)
        self._deep = bool(text) and sum(map(_is_ours, ancestors())) >= _MOST

    def find_active_hooks(self, kind: str) -> frozenset[str] | None:
        """Return the marks of the hooks now running for an event of this kind; None if the nesting is too deep.

        It checks again which ancestors still live.
        """
        living = _select_verified(self._verified, self._key)
        if len(living) >= DEEPEST or self._deep:
            return None
        name = _kind_label(kind)
        return frozenset(part[-2] for part in living if part[0] == name)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return a warning about a part of the variable that cannot be verified."""
        if self._unbound is None:
            return ()

        message = f"`{VARIABLE}` says `{self._unbound:.60}`, and no hookline above this process that is known to be yours wrote that; it is ignored"
        return (Problem(name="hook.unbound", message=message, hint="unset it", severity="warning"),)


def _ancestors_with_start() -> Iterator[tuple[str, str]]:
    """Yield the ancestors of this process, nearest first, each with its start, which tells it from a later process."""
    if not os.path.exists(f"{_PROC}/self/stat"):
        yield from _list_by_ps()
        return
    for pid in ancestors():
        yield str(pid), _stat(pid)[1]


def ancestors() -> Iterator[int]:
    """Yield the process numbers of the ancestors, nearest first; only the parent without /proc."""
    pid, seen = os.getppid(), set[int]()
    while pid > _INIT and pid not in seen:
        seen.add(pid)
        yield pid
        pid = _stat(pid)[0]


def _is_ours(pid: int) -> bool:
    """Return whether the command line of a process shows that it is a hookline."""
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
    """Return the parent of a process and its start in ticks since boot; 0 and empty if unknown."""
    try:
        with open(f"{_PROC}/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return int(fields[_PARENT]), fields[_STARTED].decode("ascii")
    except (OSError, ValueError, IndexError):
        return 0, ""


def _list_by_ps() -> Iterator[tuple[str, str]]:
    """List the ancestors without /proc: by `ps`, or else only the parent; their starts are unknown."""
    import subprocess  # noqa: PLC0415 - needed only inside a hook

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
