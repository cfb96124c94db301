"""Options that several commands share, and the `Selection` that the options which choose hooks make."""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal

from hookline.cli import completions
from hookline.cli.command_line import Argument, Option, list_parameters
from hookline.cli.options import Selection, change_folder
from hookline.engine.catalog import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Color",
    "Deadline",
    "ExitZero",
    "Host",
    "Input",
    "Json",
    "Selection",
    "argument",
    "option",
    "select_hooks",
]

option = Option
argument = Argument

Json = Annotated[bool, option("--json", help="print one JSON document")]
Color = Annotated[
    Literal["auto", "always", "never"],
    option("--color", metavar="WHEN", help="auto, always or never"),
]
ExitZero = Annotated[bool, option("--exit-zero", help="exit 0 also when there are findings")]
Deadline = Annotated[
    float, option("--deadline", metavar="S", help="seconds until the answer has to be written")
]
Host = Annotated[
    str,
    option(
        "--host",
        metavar="NAME",
        help="the dialect of the event, where it is not the files'",
        autocompletion=completions.complete_hosts,
    ),
]
Input = Annotated[str, option("--input", metavar="FILE", help="the payload; - is standard input")]

_Config = Annotated[
    list[str],
    option("-c", "--config", metavar="PATH", help="a file or folder of hooks; repeatable"),
]
_Dialect = Annotated[
    str,
    option(
        "--dialect",
        metavar="NAME",
        help=f"of files and events: {', '.join(NAMES)}",
        autocompletion=completions.complete_hosts,
    ),
]
_Trust = Annotated[
    Literal["all", "user", "approved", "none"] | None,
    option("--trust", metavar="WHOM", help="which hooks may run: all, user, approved or none"),
]
_Mode = Annotated[
    Literal["fidelity", "strict"],
    option("--mode", metavar="MODE", help="fidelity or strict (fail closed)"),
]
_Matching = Annotated[
    Literal["native", "canonical"],
    option(
        "--match-tools", metavar="NAMES", help="native, or canonical: a tool's names in all hosts"
    ),
]
_Option = Annotated[
    list[str],
    option(
        "-o", "--option", metavar="NAME=VALUE", help="of the dialect, as profile=d1; repeatable"
    ),
]
_Folder = Annotated[str, option("-C", metavar="DIR", help="as if started there")]
_Home = Annotated[
    str, option("--home", metavar="DIR", help="your home, whatever the environment says")
]


def _shared_options(
    *,
    config: _Config = [],  # noqa: B006 - only its signature is used
    dialect: _Dialect = "",
    trust: _Trust = None,
    mode: _Mode = "fidelity",
    match_tools: _Matching = "native",
    option: _Option = [],  # noqa: B006 - as above
    folder: _Folder = "",
    home: _Home = "",
) -> int:
    raise NotImplementedError  # never called: only its signature is read


def select_hooks(command: Callable[..., int]) -> Callable[..., int]:
    """Return a command with the options that choose hooks; it gets them as `selection`."""

    def selected(**given: Any) -> int:
        chosen = {name: given.pop(name) for name in _SHARED}
        home = os.path.abspath(chosen["home"]) if chosen["home"] else ""
        change_folder(chosen["folder"])
        selection = Selection(
            configs=chosen["config"],
            dialect=chosen["dialect"],
            trust=chosen["trust"] or "",
            mode=chosen["mode"],
            match_tools=chosen["match_tools"],
            options=chosen["option"],
            home=home,
        )
        selection.clean_environ()
        return command(selection=selection, **given)

    selected.command = command  # type: ignore[attr-defined]  # what `list_parameters` reads
    selected.shared = _SHARED  # type: ignore[attr-defined]  # as above
    return selected


_SHARED = list_parameters(_shared_options)
