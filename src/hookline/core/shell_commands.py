"""Whether a command line runs a program with certain flags, on certain paths."""

from __future__ import annotations

from itertools import pairwise

from hookline.text.globs import path_matches
from hookline.text.shell import parse_words
from hookline.text.source_references import (
    SHELL,
    find_code_option,
    find_interpreter,
    find_program_index,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hookline.model.spec import ShellCommand

# What a shell removes from a word.
_QUOTING = str.maketrans("", "", "'\"\\\n")


def runs_command(wanted: ShellCommand, line: str, cwd: str) -> bool:
    """Return whether a line runs such a command: itself, behind `sudo` and its kin, or by `sh -c`.

    A line that cannot be read counts if the name of the program is anywhere in it.
    """
    commands = parse_words(line) if line else ()
    if commands is None:
        text = line.translate(_QUOTING)
        return any(name in text for name in wanted.names)
    return any(_fits(wanted, words[find_program_index(words) :], cwd) for words in commands)


def _fits(wanted: ShellCommand, words: Sequence[str], cwd: str) -> bool:
    if not words:
        return False
    program, *rest = words
    if find_interpreter(program) == SHELL:
        scripts = (script for option, script in pairwise(rest) if find_code_option(SHELL, option))
        return any(runs_command(wanted, script, cwd) for script in scripts)
    if program.rpartition("/")[2] not in wanted.names:
        return False
    end = rest.index("--") if "--" in rest else len(rest)
    options = [word for word in rest[:end] if word.startswith("-") and word != "-"]
    operands = [_simplify(word) for word in rest if word not in (*options, "--")]
    return all(_has_flag(options, flag.split("|")) for flag in wanted.flags) and (
        not wanted.paths
        or any(word in wanted.paths or path_matches(word, wanted.paths, cwd) for word in operands)
    )


def _has_flag(options: Iterable[str], spellings: Sequence[str]) -> bool:
    """Return whether an option is one of these, as `--force=x`, as `-force`, or as `f` in `-rf`."""
    for option in options:
        name = option.lstrip("-").partition("=")[0]
        letters = "" if option.startswith("--") else name
        if name in spellings or any(len(each) == 1 and each in letters for each in spellings):
            return True
    return False


def _simplify(word: str) -> str:
    """Return a path with `~` for the home folder, and a folder for all that is in it (`x/*`)."""
    path = word.replace('"', "").replace("${HOME}", "~").replace("$HOME", "~")
    folder, slash, name = path.rpartition("/")
    return (folder or "/") if slash and name in ("", "*", ".") else path
