"""Runs a command by its first word, and shows the help of all of them."""

from __future__ import annotations

from hookline.cli.commands import COMMANDS, ELSEWHERE, load
from hookline.cli.options import HELP, call_command, usage_error
from hookline.cli.output import OK, print_text, run_command
from hookline.errors import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def app_main(words: list[str]) -> int:
    """Run a command by its words; returns the exit code."""
    program = f"hookline {words[0]}" if words and words[0] in COMMANDS else "hookline"
    return run_command(program, lambda: _run(words))


def _run(words: list[str]) -> int:
    match words:
        case []:
            return _print_help("overview", is_long=False)
        case ["__complete", *typed]:
            return int(load("completion.print_completions")(typed))
        case ["-h" | "--help" | "help"]:
            return _print_help("overview", is_long=True)
        case ["help", "exit-codes"]:
            return _print_help("codes")
        case ["help", name] if name in COMMANDS:
            return _print_help("command", name, is_long=True)
        case ["help", name, *_]:
            raise usage_error(f"no help on `{name}`", _suggest(name))
        case [name, *rest] if name in COMMANDS:
            if not {*HELP}.isdisjoint(rest):
                return _print_help("command", name, is_long=False)
            return call_command(name, COMMANDS[name].load(), rest)
        case [name, *_]:
            raise usage_error(f"unknown command `{name}`", _suggest(name))
    return OK


def _print_help(page: str, *words: str, **how: bool) -> int:
    lines: Iterable[str] = load(f"help.render_{page}")(*words, **how)
    print_text("".join(f"{line}\n" for line in lines).lstrip("\n"))
    return OK


def _suggest(name: str) -> str:
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if name.startswith("-"):
        return "options follow the command: hookline list --json"
    return did_you_mean(name, COMMANDS) or "`hookline` lists the commands"
