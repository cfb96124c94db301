"""Recursion guard: keeps a hook from firing because of itself, by the hooks that run around it."""

from __future__ import annotations

import os
from contextvars import ContextVar

from hookline.handlers.process_tree import read_stat
from hookline.model.spec import HookSpec, Problem
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# (engine, kind, session) of each event for which this context is running hooks.
ACTIVE_EVENTS: ContextVar[tuple[tuple[int, str, str], ...]] = ContextVar(
    "hookline_firing", default=()
)
# A header of each model request. `hookline serve` runs no hooks for an HTTP request with it.
MODEL_CALL_HEADER = "hookline-judging"
# The variable that names the events whose hooks are running, outermost first, each as
# `kind:process:start:hook`.
VARIABLE = "HOOKLINE_FIRING"

# No terminating chain nests deeper than this.
DEEPEST = 8
_INIT = 1  # the ancestor of all processes, so it proves nothing
_FIELDS = 4  # of an event, from the right, because a kind may contain colons
_SHORT = 16  # characters of a digest
_LONGEST = 64  # characters of a kind


def extend_variable(environ: Mapping[str, str], kind: str, mark: str) -> str:
    """Return the variable for a hook on an event of this kind.

    `environ` is this process's own environment. Only verified parts of its variable are passed on,
    so that it cannot grow by forged parts.
    """
    pid = os.getpid()
    outer = _select_verified(environ.get(VARIABLE, "").split(","))[1 - DEEPEST :]
    own = f"{_kind_label(kind)}:{pid}:{_parent_and_start(pid)[1]}:{mark}"
    return ",".join((*outer, own))


def hook_mark(spec: HookSpec) -> str:
    """Return the mark of a hook in other processes and projects: of its id, and what it runs."""
    handler = spec.handler
    runs = (spec.dialect, spec.id, getattr(handler, "argv", ()), getattr(handler, "script", ""))
    return sha256(repr(runs).encode("utf-8", "backslashreplace"))[:_SHORT]


class Reentrancy:
    """The hooks that this process runs inside of, as the environment variable says.

    A part of the variable counts only if it names a living ancestor by number and start. The
    settings of a clone can set the variable too, but they cannot know these.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        parts = [part for part in environ.get(VARIABLE, "").split(",") if part]
        self._verified = _select_verified(parts)
        self._unbound = next((part for part in parts if part not in self._verified), None)

    def find_active_hooks(self, kind: str) -> frozenset[str] | None:
        """Return the marks of the hooks now running for an event of this kind.

        None if the nesting is too deep. It checks again which ancestors still live.
        """
        living = [part.rsplit(":", _FIELDS - 1) for part in _select_verified(self._verified)]
        if len(living) >= DEEPEST:
            return None
        label = _kind_label(kind)
        return frozenset(mark for name, _, _, mark in living if name == label)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return a warning about a part of the variable that cannot be verified."""
        if self._unbound is None:
            return ()
        message = (
            f"hookline ignores `{VARIABLE}={self._unbound:.60}`, "
            "because no process above this one wrote it"
        )
        return (Problem.warning("hook.unbound", message, "unset it"),)


def find_ancestors() -> dict[int, str]:
    """Return the start of each ancestor of this process, by its number, nearest first."""
    found: dict[int, str] = {}
    pid = os.getppid()
    while pid > _INIT and pid not in found:
        parent, found[pid] = _parent_and_start(pid)
        pid = parent
    return found


def _select_verified(parts: Sequence[str]) -> list[str]:
    """Return the parts that name a living ancestor of this process, of the last `DEEPEST`."""
    above = {f"{pid}:{start}" for pid, start in find_ancestors().items()} if any(parts) else set()
    return [part for part in parts[-DEEPEST:] if ":".join(part.split(":")[-3:-1]) in above]


def _kind_label(kind: str) -> str:
    """Return a kind as the variable writes it."""
    return kind.replace(",", " ")[:_LONGEST]


def _parent_and_start(pid: int) -> tuple[int, str]:
    """Return the parent of a process and its start, which tells it from a later process."""
    stat = read_stat(pid)
    if stat is not None:
        return stat[0], str(stat[2])
    if os.path.exists("/proc/self"):
        return 0, ""
    import subprocess  # noqa: PLC0415 - a system without /proc

    command = ["/bin/ps", "-o", "ppid=,lstart=", "-p", str(pid)]
    words = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return (int(words[0]), "".join(words[1:]).replace(":", "")) if words else (0, "")
