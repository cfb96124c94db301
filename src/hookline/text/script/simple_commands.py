"""Runs one command by its words: built-in commands, wrappers, what runs others, and programs."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache

from hookline.text import lazy_re as re
from hookline.text.script.deferred import list_deferred
from hookline.text.script.interpreters import run_code
from hookline.text.script.makefiles import run_make
from hookline.text.script.outputs import find_output
from hookline.text.script.programs import (
    INTERPRETERS,
    PACKAGE_RUNNERS,
    SANDBOXES,
    SHELLS,
    STARTED,
    TAKES_DATA,
    WRAPPERS,
)
from hookline.text.script.reading import MOST_WORDS, UNKNOWN, Word
from hookline.text.script.remote_commands import run_container, run_remote
from hookline.text.script.repeated_commands import run_found, run_items
from hookline.text.script.shell_builtins import BUILTINS
from hookline.text.script.shell_texts import run_shell, run_string
from hookline.text.script.wrappers import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.text.script.programs import Wrapper
    from hookline.text.script.reading import Command
    from hookline.text.script.state import Shell
    from hookline.text.script.wrappers import Wrapped


_OPENING = ("{", "!", "(", "do", "then", "else")
_PATTERN = re.compile(r"[?*]|\[.+\]")
_LONGEST_PATTERN, _MOST_MATCHING = 16, 8
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
# A name that a system without capitals, or Windows, takes for another one.
_OTHER_CASE = re.compile(r"[A-Z\\]|\.(?:exe|cmd|bat)$")
_ENDING = re.compile(r"\.(?:exe|cmd|bat)$", re.IGNORECASE)
_VARIABLE_ENDING = re.compile(r"_(?:BIN|CMD|EXE|PATH)$")
_TEXT_OPTION = re.compile(r"-[a-z]*c")
_LEAST_TEXT = 2  # words before the text of `-c`
_STARTUP = ("BASH_ENV", "ENV")  # a shell runs the file that they name
# Each returns what the command prints, or None if it does not run what this function knows.
_RUNNERS = (run_shell, run_string, run_remote, run_container, run_items, run_found, run_make,
             run_code)  # fmt: skip
# Programs that take statements of SQL from their input.
_READ_SQL = frozenset(("psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "mongosh", "redis-cli"))
# Variables that say that others hold settings of Git.
_SETTINGS = ("GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS")


def run_words(shell: Shell, command: Command) -> Word:
    """Run one command by its words and return what it prints."""
    shell.budget.check()
    words = command.words
    if len(words) > MOST_WORDS:
        shell.unverified.append(f"more than {MOST_WORDS} words of one command")
        words = words[:MOST_WORDS]
        command = command._replace(words=words)
    if not words:
        for name, value in command.assigned:
            shell.set(name, value)
        return shell.add_call(command) if command.redirects else Word("")
    if (rest := _skip_opening(shell, words)) != words:
        return run_words(shell, command._replace(words=rest))
    _run_startup(shell, command)
    for name in _list_matching(words[0].text):
        shell.run_inner(words[0].text, command._replace(words=(Word(name), *words[1:])))
    return _run_assigned(shell, command) if command.assigned else _run_named(shell, command)


def _run_assigned(shell: Shell, command: Command) -> Word:
    """Run a command with variables of its own, which the texts that it runs see too."""
    before = {name: shell.variables.get(name) for name, _ in command.assigned}
    home, separators = shell.home, shell.separators
    for name, value in command.assigned:
        shell.set(name, value)
    try:
        return _run_named(shell, command)
    finally:
        shell.restore(before)
        shell.home, shell.separators = home, separators


def _list_matching(text: str) -> tuple[str, ...]:
    """Return the known programs that a pattern such as `/bin/r?` may find; none for a name."""
    name = _drop_folder(text)
    if len(name) > _LONGEST_PATTERN or not _PATTERN.search(name):
        return ()
    return _match_programs(name)


@lru_cache(maxsize=64)
def _match_programs(pattern: str) -> tuple[str, ...]:
    found = sorted(program for program in STARTED if fnmatchcase(program, pattern))
    return tuple(found[:_MOST_MATCHING])


def _skip_opening(shell: Shell, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return words without a keyword or an assignment, which the grammar takes for a program."""
    for at, word in enumerate(words):
        if match := _ASSIGNMENT.match(word.text):
            shell.set(match[1], word._replace(text=match[2]))
        elif word.text not in _OPENING or at + 1 == len(words):
            return words[at:] if at else words
    return ()


def _run_startup(shell: Shell, command: Command) -> None:
    for variable, value in command.assigned:
        if variable in _STARTUP and (path := shell.find_path(value.text)) in shell.files:
            shell.run_text(shell.files[path].text, None, (variable,))


def _run_named(shell: Shell, command: Command) -> Word:
    """Run a command by the name of its program, in the order in which bash looks for it."""
    words = command.words
    name = words[0].text.rpartition("/")[2] or words[0].text
    if name in shell.functions:
        return shell.call_function(name, words[1:], command.stdin)
    if name == "$0":
        return shell.add_call(command)
    if words[0].text == UNKNOWN:
        return _run_unknown(shell, command)
    if _OTHER_CASE.search(name):
        name = find_program_name(name)
        words = (words[0]._replace(text=name), *words[1:])
        command = command._replace(words=words)
    if (builtin := BUILTINS.get(name)) is not None:
        printed = builtin(shell, command)
        if printed is not None:
            return shell.add_call(command) if command.redirects else printed
    if (row := WRAPPERS.get(name)) is not None and (wrapped := unwrap(words, row)).words:
        folder = shell.cwd if wrapped.folder is None else shell.find_folder(wrapped.folder.text)
        assigned = (*command.assigned, *_list_assigned(words, row, wrapped))
        inner = command._replace(words=_drop_version(name, wrapped.words), assigned=assigned)
        return shell.run_inner(name, inner, cwd=folder)
    command = _read_sql_file(shell, name, command)
    for run in _RUNNERS:
        printed = run(shell, name, command)
        if printed is not None:
            return printed
    return _run_program(shell, name, command)


