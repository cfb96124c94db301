"""Excerpts: the lines around a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.cli.output import Paint
from hookline.cli.validate import make_snippet

if TYPE_CHECKING:
    from pathlib import Path


def problem(file: str, line: int, column: int, hint: str = "rename it") -> dict[str, object]:
    """A problem as a document."""
    return {"file": file, "line": line, "column": column, "hint": hint, "code": "HKL1203"}


def test_the_culprit_is_marked(tmp_path: Path) -> None:
    """Two lines before it, a mark below it, the remedy, and where to read more."""
    path = tmp_path / "hooks.yaml"
    path.write_text("hooks:\n\n  stop: []\n  pre_tool_uze: []\n", encoding="utf-8")

    assert list(make_snippet(problem(str(path), 4, 3), Paint(on=False))) == [
        "   2 | ",
        "   3 |   stop: []",
        "   4 |   pre_tool_uze: []",
        "     |   ^^^^^^^^^^^^",
        "  fix: rename it  more: hookline explain HKL1203",
    ]


@pytest.mark.parametrize(("line", "column"), [(0, 0), (9, 1)])
def test_nothing_is_shown_where_the_place_is_not_known(
    line: int, column: int, tmp_path: Path
) -> None:
    """The place has no line, or a line after the end."""
    path = tmp_path / "a"
    path.write_text("x\n", encoding="utf-8")

    assert list(make_snippet(problem(str(path), line, column), Paint(on=False))) == []


def test_a_file_that_has_gone_away_shows_nothing(tmp_path: Path) -> None:
    """It raises no error."""
    assert list(make_snippet(problem(str(tmp_path / "gone"), 1, 1), Paint(on=False))) == []


def test_a_line_cannot_command_the_terminal(tmp_path: Path) -> None:
    """The snippet escapes it."""
    path = tmp_path / "a"
    path.write_text("a: \x1b[2J\n", encoding="utf-8")

    assert "\x1b" not in "".join(make_snippet(problem(str(path), 1, 1), Paint(on=False)))
