"""Colour rules, and pages that cannot command a terminal."""

from __future__ import annotations

import io

import pytest

from hookline.cli import output
from hookline.cli.output import Paint, escape_document, use_color


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


RULES = [
    ("auto", {}, True, True),
    ("auto", {}, False, False),
    ("auto", {"TERM": "dumb"}, True, False),
    ("auto", {"NO_COLOR": "1"}, True, False),
    ("auto", {"NO_COLOR": ""}, True, True),
    ("auto", {"FORCE_COLOR": "1"}, False, True),
    ("auto", {"FORCE_COLOR": "0"}, False, False),
    ("auto", {"CLICOLOR_FORCE": "1"}, False, True),
    ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
    ("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
    ("auto", {"HOOKLINE_COLOR": "never"}, True, False),
    ("auto", {"HOOKLINE_COLOR": "always", "NO_COLOR": "1"}, False, True),
    ("always", {"NO_COLOR": "1"}, False, True),
    ("never", {"FORCE_COLOR": "1"}, True, False),
]


@pytest.mark.parametrize(("choice", "environ", "terminal", "expected"), RULES)
def test_colour_follows_the_rules(
    choice: str, environ: dict[str, str], terminal: bool, expected: bool
) -> None:
    """The flag, NO_COLOR, FORCE_COLOR, TERM=dumb, then the terminal."""
    assert use_color(choice, Terminal() if terminal else io.StringIO(), environ) is expected


def test_a_closed_stream_has_no_colour() -> None:
    """No reader could see it."""
    assert use_color("auto", None, {}) is False


def test_without_colour_a_text_is_itself() -> None:
    """It has no extra byte."""
    assert Paint(on=False)("bad", "x") == "x"
    assert Paint(on=True)("bad", "x") == "\x1b[1;31mx\x1b[0m"
    assert Paint(on=True)("bad", "") == ""


def test_a_document_is_cleaned_in_depth() -> None:
    """Keys and values at any depth. Texts of several lines keep their lines."""
    assert escape_document(
        {
            "a\x1b": [{"b": "\x07"}, 1, None],
            "stance": "deny",
            "reason": "one\ntwo\x1b",
            "x": "one\ntwo",
        }
    ) == {
        "a\\x1b": [{"b": "\\x07"}, 1, None],
        "stance": "deny",
        "reason": "one\ntwo\\x1b",
        "x": "one\\x0atwo",
    }


def test_only_a_decision_has_reasons_of_several_lines() -> None:
    """The reason why a hook is broken or does not run is one line."""
    assert escape_document({"state": "broken", "reason": "one\ntwo"})["reason"] == "one\\x0atwo"


@pytest.mark.parametrize(("number", "said"), [(0, "0 files"), (1, "1 file"), (2, "2 files")])
def test_things_are_counted(number: int, said: str) -> None:
    """With singular and plural."""
    assert output.count_things(number, "file") == said


@pytest.mark.parametrize(("seconds", "said"), [(0.0041, "4.1 ms"), (1.5, "1.50 s")])
def test_durations_have_units(seconds: float, said: str) -> None:
    """Milliseconds below a second."""
    assert output.format_duration(seconds) == said
