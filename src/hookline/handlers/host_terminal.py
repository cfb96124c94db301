"""Finds out whether a person is at the terminal of the host."""

from __future__ import annotations

import os

from hookline.handlers.recursion_guard import find_ancestors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_PROC = "/proc"
_LONGEST_COMMAND = 65536  # bytes of a command line
_INTERPRETERS = frozenset(("node", "bun", "deno", "python", "python3"))
_PACKAGES = "node_modules"
_TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console")


def is_attended(programs: Sequence[str]) -> bool:
    """Whether a person can answer the questions of the host, which is one of these programs.

    The host is the nearest ancestor of that name.
    That program has a terminal as its stdin and its stdout, and no prompt in its command line
    (`-p`, `--prompt`), with which it ends after its answer. False where no such ancestor is found,
    and where there is no `/proc`.
    """
    for pid in find_ancestors():
        words = _read_command(pid)
        at = _find_program(words, programs)
        if at is not None:
            has_prompt = any(map(_is_prompt, words[at + 1 :]))
            return not has_prompt and _is_terminal(pid, 0) and _is_terminal(pid, 1)
    return False


def _read_command(pid: int) -> list[str]:
    try:
        with open(f"{_PROC}/{pid}/cmdline", "rb") as file:
            return os.fsdecode(file.read(_LONGEST_COMMAND)).rstrip("\0").split("\0")
    except OSError:
        return [""]


def _find_program(words: Sequence[str], programs: Sequence[str]) -> int | None:
    """Return where a command line names one of the programs.

    That is its first word, or the script of an interpreter.
    The path names it, or the package that it is installed from.
    """
    at = 0
    if words[0].rpartition("/")[2] in _INTERPRETERS:
        at = next((at for at, word in enumerate(words) if at and not word.startswith("-")), 0)
    parts = words[at].split("/")
    package = parts[parts.index(_PACKAGES) :] if _PACKAGES in parts else []
    named = any(name in programs for name in (parts[-1].partition(".")[0], *package))
    return at if named else None


def _is_prompt(word: str) -> bool:
    """Whether an option gives the prompt: `-p`, also behind other letters, or `--prompt`."""
    name = word.partition("=")[0]
    return name == "--prompt" or (name[:1] == "-" != name[1:2] and "p" in name)


def _is_terminal(pid: int, stream: int) -> bool:
    try:
        return os.readlink(f"{_PROC}/{pid}/fd/{stream}").startswith(_TERMINALS)
    except OSError:
        return False
