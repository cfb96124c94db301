"""An expression of numbers has the value that bash gives it."""

import pytest

from hookline.text.script.arithmetic import calculate

# As bash prints them.
KNOWN = {
    "700+77": 777,
    "0777": 511,
    "0x1ff": 511,
    "8#777": 511,
    "-7/2": -3,
    "-7%3": -1,
    "1<<9": 512,
    "~0": -1,
    "(1+2)*3": 9,
    "1 - -1": 2,
    "6&3|8^1": 11,
    "+5": 5,
    "256>>4": 16,
    "0": 0,
}


@pytest.mark.parametrize(("text", "value"), KNOWN.items(), ids=KNOWN)
def test_the_value_is_that_of_bash(text, value):
    """In each base, with each operator."""
    assert calculate(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "x", "1+", "5/0", "2**3", "1?2:3", "08", "99#1", "1<<99", "9" * 40, "1+" * 40 + "1"],
)
def test_anything_else_is_not_known(text):
    """Names, errors, other operators, and what is too long or too large."""
    assert calculate(text) is None
