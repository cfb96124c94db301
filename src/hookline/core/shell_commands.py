"""Whether a command line runs a program with certain flags, on certain paths."""

from __future__ import annotations

from functools import lru_cache

from hookline.text.globs import path_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hookline.model.spec import ShellCommand
    from hookline.text.script.reading import Call, Reading

# What a shell removes from a word.
_QUOTING = str.maketrans("", "", "'\"\\\n")


def runs_command(
    wanted: ShellCommand, line: str, cwd: str, clock: Callable[[], float] | None = None
) -> bool:
    """Return whether a line runs such a command, through whatever it runs that by.

    A line of which a part cannot be read counts if the name of the program is anywhere in it.
    `clock`: seconds, to end the reading of a hostile line.
    """
    reading = _read(line, cwd, clock)
    if any(_fits(wanted, call, cwd) for call in reading.calls if not call.language):
        return True
    text = line.translate(_QUOTING)
    return bool(reading.unverified) and any(name in text for name in wanted.names)


@lru_cache(maxsize=32)
def _read(line: str, cwd: str, clock: Callable[[], float] | None) -> Reading:
    """Return the reading of a line, once for all hooks that ask about it."""
    # The reader of shell texts, which events without such a condition do not need.
    from hookline.text.script.evaluate import read_shell  # noqa: PLC0415

    return read_shell(line, cwd=cwd, clock=clock)


def _fits(wanted: ShellCommand, call: Call, cwd: str) -> bool:
    if call.program not in wanted.names:
        return False
    rest = call.texts[1:]
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
