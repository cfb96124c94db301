"""What would command a terminal, or hide from its reader, is shown escaped."""

from __future__ import annotations

import pytest

from hookline.text.visible import visible


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
    ],
)
def test_what_would_command_a_terminal_is_shown(text: str, shown: str) -> None:
    """Letters of any script pass; control and direction marks are escaped."""
    assert visible(text) == shown


def test_lines_may_be_kept() -> None:
    """Where a text may go over several lines, only line breaks and tabs pass."""
    assert visible("a\n\tb\x1b", lines=True) == "a\n\tb\\x1b"