def find_program_name(name: str) -> str:
    """Return the name of a program without a folder of Windows, capitals and `.exe`."""
    plain = _ENDING.sub("", name.rpartition("\\")[2])
    if plain in INTERPRETERS:  # `R`
        return plain
    lower = plain.lower()
    return lower if plain.isupper() or _is_known(lower) else plain


def _is_known(name: str) -> bool:
    return name in SHELLS or name in WRAPPERS or name in INTERPRETERS or name in STARTED


def _run_unknown(shell: Shell, command: Command) -> Word:
    """Run what an unknown program may run: that of the variable's name, or a shell with `-c`."""
    words = command.words
    printed = shell.add_call(command)
    guess = next(filter(None, map(_guess_program, words[0].names)), "")
    if guess:
        shell.run_inner("$", command._replace(words=(Word(guess), *words[1:])))
    elif len(words) > _LEAST_TEXT and _TEXT_OPTION.fullmatch(words[1].text):
        known = len(shell.unverified)
        shell.run_inner("$", command._replace(words=(Word("sh"), *words[1:])))
        del shell.unverified[known:]  # it may be the text of another language
    return printed


def _guess_program(variable: str) -> str:
    """Return the program that a variable holds, from its name; empty if that does not tell."""
    name = _VARIABLE_ENDING.sub("", variable).lower()
    return "sh" if name == "shell" else name if _is_known(name) else ""


def _drop_version(name: str, words: list[Word]) -> tuple[Word, ...]:
    """Return a command without the version in `npx NAME@VERSION`."""
    at = words[0].text.find("@", 1) if name in PACKAGE_RUNNERS else -1
    first = words[0]._replace(text=words[0].text[:at]) if at > 0 else words[0]
    return (first, *words[1:])


def _list_assigned(
    words: tuple[Word, ...], row: Wrapper, wrapped: Wrapped
) -> Iterator[tuple[str, Word]]:
    """Yield the variables that `env NAME=VALUE ...` sets for the command that it starts."""
    for word in words[1 : len(words) - len(wrapped.words)] if row.assigns else ():
        if match := _ASSIGNMENT.match(word.text):
            yield match[1], word._replace(text=match[2])


def _read_sql_file(shell: Shell, name: str, command: Command) -> Command:
    """Return `psql -f FILE` with what the text wrote to the file as its input."""
    if name not in _READ_SQL or command.stdin is not None or not shell.files:
        return command
    return command._replace(stdin=next(iter(_find_written(shell, command.words).values()), None))


def _run_program(shell: Shell, name: str, command: Command) -> Word:
    """Record the call of a program that runs no other, and return what it prints."""
    command = _add_exported(shell, name, command)
    words, stdin = command.words, command.stdin
    for text, way in list_deferred(name, words, stdin, command.assigned):
        shell.run_text(text, None, (way,))
    printed = shell.add_call(command)
    after = _find_started(name, words)
    if after:
        output = shell.run_inner(name, command._replace(words=after))
        printed = printed.add_calls(output)
    _follow_files(shell, name, command)
    here = _find_written(shell, words) if shell.files else {}
    operands = words[1:]
    if name == "printenv" and len(operands) == 1:
        value = shell.get(operands[0].text, None)
        return value._replace(text=f"{value.text}\n", calls=(*printed.calls, *value.calls))
    known = find_output(name, operands, stdin, here, shell.cwd)
    if known is None:
        return printed
    return known._replace(calls=tuple(dict.fromkeys((*printed.calls, *known.calls))))


def _add_exported(shell: Shell, name: str, command: Command) -> Command:
    """Return a call of Git with the settings that variables of the text hold."""
    if name != "git" or not any(each in shell.variables for each in _SETTINGS):
        return command
    found = [(each, shell.get(each, None)) for each in shell.variables
             if each.startswith("GIT_CONFIG_")]  # fmt: skip
    return command._replace(assigned=(*found, *command.assigned))


def _find_written(shell: Shell, words: tuple[Word, ...]) -> dict[str, Word]:
    """Return what the text wrote to the files that words name."""
    paths = {word.text: shell.find_path(word.text) for word in words[1:]}
    return {text: shell.files[path] for text, path in paths.items() if path in shell.files}


def _find_started(name: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the command after `--` of a program that may start it; empty if there is none."""
    texts = [word.text for word in words]
    if name in SANDBOXES:
        at = next((at for at, text in enumerate(texts) if at and _drop_folder(text) in STARTED), 0)
        return words[at:] if at else ()
    if name in TAKES_DATA or "--" not in texts:
        return ()
    after = words[texts.index("--") + 1 :]
    return after if after and _drop_folder(after[0].text) in STARTED else ()


def _drop_folder(text: str) -> str:
    return text.rpartition("/")[2]


def _follow_files(shell: Shell, name: str, command: Command) -> None:
    """Remember what simple programs write to files."""
    operands = [word for word in command.words[1:] if not word.text.startswith("-")]
    if name == "tee" and command.stdin is not None:
        for word in operands:
            shell.write(word.text, command.stdin)
    elif name in ("cp", "mv", "ln", "install") and len(operands) > 1:
        source = shell.files.get(shell.find_path(operands[0].text))
        if source is not None:
            shell.write(operands[-1].text, source)
