"""Fits pages to the terminal: columns, wrapped text, short paths; a program gets whole lines."""

from __future__ import annotations

import os
import sys
from textwrap import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LEAST = 24  # columns of a wrapped text
_ENDLESS = 1 << 20


def find_width() -> int:
    """Return the columns of the terminal; 0 if a program reads the output, which gets all of it."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError, AttributeError):  # no terminal, closed, or no stream at all
        return 0


def wrap_text(text: str, indent: str = "", *, first: str = "", width: int = 0) -> list[str]:
    """Return the lines of a text. `first`: how the first line begins, at most as long as `indent`.

    `width`: of a line, if not of the terminal.
    """
    width = width or find_width()
    start = first.ljust(len(indent))
    if not width or len(start) + len(text) <= width:
        return [start + text]
    return wrap(
        text,
        max(width, len(indent) + _LEAST),
        initial_indent=start,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def format_columns(fields: Iterable[tuple[str, str]], column: int = 16) -> Iterator[str]:
    """Yield the lines of each field that is not empty, with all texts in one column.

    A text of several lines is not wrapped, so that a script can be copied.
    """
    for label, text in fields:
        first, *others = text.split("\n")
        if others:
            yield f"  {label}".ljust(column) + first
            yield from (" " * column + line for line in others)
        elif text:
            yield from wrap_text(text, " " * column, first=f"  {label}")


def fit_rows(rows: Iterable[Sequence[str]], kept: int = 2, most: int = 99) -> Iterator[list[str]]:
    """Yield the cells of each row in columns, two blanks apart.

    On a terminal all but the first `kept` are cut to what is left of the line, and all but the last
    to `most`.
    """
    table, width = [[*row] for row in rows], find_width()
    room = (width or _ENDLESS) - 2
    most = most if width else room
    for column in range(len(table[0]) if table else 0):
        is_last = column == len(table[0]) - 1
        for row in table:
            if column >= kept:
                row[column] = cut_text(row[column], room if is_last else min(room, most))
        size = max(len(row[column]) for row in table)
        for row in table:
            row[column] = row[column] if is_last else row[column].ljust(size)
        room -= size + 2
    yield from table


def cut_text(text: str, room: int) -> str:
    """Return a text that fits, cut if it must be; empty if there is almost no room."""
    return text if len(text) <= room else "" if room <= len("...") else f"{text[: room - 3]}..."


def shorten_path(path: str, here: str = "") -> str:
    """Return a path as a person would type it: below a folder (this one), or below the home."""
    for folder, shown in ((here or os.getcwd(), ""), (os.path.expanduser("~"), "~/")):
        if path.startswith(f"{folder}/"):
            return shown + path[len(folder) + 1 :]
    return path
