"""What would command a terminal, or hide from its reader, is shown escaped."""

from __future__ import annotations

import json

import pytest

from hookline.text.terminal_escape import escape_json, escape_line, escape_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("ünï — 漢字 🚫", "ünï — 漢字 🚫"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc", "a\\x0ab\\x09c"),
        ("\x9b31m", "\\x9b31m"),
        ("x\u202egnp.exe", "x\\u202egnp.exe"),
        ("\ufeff", "\\ufeff"),
        ("no\u00a0break", "no\u00a0break"),
        ("a\u200bb\u200d\u2060c\u00ad", "a\\u200bb\\u200d\\u2060c\\xad"),
        ("\u2066x\u2069\u2028\u2029\u0085", "\\u2066x\\u2069\\u2028\\u2029\\x85"),
        ("\u3164\u115f\u034f", "\\u3164\\u115f\\u034f"),
        ("\U000e0041\U000e0100", "\\U000e0041\\U000e0100"),
        ("\ud800", "\\ud800"),
        ("⚠\ufe0f, and a\ufe0f", "⚠\ufe0f, and a\\ufe0f"),
    ],
)
def test_what_would_command_a_terminal_is_shown(text: str, shown: str) -> None:
    """Letters of any script pass; control and direction marks are escaped."""
    assert escape_text(text) == shown


def test_lines_may_be_kept() -> None:
    """Where a text may go over several lines, only line breaks and tabs pass."""
    assert escape_text("a\n\tb\x1b", lines=True) == "a\n\tb\\x1b"


def test_a_line_is_one_on_a_narrow_screen_too() -> None:
    """Blanks that would push the rest to where the next line begins are counted."""
    assert escape_line(f"curl x #{' ' * 40}ok\n{' ' * 8}y") == "curl x #\\x20{40}ok\\x0a        y"


@pytest.mark.parametrize(
    "text", ["plain", "ünï — 漢字 🚫", "\x9b1A\x7f\u202e\u200b\u2028", "\U000e0041 \x1b"]
)
def test_a_document_means_the_same(text: str) -> None:
    """JSON with nothing in it that is not seen."""
    document = escape_json(json.dumps({text: [text]}, ensure_ascii=False))

    assert json.loads(document) == {text: [text]}
    assert escape_text(document) == document
