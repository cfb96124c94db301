"""`hookline completion SHELL`: prints the script of a shell, and answers what the script asks.

Each script runs `hookline` with one variable set, so that no command looks for it that a host
starts.
"""

from __future__ import annotations

import os

import typer
from typer.completion import completion_init, get_completion_script, shell_complete  # type: ignore[attr-defined]  # it says nothing of exports

from hookline.cli.commands import COMMANDS, COMPLETION_VARIABLE
from hookline.cli.events import list_event_names
from hookline.cli.exit_codes import OK, print_text
from hookline.cli.options import option
from hookline.cli.schema import list_schemas
from hookline.cli.selection import list_all_options
from hookline.cli.typer_command import make_callback
from hookline.config.places import project_root
from hookline.engine.catalog import NAMES
from hookline.engine.engine import Engine
from hookline.engine.loader import list_hooks
from hookline.errors import CODES, HookError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hookline.cli.options import Option

# Where shells put the line that is being typed.
_LINES = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")


def print_script(
    *,
    shell: str = option(
        metavar="SHELL",
        choices=("bash", "zsh", "fish", "powershell"),
        is_required=True,
    ),
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
        options = list_all_options(command.load()) if name in line[1:2] else {}
        app.command(name, help=command.does)(make_callback(options, print, _make_completer))
    completion_init()
    command_line = typer.main.get_command(app)
    return shell_complete(command_line, {}, "hookline", COMPLETION_VARIABLE, instruction)


def _make_completer(option: Option) -> Callable[[Any, str], list[str]]:
    """Return the function by which typer completes the values of an option."""

    def complete(ctx: Any, incomplete: str) -> list[str]:
        words = (word for name in option.complete for word in WORDS[name](ctx.params))
        return [word for word in dict.fromkeys(words) if word.startswith(incomplete)]

    complete.__annotations__ = {"ctx": typer.Context, "incomplete": str}
    return complete


def _list_events(given: Mapping[str, Any]) -> list[str]:
    """Return the names of events: of the dialect on the command line, else of every dialect."""
    return list_event_names(given.get("host") or given.get("dialect") or "")


def _list_ids(given: Mapping[str, Any]) -> list[str]:
    """Return the ids of hooks: of the files on the command line, else of all that hookline finds.

    No hook runs.
    """
    folder, dialect = given.get("folder") or ".", given.get("dialect")
    try:
        if not given.get("configs"):
            engine = Engine.discover(project_root(folder, os.environ) or folder)
        else:
            engine = Engine(cwd=folder)
            for path in given["configs"]:
                engine.add_source(os.path.join(folder, path), dialect=dialect or None)
        return [spec.id for spec in list_hooks(engine.snapshot)]
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
