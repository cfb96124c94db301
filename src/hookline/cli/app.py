"""Runs a command by its first word, and shows the help of each command and of all of them."""

from __future__ import annotations

import shutil
import textwrap

from hookline.cli.commands import COMMANDS, ELSEWHERE, GROUPS
from hookline.cli.exit_codes import OK, print_text, run_command
from hookline.cli.options import COLOR, HELP, JSON
from hookline.cli.selection import SHARED, call_command, list_all_options
from hookline.errors import ConfigError
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.cli.options import Option

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
        case []:
            print_text(f"{_INTRODUCTION}\n{_list_commands()}\nmore: hookline --help\n")
        case ["-h" | "--help" | "help"]:
            shared = "".join(_describe_options((*SHARED.values(), JSON, COLOR)))
            print_text(
                f"usage: hookline COMMAND [OPTIONS]\n\n{_INTRODUCTION}\n{_list_commands()}\n"
                f"Options of most commands:\n{shared}  -V, --version              the version\n\n{_CODES}"
            )
        case ["help", "exit-codes"]:
            print_text(_CODES)
        case ["help", name]:
            return _run([name, "--help"])
        case ["complete", *line]:  # what the script of `hookline completion` runs
            from hookline.cli.completion import complete_line  # noqa: PLC0415 - only a shell asks

            print_text("".join(f"{word}\n" for word in complete_line(line)))
        case [name, *rest] if name in COMMANDS and {*HELP}.intersection(rest):
            print_text(_format_help(name))
        case ["answer", *rest]:  # whose usage errors are replies to its host
            from hookline.cli.answer import answer_main  # noqa: PLC0415 - hosts start it without this module

            return answer_main(rest)
        case [name, *rest] if name in COMMANDS:
            return call_command(COMMANDS[name].load(), rest, f"hookline {name}")
        case [name, *_]:
            message = f"unknown command `{name}`"
            raise ConfigError(message, name="config.option", hint=_suggest(name))
    return OK


def _list_commands() -> str:
    lines = []
    for group, title in GROUPS.items():
        lines.append(f"{title}:\n")
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


def _format_help(name: str) -> str:
    """Return the help of one command: what it does, examples, options, exit codes."""
    command = COMMANDS[name]
    options = list_all_options(command.load()).values()
    arguments = [each.metavar if each.is_required else f"[{each.metavar}]" for each in options if not each.names]  # fmt: skip
    codes = f"; {command.codes}" if command.codes else ""
    return "".join(
        (
            f"usage: {' '.join(('hookline', name, *arguments, '[OPTIONS]'))}\n\n",
            f"{command.does[:1].upper()}{command.does[1:]}\n\n",
            "examples:\n",
            *(f"  {example}\n" for example in command.examples),
            "\nOptions:\n",
            *_describe_options(options),
            f"\nexit codes: 0 ok{codes}; 2 usage or configuration error\n",
        )
    )


def _describe_options(options: Iterable[Option]) -> Iterator[str]:
    """Yield the name and the help of each option, wrapped to the width of the terminal."""
    width = max(60, shutil.get_terminal_size((100, 24)).columns)
    for each in options:
        if each.help:
            label = " ".join((*([", ".join(each.names)] if each.names else []), each.metavar))
            default = f" [default: {each.default}]" if each.default else ""
            yield (
                textwrap.fill(
                    f"{each.help}{default}",
                    width,
                    initial_indent=f"  {label.strip():26} ",
                    subsequent_indent=" " * 29,
                )
                + "\n"
            )
