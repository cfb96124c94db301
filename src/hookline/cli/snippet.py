"""The lines of a file around a problem, with a mark below the faulty word; for terminals."""

from __future__ import annotations

import re

from hookline.paths import read_start
from hookline.text.terminal_escape import escape_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.cli.pages import Paint

_BEFORE = 2
_LONGEST = 200
_MOST = 1 << 20  # bytes of the file
_WORD = re.compile(r'"[^"]*"|[^\s:,\[\]{}"]+')


def make_snippet(problem: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield the problem's line with the two before it, the mark, and the fix.

    Nothing if the place is unknown.
    """
    line, column = problem["line"], problem["column"]
    lines = _read_lines(problem["file"]) if line else []
    if not 0 < line <= len(lines):
        return
    width = len(str(line)) + 3
    for number in range(max(1, line - _BEFORE), line + 1):
        yield (
            paint("dim", f"{number:{width}} | ")
            + escape_text(lines[number - 1].replace("\t", " "))[:_LONGEST]
        )
    if 0 < column <= _LONGEST:
        word = _WORD.match(lines[line - 1], column - 1)
        mark = "^" * (len(word.group()) if word else 1)
        yield paint("dim", f"{'':{width}} | ") + " " * (column - 1) + paint("bad", mark[:_LONGEST])
    fix = f"  fix: {problem['hint']}" if problem["hint"] else ""
    yield f"{fix}  more: hookline explain {problem['code']}"


def _read_lines(path: str) -> list[str]:
    try:
        return read_start(path, _MOST).decode("utf-8-sig", "replace").splitlines()
    except OSError:
        return []
