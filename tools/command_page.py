"""The page of commands, from the table of commands and the declarations of their options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.cli.commands import COMMANDS, GROUPS
from hookline.cli.options import PRINTING, SHARED, Option, list_options

if TYPE_CHECKING:
    from collections.abc import Iterable

_TITLES = {
    "start": "Let agents call hookline",
    "look": "Look at hooks",
    "try": "Try hooks",
    "decide": "Decide which hooks run",
    "run": "Run",
}
_HEAD = """\
# Commands

`hookline help COMMAND` prints the same, `hookline COMMAND --help` the common options. Every command
ends with 0 if all is well, and with 2 after a usage or configuration error.
`hookline help exit-codes` lists the others.
"""
_COMMON = {
    "Options that choose hooks": (SHARED, "Commands marked *hooks* below have these options."),
    "Options of output": (PRINTING, "Commands marked *output* below have these options."),
}


def commands_page() -> str:
    """Every command with its options, its examples and its exit codes."""
    parts = [_HEAD]
    for title, (options, words) in _COMMON.items():
        parts += [f"## {title}\n", f"{words}\n", *_table(options.values()), ""]
    for group in GROUPS:
        parts.append(f"## {_TITLES.get(group, group.capitalize())}\n")
        for name, command in COMMANDS.items():
            if command.group == group:
                parts += _section(name)
    return "\n".join(parts).rstrip("\n") + "\n"


def _section(name: str) -> list[str]:
    command = COMMANDS[name]
    options = list_options(command.load())
    own = {key: each for key, each in options.items() if not _is_common(key, each)}
    common = [
        word
        for word, shared in (("hooks", SHARED), ("output", PRINTING))
        if any(options.get(key) is each for key, each in shared.items())
    ]
    marks = f" *({', '.join(common)})*" if common else ""
    codes = f"Exit codes beyond 0 and 2: {command.codes}.\n" if command.codes else ""
    return [
        f"### `hookline {name}`\n",
        f"{command.does[:1].upper()}{command.does[1:]}.{marks}\n",
        "```sh",
        *command.examples,
        "```\n",
        *(_table(own.values()) if any(_is_shown(each) for each in own.values()) else ()),
        *(["", codes] if codes else [""]),
    ]


def _is_common(key: str, option: Option) -> bool:
    return any(shared.get(key) is option for shared in (SHARED, PRINTING))


def _is_shown(option: Option) -> bool:
    return bool(option.help) or not option.names


def _table(options: Iterable[Option]) -> list[str]:
    return [
        "| option | meaning | default |",
        "| --- | --- | --- |",
        *(_row(each) for each in options if _is_shown(each)),
    ]


def _row(option: Option) -> str:
    words = ", ".join(f"`{name}`" for name in option.names)
    value = f"`{option.metavar}`".replace("|", "` or `") if option.metavar else ""
    default = "-" if option.default in ("", 0.0, False, []) else f"`{option.default}`"
    return f"| {' '.join(filter(None, (words, value)))} | {option.help or '-'} | {default} |"
