"""Patterns that are compiled at their first use."""

import re

import pytest

from hookline.text import lazy_re


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    """With its flags, and with the same matches as that of `re`."""
    pattern = lazy_re.compile(r"A(\d)", lazy_re.IGNORECASE)
    assert "search" not in vars(pattern)
    assert [each[1] for each in pattern.finditer("a1 A2")] == ["1", "2"]
    assert "search" in vars(pattern)
    assert pattern.pattern == r"A(\d)"
    assert pattern.sub("x", "a1 b") == "x b"


def test_an_invalid_pattern_raises_at_its_first_use() -> None:
    """The error is that of `re`."""
    pattern = lazy_re.compile("(")
    with pytest.raises(re.error):
        pattern.search("")
