"""Lineage: what this process and those above it were started with, by which a variable that a host added later is told from its user's.

A host puts what a project's files set into its own memory, and so into the processes that it starts; what the system remembers of the
host itself is the environment that it was started with, which no file of a project reaches.
"""

from __future__ import annotations

import os

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Where a value came from: with whatever started the host; from a host while it ran; neither can be said.
OUTSIDE, HOST, UNKNOWN = "outside", "host", "unknown"

_PROC = "/proc"
_PARENT, _SESSION, _TERMINAL = 1, 3, 4  # fields of /proc/PID/stat behind the name
_DEEPEST = 64
_LARGEST = 1 << 22  # bytes; more than a system gives to one program
# Variables that a host sets for what it starts: whoever adds one is a host.
_MARKS = (
    "CLAUDE_PROJECT_DIR",
    "CLAUDECODE",
    "GEMINI_PROJECT_DIR",
    "GEMINI_CLI_NO_RELAUNCH",
    "QWEN_PROJECT_DIR",
    "QWEN_CODE",
)
# By which a host that takes variables from a project is known: its program, or the folder of its package, with or without a runtime before it.
_HOSTS = frozenset({"claude", "gemini", "qwen"})
_PACKAGES = frozenset({"claude-code", "gemini-cli", "qwen-code"})
_RUNTIMES = frozenset({"node", "nodejs", "bun", "deno"})
_FIRST_WORDS = 6  # of a runtime's: its own options, and the script
_SHELLS = frozenset({"bash", "zsh", "fish", "sh", "dash", "ksh", "mksh"})
_OURS = "hookline"


class Process(Frozen):
    """A process. `words`: its command line. `environ`: what it was started with. `leads`: whether a terminal was opened for it."""

    words: tuple[str, ...]
    environ: Mapping[str, str]
    leads: bool = False

    def is_host(self) -> bool:
        """Whether it is a host of those that take variables from a project, by its name."""
        script = self.words[:_FIRST_WORDS] if _name(self.words[:1]) in _RUNTIMES else self.words[:1]
        return any(
            _name((word,)) in _HOSTS or not _PACKAGES.isdisjoint(word.split("/")) for word in script
        )

    def is_ours(self) -> bool:
        """Whether it is a hookline, which tells its hooks what a host would."""
        by_module = (
            "python" in _name(self.words[:1])
            and "-m" in self.words[:-1]
            and self.words[self.words.index("-m") + 1] == _OURS
        )
        return by_module or any(_name((word,)) == _OURS for word in self.words[:2])

    def is_terminals(self) -> bool:
        """Whether it is the shell of a terminal, in which a person types."""
        return self.leads and _name(self.words[:1]).lstrip("-") in _SHELLS

    def started(self, child: Process) -> bool:
        """Whether it started a process as a host does."""
        added = any(
            mark in child.environ and child.environ[mark] != self.environ.get(mark)
            for mark in _MARKS
        )
        return self.is_host() or (added and not self.is_ours())


class Line(Frozen):
    """This process and those above it, the nearest first. `whole`: above them nobody is that belongs to this user."""

    processes: tuple[Process, ...] = ()
    whole: bool = False

    def origin(self, name: str, value: str) -> str:
        """Where a variable has its value from.

        From outside, if the outermost host was started with it, and each process since; where no host is in sight, if all of them were,
        or those that somebody's shell started.
        """
        had = next(
            (at for at, each in enumerate(self.processes) if each.environ.get(name) != value),
            len(self.processes),
        )
        if not had:
            return UNKNOWN  # it was set in this very process
        hosts = [
            at
            for at, each in enumerate(self.processes)
            if at and each.started(self.processes[at - 1])
        ]
        outermost = hosts[-1] if hosts else len(self.processes) - 1
        if (
            had > outermost
            and (hosts or self.whole)
            and not any(mark in self.processes[outermost].environ for mark in _MARKS)
        ):
            return OUTSIDE
        if not hosts and had < len(self.processes) and self.processes[had].is_terminals():
            return OUTSIDE
        return HOST if had < len(self.processes) and self.processes[had].is_host() else UNKNOWN


def line() -> Line:
    """The line of this process; empty where the system tells nobody what a process was started with."""
    found: list[Process] = []
    pid, mine = os.getpid(), os.getuid()
    try:
        while len(found) < _DEEPEST:
            if not pid or os.stat(f"{_PROC}/{pid}").st_uid != mine:
                return Line(processes=tuple(found), whole=True)
            fields = _raw(pid, "stat").rpartition(b")")[2].split()
            leads = int(fields[_SESSION]) == pid and int(fields[_TERMINAL]) != 0
            environ = dict(_pairs(_texts(pid, "environ")))
            found.append(Process(words=tuple(_texts(pid, "cmdline")), environ=environ, leads=leads))
            pid = int(fields[_PARENT])
    except (OSError, ValueError, IndexError):
        pass
    return Line(processes=tuple(found))


def _pairs(texts: list[str]) -> Iterator[tuple[str, str]]:
    for text in reversed(texts):  # of two of a name a program finds the first
        name, equals, value = text.partition("=")
        if equals:
            yield name, value


def _texts(pid: int, what: str) -> list[str]:
    return os.fsdecode(_raw(pid, what)).split("\0")


def _raw(pid: int, what: str) -> bytes:
    with open(f"{_PROC}/{pid}/{what}", "rb") as file:
        return file.read(_LARGEST)


def _name(words: tuple[str, ...]) -> str:
    """The name of a program: without its folder, and without what tells a runtime its language."""
    return (
        words[0]
        .strip()
        .rpartition("/")[2]
        .removesuffix(".js")
        .removesuffix(".mjs")
        .removesuffix(".exe")
        if words
        else ""
    )
