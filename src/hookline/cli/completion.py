"""`hookline completion SHELL`: prints the completion script of a shell, and answers its requests.

Each shell's script asks by running `hookline` with one variable set, so that no command looks for it that a host starts.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Annotated, Any, Literal

import typer
from typer.completion import completion_init, get_completion_script, shell_complete  # type: ignore[attr-defined]  # it says nothing of exports

from hookline.cli import command_options, completions
from hookline.cli.command_line import COMPLETION_VARIABLE
from hookline.cli.exit_codes import OK, print_text
from hookline.cli.typer_command import to_typer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.cli.commands import Command

# Where shells put the line that is being typed.
_LINES = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
_Shell = Annotated[
    Literal["bash", "zsh", "fish", "powershell"],
    command_options.argument(metavar="SHELL", help="bash, zsh, fish or powershell"),
]


def completion(*, shell: _Shell) -> int:
    """The script by which a shell completes command lines of hookline."""
    print_text(
        get_completion_script(prog_name="hookline", complete_var=COMPLETION_VARIABLE, shell=shell)
        + "\n"
    )
    return OK


def complete_line(commands: Mapping[str, Command], instruction: str) -> int:
    """Print the completions of the current command line. `instruction`: the request of the shell's script."""
    line = next((os.environ[name] for name in _LINES if name in os.environ), "").split()
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    for name, command in commands.items():
        # The options of a command are loaded only once its name is typed.
        app.command(name, help=command.does)(
            to_typer(_find_function(name, command)) if name in line[1:2] else _no_options
        )
    completion_init()
    return shell_complete(
        typer.main.get_command(app), {}, "hookline", COMPLETION_VARIABLE, instruction
    )


def _no_options() -> None:
    """Stand in for a command whose options are not needed."""


def _find_function(name: str, command: Command) -> Callable[..., Any]:
    if not command.home[0]:
        return _UNTYPED[name]
    found: Callable[..., Any] = getattr(
        import_module(f"hookline.cli.{command.home[0]}"), command.home[1]
    )
    return found


# -- options of the commands that parse their own words, for completion only ---------------------------------------------


@command_options.select_hooks
def _answer_options(
    *,
    selection: command_options.Selection,
    host: Annotated[str, command_options.argument(autocompletion=completions.complete_hosts)],
    event: Annotated[
        str,
        command_options.option(
            "--event", metavar="NAME", help="the event", autocompletion=completions.complete_events
        ),
    ] = "",
    deadline: command_options.Deadline = 0.0,
) -> int:
    """Declare the options of `hookline answer` for completion; `answer_main` runs the command."""
    raise NotImplementedError  # never called: only its signature is read


@command_options.select_hooks
def _fire_options(
    *,
    selection: command_options.Selection,
    event: Annotated[str, command_options.argument(autocompletion=completions.complete_events)],
    host: command_options.Host = "",
    input: command_options.Input = "-",  # noqa: A002 - the name of the flag
    json: command_options.Json = False,
    exit_zero: command_options.ExitZero = False,
    deadline: command_options.Deadline = 0.0,
    color: command_options.Color = "auto",
) -> int:
    """Declare the options of `hookline fire` for completion; `fire_main` runs the command."""
    raise NotImplementedError  # never called: only its signature is read


_UNTYPED: Mapping[str, Callable[..., Any]] = {"answer": _answer_options, "fire": _fire_options}
