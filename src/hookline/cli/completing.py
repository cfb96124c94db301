"""`hookline completion SHELL`: the script by which a shell completes command lines, and what it is answered when it asks.

Each shell's script asks by running `hookline` with one variable set, so that no command looks for it that a host starts.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Annotated, Any, Literal

import typer
from typer.completion import completion_init, get_completion_script, shell_complete  # type: ignore[attr-defined]  # it says nothing of exports

from hookline.cli import flags, offers
from hookline.cli.command_line import COMPLETION_VARIABLE
from hookline.cli.ending import OK, say
from hookline.cli.typer_command import to_typer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.cli.commands import Command

# Where shells put the line that is being typed.
_LINES = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
_Shell = Annotated[
    Literal["bash", "zsh", "fish", "powershell"],
    flags.argument(metavar="SHELL", help="bash, zsh, fish or powershell"),
]


def completion(*, shell: _Shell) -> int:
    """The script by which a shell completes command lines of hookline."""
    say(
        get_completion_script(prog_name="hookline", complete_var=COMPLETION_VARIABLE, shell=shell)
        + "\n"
    )
    return OK


def completed(commands: Mapping[str, Command], instruction: str) -> int:
    """Answer a shell: what the line that it is at can go on with. `instruction`: what its script asks for."""
    line = next((os.environ[name] for name in _LINES if name in os.environ), "").split()
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    for name, command in commands.items():
        # What else a command takes is asked once it is typed; until then nothing of it is loaded.
        app.command(name, help=command.does)(
            to_typer(_call_of(name, command)) if name in line[1:2] else _nothing
        )
    completion_init()
    return shell_complete(
        typer.main.get_command(app), {}, "hookline", COMPLETION_VARIABLE, instruction
    )


def _nothing() -> None:
    """A command in whose words nobody is interested yet."""


def _call_of(name: str, command: Command) -> Callable[..., Any]:
    if not command.home[0]:
        return _UNTYPED[name]
    found: Callable[..., Any] = getattr(
        import_module(f"hookline.cli.{command.home[0]}"), command.home[1]
    )
    return found


# -- commands that read their words themselves, because hosts start them: a shell is told of these -----------------------


@flags.selecting
def _answer(
    *,
    selection: flags.Selection,
    host: Annotated[str, flags.argument(autocompletion=offers.hosts)],
    event: Annotated[
        str, flags.option("--event", metavar="NAME", help="the event", autocompletion=offers.events)
    ] = "",
    deadline: flags.Deadline = 0.0,
) -> int:
    """The words of `hookline answer`, which a shell completes; it is `answer_main` that a host runs."""
    raise NotImplementedError  # nobody calls it: only its signature is read


@flags.selecting
def _fire(
    *,
    selection: flags.Selection,
    event: Annotated[str, flags.argument(autocompletion=offers.events)],
    host: flags.Host = "",
    input: flags.Input = "-",  # noqa: A002 - the name of the flag
    json: flags.Json = False,
    exit_zero: flags.ExitZero = False,
    deadline: flags.Deadline = 0.0,
    color: flags.Color = "auto",
) -> int:
    """The words of `hookline fire`, as above; it is `fire_main` that runs."""
    raise NotImplementedError  # nobody calls it: only its signature is read


_UNTYPED: Mapping[str, Callable[..., Any]] = {"answer": _answer, "fire": _fire}
