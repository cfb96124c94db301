"""Runs a command by its first word, and shows the help of all of them."""

from __future__ import annotations

import os

from hookline.cli.commands import COMMANDS, COMPLETION_VARIABLE, ELSEWHERE, GROUPS
from hookline.cli.options import HELP, call_command, usage_error
from hookline.cli.output import OK, print_text, run_command
from hookline.errors import did_you_mean

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
        case [] if instruction := os.environ.get(COMPLETION_VARIABLE):
            from hookline.cli.typer_help import complete_line  # noqa: PLC0415 - it loads typer

            return complete_line(instruction)
        case []:
            print_text(f"{_INTRODUCTION}\n{_list_commands()}\nmore: hookline --help\n")
        case ["-h" | "--help" | "help"]:
            usage = "usage: hookline COMMAND [OPTIONS]"
            print_text(f"{usage}\n\n{_INTRODUCTION}\n{_list_commands()}\n{_OPTIONS}\n{_CODES}")
        case ["help", "exit-codes"]:
            print_text(_CODES)
        case ["help", name]:
            return _run([name, "--help"])
        case [name, *rest] if name in COMMANDS:
            if not {*HELP}.isdisjoint(rest):
                from hookline.cli.typer_help import print_help  # noqa: PLC0415 - as above

                return print_help(name)
            return call_command(name, COMMANDS[name].load(), rest)
        case [name, *_]:
            raise usage_error(f"unknown command `{name}`", _suggest(name))
    return OK


_OPTIONS = """options of most commands:
  -c, --config PATH    a file or folder of hooks; repeatable; without it, those of user and project
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


def _list_commands() -> str:
    lines = []
    for group in GROUPS:
        lines.append(f"{group.title()}:\n")
        for name, command in COMMANDS.items():
            if command.group == group:
                lines.append(f"  {name:12}{command.does}\n")
    return "".join(lines)


def _suggest(name: str) -> str:
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if name.startswith("-"):
        return "options follow the command: hookline list --json"
    return did_you_mean(name, COMMANDS) or "`hookline` lists the commands"
