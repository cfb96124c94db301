"""`hookline completion SHELL`: prints the script of a shell, and answers what the script asks.

Each script runs `hookline complete` with the words that are typed so far, and offers the lines that it prints.
"""

from __future__ import annotations

import os
from importlib.resources import files
from itertools import pairwise

from hookline.cli.commands import COMMANDS
from hookline.cli.events import list_event_names
from hookline.cli.exit_codes import OK, print_text
from hookline.cli.options import option
from hookline.cli.schema import list_schemas
from hookline.cli.selection import list_all_options
from hookline.config.places import project_root
from hookline.engine.catalog import NAMES
from hookline.engine.declared_hooks import list_hooks
from hookline.engine.engine import Engine
from hookline.errors import CODES, HookError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from hookline.cli.options import Option

    Given = Mapping[str, list[str]]  # parameter -> the values that are typed already


def print_script(
    *,
    shell: str = option(
        metavar="SHELL",
        choices=("bash", "zsh", "fish", "powershell"),
        is_required=True,
    ),
) -> int:
    """Print the script by which a shell completes command lines of hookline."""
    script = files("hookline.cli") / "completion_scripts" / f"hookline.{shell}"
    print_text(script.read_text(encoding="utf-8"))
    return OK


def complete_line(words: Sequence[str]) -> list[str]:
    """Return what the last of these words may become; the words are those after `hookline`."""
    *before, begun = words or ("",)
    if not before:
        found: Iterable[str] = COMMANDS
    elif before[0] in COMMANDS:
        found = _list_words(list_all_options(COMMANDS[before[0]].load()), before[1:], begun)
    else:
        found = ()
    return [word for word in dict.fromkeys(found) if word.startswith(begun)]


def _list_words(options: Mapping[str, Option], before: Sequence[str], begun: str) -> Iterable[str]:
    """Return the names of options, or the values of the option or argument that is being typed."""
    if begun.startswith("-"):
        return ["--help", *(name for each in options.values() for name in each.names)]
    named = {name: key for key, each in options.items() for name in each.names}
    given: dict[str, list[str]] = {}
    for word, following in pairwise(before):
        if word in named:
            given.setdefault(named[word], []).append(following)
    wanted = [options[named[word]] for word in before[-1:] if word in named]
    if not wanted or wanted[0].is_flag:
        wanted = [each for each in options.values() if not each.names][:1]
    return [
        word
        for each in wanted
        for word in (
            *each.choices,
            *(word for name in each.complete for word in WORDS[name](given)),
        )
    ]


def _list_events(given: Given) -> list[str]:
    """Return the names of events: of the dialect on the command line, else of every dialect."""
    dialect = (given.get("host") or given.get("dialect") or [""])[-1]
    return list_event_names(dialect)


def _list_ids(given: Given) -> list[str]:
    """Return the ids of hooks: of the files on the command line, else of all that hookline finds. No hook runs."""
    folder = (given.get("folder") or ["."])[-1]
    try:
        if "configs" not in given:
            engine = Engine.discover(project_root(folder, os.environ) or folder)
        else:
            engine = Engine(cwd=folder)
            for path in given["configs"]:
                dialect = (given.get("dialect") or [""])[-1]
                engine.add_source(os.path.join(folder, path), dialect=dialect or None)
        return [spec.id for spec in list_hooks(engine.snapshot)]
    except (HookError, OSError):  # a prompt is no place for an error
        return []


# What an option or argument may be completed to, by the names in its declaration.
WORDS: Mapping[str, Callable[[Given], Iterable[str]]] = {
    "hosts": lambda _: NAMES,
    "events": _list_events,
    "hooks": _list_ids,
    "codes": lambda _: CODES.values(),
    "last": lambda _: ("last",),
    "schemas": lambda _: list_schemas(),
}
