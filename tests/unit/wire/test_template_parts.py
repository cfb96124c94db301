"""How a prompt is cut to its limit: the longest values of the event first."""

from __future__ import annotations

import re

import pytest

from hookline.wire.template_parts import Inserted, fit_parts


@pytest.mark.parametrize(
    ("lengths", "most", "left"),
    [
        ((3, 3), 10, (3, 3)),
        ((5, 20), 15, (5, 10)),
        ((20, 5, 20), 15, (5, 5, 5)),
        ((9, 9), 0, (0, 0)),
        ((), 0, ()),
        ((0, 7), 7, (0, 7)),
    ],
)
def test_the_longest_values_are_cut_first(
    lengths: tuple[int, ...], most: int, left: tuple[int, ...]
) -> None:
    """To one length, and no more than has to be."""
    text = fit_parts(
        [Inserted(chr(ord("a") + at) * length) for at, length in enumerate(lengths)], most
    )
    shown = text.partition("\n\n[What")[0]

    assert (
        tuple(
            re.sub(r"…\[[\d,]+ characters cut off\]", "", shown).count(chr(ord("a") + at))
            for at in range(len(lengths))
        )
        == left
    )
    assert ("cut off" in text) is (sum(lengths) > most)
