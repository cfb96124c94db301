"""Can every row of a launcher be read, and does it say nothing twice?"""

from __future__ import annotations

import re

import pytest

from hookline.text import launchers
from hookline.text.launchers import SIGNS, rows, signs

EVERY = [(name, row) for name in sorted(launchers._ROWS) for row in rows(name)]


@pytest.mark.parametrize(
    ("name", "row"), EVERY, ids=[f"{name} {at}" for at, (name, _) in enumerate(EVERY)]
)
def test_the_options_of_a_row_are_options(name: str, row: launchers.Launcher) -> None:
    """Each is told once, with one sign or none."""
    told = row.options.split()

    assert "/" not in name
    assert len(signs(row)) == len(told)
    assert all(
        re.fullmatch(rf"-(?:[\w*]|-?[\w.-]+)?[{re.escape(SIGNS)}]?", option) for option in told
    ), told


@pytest.mark.parametrize(
    ("name", "row"), EVERY, ids=[f"{name} {at}" for at, (name, _) in enumerate(EVERY)]
)
def test_what_hands_on_its_words_as_they_are_puts_none_in_their_place(
    name: str, row: launchers.Launcher
) -> None:
    """Or what it runs could not be replaced."""
    assert not (row.held and (row.joined or row.more or row.blanks or row.ends or row.moved)), name


def test_a_name_that_is_not_listed_has_no_rows() -> None:
    """It is what it is."""
    assert rows("guard") == ()
    assert [signs(row)["-n"] for row in rows("xargs")] == ["="]
