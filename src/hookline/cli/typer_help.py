"""The help of commands, and the completion of shells: both by typer, from the same declarations.

The script of a shell runs `hookline` with one variable set, so that no command looks for it that a
host starts.
"""

from __future__ import annotations

import inspect
import os
from typing import Annotated, Any

import typer
from typer.completion import (  # type: ignore[attr-defined]  # it says nothing of exports
    completion_init,
    get_completion_script,
    shell_complete,
)

from hookline.cli.commands import COMMANDS, COMPLETION_VARIABLE
from hookline.cli.events import list_event_names
from hookline.cli.options import HELP, SHARED, Option, Selection, list_options, option
from hookline.cli.output import OK, print_text
from hookline.cli.schema import list_schemas
from hookline.engine.catalog import NAMES
from hookline.engine.loader import list_hooks
from hookline.errors import CODES, HookError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


# Where shells put the line that is being typed.
_LINES = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")


def print_help(name: str) -> int:
    """Print the help of a command."""
    row = COMMANDS[name]
    codes = f"; {row.codes}" if row.codes else ""
    examples = "".join(f"\n  {each}" for each in row.examples)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(
        name,
        # A line of its own with a backspace keeps what follows as it is written.
        help=f"{row.does[:1].upper()}{row.does[1:]}\n\n\b\nexamples:{examples}",
        epilog=f"exit codes: 0 ok{codes}; 2 usage or configuration error",
        context_settings={"help_option_names": list(HELP)},
    )(_make_callback(list_options(row.load())))
    command = typer.main.get_command(app)
    command.main(["--help"], prog_name=f"hookline {name}", standalone_mode=False)
    return OK


def _make_callback(options: Mapping[str, Option]) -> Callable[..., None]:
    """Return a function with the signature that typer reads; it is never called."""

    def call(**_given: Any) -> None:
        """Do nothing."""

    parameters = [_make_parameter(key, each) for key, each in options.items()]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # for typer
    return call


def _make_parameter(key: str, option: Option) -> inspect.Parameter:
    settings: dict[str, Any] = {"metavar": option.metavar or None, "help": option.help}
    if option.names:
        settings |= {"hidden": not option.help, "show_default": option.default not in (0.0, ".")}
    if option.complete or option.choices:
        settings["autocompletion"] = _make_completer(option)
    value = bool if option.is_flag else list[str] if option.is_repeatable else str
    make = typer.Option if option.names else typer.Argument
    return inspect.Parameter(
        key,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if option.is_required else option.default,
        annotation=Annotated[value, make(*option.names, **settings)],
    )


def print_script(
    *,
    shell: str = option("SHELL", choices=("bash", "zsh", "fish", "powershell")),
) -> int:
    """Print the script by which a shell completes command lines of hookline."""
    script = get_completion_script(
        prog_name="hookline", complete_var=COMPLETION_VARIABLE, shell=shell
    )
    print_text(f"{script}\n")
    return OK


def complete_line(instruction: str) -> int:
    """Print the completions of the current command line.

    `instruction`: the request of the shell's script.
    """
    line = next((os.environ[name] for name in _LINES if name in os.environ), "").split()
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    for name, command in COMMANDS.items():
        # The options of a command are loaded only once its name is typed.
        options = list_options(command.load()) if name in line[1:2] else {}
        app.command(name, help=command.does)(_make_callback(options))
    completion_init()
    command_line = typer.main.get_command(app)
    return shell_complete(command_line, {}, "hookline", COMPLETION_VARIABLE, instruction)


def _make_completer(option: Option) -> Callable[[Any, str], list[str]]:
    """Return the function by which typer completes the values of an option."""

    def complete(ctx: Any, incomplete: str) -> list[str]:
        words = [*option.choices]
        for name in option.complete.split():
            words += WORDS[name](ctx.params)
        return [word for word in dict.fromkeys(words) if word.startswith(incomplete)]

    complete.__annotations__ = {"ctx": typer.Context, "incomplete": str}
    return complete


def _list_events(given: Mapping[str, Any]) -> list[str]:
    """Return the names of events: of the dialect on the command line, else of every dialect."""
    return list_event_names(given.get("host") or given.get("dialect") or "")


def _list_ids(given: Mapping[str, Any]) -> list[str]:
    """Return the ids of the hooks that the command line selects; none of them runs."""
    selection = Selection(**{name: given[name] for name in SHARED if given.get(name)})
    try:
        selection.enter_folder()
        return [spec.id for spec in list_hooks(selection.engine().snapshot)]
    except (HookError, OSError):  # a prompt is no place for an error
        return []


# What an option or argument may be completed to, by the names in its declaration.
WORDS: Mapping[str, Callable[[Mapping[str, Any]], Iterable[str]]] = {
    "hosts": lambda _: NAMES,
    "events": _list_events,
    "hooks": _list_ids,
    "codes": lambda _: CODES.values(),
    "last": lambda _: ("last",),
    "schemas": lambda _: list_schemas(),
}
