"""Pages on terminals: widths, encodings and colours."""

from __future__ import annotations

import io
import sys

import pytest

from hookline.cli.app import app_main
from hookline.cli.layout import cut_text, find_width, fit_rows, format_columns, wrap_text
from tests.unit.cli.support import DOCKER, Desk

PAGES = [
    ("list", "-c", DOCKER),
    ("show", "stop"),
    ("show", "-c", DOCKER, "summarize shell output"),
    ("explain", "pre_tool_use", "-c", DOCKER, "--no-run", "--input", "payload.json"),
    ("fire", "pre_tool_use", "-c", DOCKER, "--input", "payload.json"),
    ("help", "serve"),
]


@pytest.mark.parametrize("words", PAGES, ids=" ".join)
@pytest.mark.parametrize("columns", ["", "40"])
def test_what_a_terminal_cannot_show_is_ascii(
    words: tuple[str, ...], columns: str, desk: Desk
) -> None:
    """Where the encoding is not UTF-8, nothing fails, at any width."""
    desk.file("payload.json", '{"tool_name": "shell", "tool_input": {"cmd": "sudo ls"}}')
    desk.monkeypatch.setenv("COLUMNS", columns)
    raw = io.BytesIO()
    desk.monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))

    assert app_main([*words]) in (0, 1)
    assert raw.getvalue().isascii()
    assert b"\\u2026" not in raw.getvalue()


def test_a_page_has_colour_where_it_is_wanted(desk: Desk) -> None:
    """By the option, against the variable; the words are the same."""
    plain = desk.type("list", "-c", DOCKER).out
    coloured = desk.type("list", "-c", DOCKER, "--color", "always").out
    desk.monkeypatch.setenv("NO_COLOR", "1")

    assert "\x1b[32mapproved\x1b[0m" in coloured
    assert coloured.count("approved") == plain.count("approved")
    assert desk.type("list", "-c", DOCKER).out == plain


def test_a_command_starts_in_another_folder(desk: Desk) -> None:
    """Paths are as seen from there."""
    settings = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    desk.file("there/.claude/settings.json", settings)

    assert desk.type("list", "-C", "there").out.startswith(".claude/settings.json (project, ")


@pytest.mark.parametrize(("columns", "width"), [("", 0), ("0", 0), ("x", 0), ("72", 72)])
def test_the_width_is_that_of_the_terminal(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or of the variable; a program gets whole lines, also from a stream that is closed."""
    monkeypatch.setenv("COLUMNS", columns)
    assert find_width() == width
    monkeypatch.setattr(sys, "stdout", None)
    assert find_width() == width


def test_rows_are_cut_from_the_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first columns never are; for a program none is."""
    rows = [("new", "id", "a long matcher", "a long command"), ("approved", "i", "", "")]
    whole = [["new     ", "id", "a long matcher", "a long command"]]
    for columns, cells in (
        ("", whole[0]),
        ("40", ["new     ", "id", "a l...", "a long command"]),
        ("28", ["new     ", "id", "a l...", "a..."]),
        ("14", ["new     ", "id", "", ""]),
    ):
        monkeypatch.setenv("COLUMNS", columns)
        assert next(iter(fit_rows(rows, most=6))) == cells


@pytest.mark.parametrize(
    ("room", "text"), [(9, "some text"), (8, "some ..."), (4, "s..."), (3, ""), (-1, "")]
)
def test_a_text_is_cut_with_dots(room: int, text: str) -> None:
    """They are ASCII, and part of the room."""
    assert cut_text("some text", room) == text


def test_a_text_is_wrapped_behind_its_label(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words stay whole, and lines of a script are not wrapped."""
    monkeypatch.setenv("COLUMNS", "40")
    text = "one two three four five six seven eight"

    assert wrap_text(text, " " * 8, first="  a:") == [
        "  a:    one two three four five six",
        "        seven eight",
    ]
    assert list(format_columns([("a", text), ("b", ""), ("c", f"{text} nine\nten")])) == [
        "  a             one two three four five",
        "                six seven eight",
        f"  c             {text} nine",
        "                ten",
    ]
