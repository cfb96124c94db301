"""Completion of command lines: the script of each shell, and the words that it asks for.

A script runs `hookline __complete WORD...` with the words up to the cursor. It gets the words that
fit, one a line, each with a tab and its description.
"""

from __future__ import annotations

import os

from hookline.cli.commands import COMMANDS, load
from hookline.cli.options import HELP, list_options, option
from hookline.cli.output import OK, print_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.cli.options import Option

    Found = Iterable[tuple[str, str]]

SHELLS = ("bash", "zsh", "fish", "powershell")
# What an option or argument may be completed to, by the names in its declaration -> the function
# that returns the words, given the values of the options that are typed already.
WORDS = {
    "hosts": "events.list_hosts",
    "installable": "install.list_hosts",
    "events": "events.list_events_of",
    "hooks": "list_command.list_ids",
    "codes": "explain.list_codes",
    "schemas": "schema.list_schemas",
    "examples": "init.list_examples",
    "guards": "guard_files.list_guards",
    "packs": "packs.list_installed",
}


def print_script(*, shell: str = option("SHELL", choices=SHELLS)) -> int:
    """Print the script by which a shell completes command lines of hookline."""
    folder = os.path.join(os.path.dirname(__file__), "scripts")
    with open(f"{folder}/completion.{shell}", encoding="utf-8") as file:
        print_text(file.read())
    return OK


def print_completions(words: Sequence[str]) -> int:
    """Print what the last of these words may become. `words`: without the name of the program."""
    typed = [word for word in words if word != "="] or [""]  # bash splits `--name=value`
    if words and words[-1] == "=":
        typed.append("")
    *before, current = typed
    found = _complete(before, current)
    print_text("".join(f"{word}\t{text}\n" for word, text in found if word.startswith(current)))
    return OK


def _complete(before: Sequence[str], current: str) -> Found:
    if before[:1] in ([], ["help"]):
        commands = [(name, each.does) for name, each in COMMANDS.items()]
        return [*commands, ("--help", ""), ("--version", "")] if current else commands
    command = COMMANDS.get(before[0])
    if command is None:
        return []
    options = list_options(command.load())
    given, pending, arguments = _read(options, before[1:])
    if pending:
        return _list_values(options[pending], given)
    if current.startswith("-"):
        name, equals, _ = current.partition("=")
        if equals:
            named = _list_names(options)
            values = _list_values(options[named[name]], given) if name in named else ()
            return [(f"{name}={word}", text) for word, text in values]
        shown = [(each.names[-1], each.help) for each in options.values() if each.names]
        return [*((name, text) for name, text in shown if text), (HELP[-1], "")]
    return _list_values(options[arguments[0]], given) if arguments else []


def _list_names(options: Mapping[str, Option]) -> dict[str, str]:
    return {name: key for key, each in options.items() for name in each.names}


def _read(
    options: Mapping[str, Option], words: Iterable[str]
) -> tuple[dict[str, Any], str, list[str]]:
    """Return what is given, the option that waits for its value, and the arguments to come."""
    given: dict[str, Any] = {}
    named, pending = _list_names(options), ""
    arguments = [key for key, each in options.items() if not each.names]
    for word in words:
        name, equals, value = word.partition("=")
        if pending:
            key, value, pending = pending, word, ""
        elif name.startswith("-"):
            key = named.get(name, "")
            if not key or options[key].is_flag:
                continue
            if not equals:
                pending = key
                continue
        elif arguments:
            key, value = arguments[0], word
            if not options[key].is_repeatable:
                del arguments[0]
        else:
            continue
        given[key] = [*given.get(key, ()), value] if options[key].is_repeatable else value
    return given, pending, arguments


def _list_values(option: Option, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from ((word, "") for word in option.choices)
    for name in option.complete.split():
        words = load(WORDS[name])(given) if name in WORDS else (name,)
        yield from ((word, "") for word in dict.fromkeys(words))
