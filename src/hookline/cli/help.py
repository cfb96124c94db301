"""The help of hookline and of each command, from the table of commands and their options."""

from __future__ import annotations

from hookline.cli.commands import COMMANDS, GROUPS
from hookline.cli.layout import find_width, wrap_text
from hookline.cli.options import HELP, PRINTING, SHARED, list_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.cli.options import Option

    Pairs = Iterable[tuple[str, str]]

_WIDEST = 100
_WIDEST_LABEL = 26  # of an option; the text of a wider one begins below it
_NARROWEST_TEXT = 24
_INTRODUCTION = (
    "hookline runs the hooks of AI agents, in any format, and explains what they decide."
)
_START = (
    ("hookline install", "let the agents on this machine call hookline"),
    ("hookline list", "the hooks that it finds here, and whether they run"),
    ("hookline approve", "review the hooks of a project, and let them run"),
    ("hookline fire pre_tool_use -c hooks.yaml < payload.json", "try hooks on an event"),
)
CODES = (
    ("0", "ok; from fire also: silent, allow or ask"),
    ("1", "findings; from fire: denied or halted (--exit-zero makes it 0)"),
    ("2", "usage or configuration error"),
    ("3", "internal error; hookline keeps a log of the crash"),
    ("130", "interrupted"),
)
_ANSWER = "`hookline answer` exits as its host expects."


def render_overview(*, is_long: bool) -> Iterator[str]:
    """Yield examples and commands; the long help also has common options and exit codes."""
    yield from _wrap(_INTRODUCTION)
    yield "\nUsage: hookline COMMAND [OPTIONS]"
    yield from _section("Examples", _START)
    for group in GROUPS:
        found = [(name, each.does) for name, each in COMMANDS.items() if each.group == group]
        yield from _section(group.title(), found, at_least=14)
    if is_long:
        yield from _section("Options of most commands", _list_pairs({**SHARED, **PRINTING}))
        yield from _section("Other options", ((_HELP_LABEL, ""), ("-V, --version", "")))
        yield from render_codes()
    yield f"\nMore: {'' if is_long else 'hookline --help, '}hookline help COMMAND"


def render_codes() -> Iterator[str]:
    """Yield the exit codes of all commands."""
    yield from _section("Exit codes", CODES)
    yield from _wrap(_ANSWER, "  ")


def render_command(name: str, *, is_long: bool) -> Iterator[str]:
    """Yield the help of a command; the short one only names its rare options."""
    row = COMMANDS[name]
    options = list_options(row.load())
    arguments = {key: each for key, each in options.items() if not each.names}
    named = {key: each for key, each in options.items() if each.names and each.help}
    rare = {} if is_long else {key: each for key, each in named.items() if each.is_rare}
    usage = "".join(f" {each.usage}" for each in arguments.values())
    yield from _wrap(f"{row.does[:1].upper()}{row.does[1:]}")
    yield f"\nUsage: hookline {name} [OPTIONS]{usage}"
    yield from _section("Examples", ((each, "") for each in row.examples))
    yield from _section("Arguments", ((each.usage, each.help) for each in arguments.values()))
    shown = {key: each for key, each in named.items() if key not in rare}
    yield from _section("Options", (*_list_pairs(shown), (_HELP_LABEL, "")))
    if rare:
        yield ""
        names = ", ".join(each.names[-1] for each in rare.values())
        yield from _wrap(f"More options (hookline help {name}): {names}")
    yield ""
    yield from _wrap(f"Exit codes: {_list_codes(row.codes)}")


def _list_codes(own: str) -> str:
    if own and not own[0].isdecimal():
        return own
    codes = ["0 ok", "2 usage or configuration error", *filter(None, own.split("; "))]
    return "; ".join(sorted(codes, key=lambda code: int(code.split()[0])))


_HELP_LABEL = ", ".join(HELP)


def _list_pairs(options: dict[str, Option]) -> Iterator[tuple[str, str]]:
    for each in options.values():
        if each.help:
            short = "" if len(each.names[0]) == len("-x") else "    "
            metavar = f" {each.metavar}" if each.metavar else ""
            has_default = each.default not in ("", ".", "-", 0, False, [])
            default = f"; default: {each.default}" if has_default else ""
            yield f"{short}{', '.join(each.names)}{metavar}", each.help + default


def _section(title: str, pairs: Pairs, *, at_least: int = 0) -> Iterator[str]:
    """Yield a title and its lines, label and text; the texts form one column where they fit."""
    rows = [*pairs]
    if not rows:
        return
    yield f"\n{title}:"
    labels = [len(label) for label, text in rows if text and len(label) <= _WIDEST_LABEL]
    column = max(max(labels, default=0) + 4, at_least)
    if _width() - column < _NARROWEST_TEXT:
        column = 8
    for label, text in rows:
        is_beside = bool(text) and len(label) + 4 <= column
        if not is_beside:
            yield f"  {label}"
        if text:
            first = f"  {label}" if is_beside else ""
            yield from wrap_text(text, " " * column, first=first, width=_width())


def _wrap(text: str, indent: str = "") -> list[str]:
    return wrap_text(text, indent, width=_width())


def _width() -> int:
    return min(find_width() or 80, _WIDEST)
