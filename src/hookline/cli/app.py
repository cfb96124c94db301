"""Runs a command by its first word, and shows the help of all of them."""

from __future__ import annotations

import os
from importlib import import_module

from hookline.cli.command_line import COMPLETION_VARIABLE, parse_words
from hookline.cli.commands import COMMANDS, ELSEWHERE, GROUPS
from hookline.cli.exit_codes import OK, print_text, run_command
from hookline.errors import ConfigError
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.cli.commands import Command


_INTRODUCTION = """hookline runs the hooks of AI agents, whatever dialect they are written in

examples:
  hookline list                          every hook that is found here
  hookline fire pre_tool_use -c hooks.yaml < payload.json
  hookline explain pre_tool_use -c hooks.yaml < payload.json
"""
_CODES = """exit codes:
  0  ok; from fire also: silent, allow or ask
  1  findings; from fire: denied or halted (--exit-zero makes it 0)
  2  usage or configuration error
  3  internal error; a log of the crash is kept
  130  interrupted
`hookline answer` ends as its host understands it, and in no other way.
"""


def app_main(words: list[str]) -> int:
    """Run a command by its words; returns the exit code."""
    program = f"hookline {words[0]}" if words and words[0] in COMMANDS else "hookline"
    return run_command(program, lambda: _run(words))


def _run(words: list[str]) -> int:
    match words:
        case [] if COMPLETION_VARIABLE in os.environ:
            from hookline.cli.completion import complete_line  # noqa: PLC0415 - only a shell asks

            return complete_line(COMMANDS, os.environ[COMPLETION_VARIABLE])
        case []:
            print_text(
                _INTRODUCTION + "\n" + "".join(_list_commands()) + "\nmore: hookline --help\n"
            )
        case ["-h" | "--help" | "help"]:
            print_text(
                "usage: hookline COMMAND [OPTIONS]\n\n"
                + _INTRODUCTION
                + "\n"
                + "".join(_list_commands())
                + "\n"
                + _OPTIONS
                + "\n"
                + _CODES
            )
        case ["help", "exit-codes"]:
            print_text(_CODES)
        case ["help", name]:
            return _run([name, "--help"])
        case [name, *rest] if name in COMMANDS:
            return _run_command(name, rest)
        case [name, *_]:
            raise ConfigError(
                f"unknown command `{name}`", name="config.option", hint=_suggest(name)
            )
    return OK


_OPTIONS = """options of most commands:
  -c, --config PATH    a file or folder of hooks; repeatable; without it, what is found for the user and the project
  --dialect NAME       of the files named, and of the event
  --trust WHOM         which hooks may run: all, user, approved or none
  --mode MODE          fidelity, or strict: a failed guard asks or denies
  --match-tools NAMES  native, or canonical: a matcher knows a tool's names in all hosts
  -C DIR               as if started there
  --home DIR           your home, whatever the environment says
  --json               one JSON document; its schema: hookline schema
  --color WHEN         auto, always or never
  -V, --version        the version
"""


def _list_commands() -> Iterator[str]:
    for group, title in GROUPS.items():
        yield f"{title}:\n"
        yield from (
            f"  {name:12}{command.does}\n"
            for name, command in COMMANDS.items()
            if command.group == group
        )


def _suggest(name: str) -> str:
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if name.startswith("-"):
        return "options follow the command: hookline list --json"
    return did_you_mean(name, COMMANDS) or "`hookline` lists the commands"


def _run_command(name: str, rest: list[str]) -> int:
    command = COMMANDS[name]
    home = import_module(f"hookline.cli.{command.home[0] or name}")
    if not command.home[0]:
        code: int = getattr(home, f"{name}_main")(rest)
        return code
    function = getattr(home, command.home[1])
    given = parse_words(function, rest)
    if given is not None:
        return int(function(**given))
    from hookline.cli.typer_command import run_with_typer  # noqa: PLC0415 - only for help and mistakes

    return run_with_typer(
        name, function, rest, text=_make_help(command), epilog=_make_epilog(command)
    )


def _make_help(command: Command) -> str:
    # A line of its own with a backspace keeps what follows as it is written.
    return "\n".join(
        (
            f"{command.does[:1].upper()}{command.does[1:]}",
            "",
            "\b",
            "examples:",
            *(f"  {example}" for example in command.examples),
        )
    )


def _make_epilog(command: Command) -> str:
    return f"exit codes: 0 ok{'; ' * bool(command.codes)}{command.codes}; 2 usage or configuration error"
