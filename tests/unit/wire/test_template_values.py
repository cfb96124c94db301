"""Shown: values as a prompt shows them, and no more of them than it can."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from jinja2 import Undefined

from hookline.wire.template_values import (
    MOST_SHOWN,
    join_values,
    mark_inserted,
    to_json,
    to_text,
    truncate,
)

LONG = "x" * (3 << 20)


@pytest.mark.parametrize(
    ("value", "text", "json"),
    [
        ("é\n", "é\n", '"é\\n"'),
        ({"a": [1, True, None]}, '{"a":[1,true,null]}', '{"a":[1,true,null]}'),
        (None, "", "null"),
        (Undefined(), "", "null"),
        (len, "null", "null"),
        (0, "0", "0"),
    ],
)
def test_a_text_stands_as_it_is_and_anything_else_as_json(
    value: object, text: str, json: str
) -> None:
    """What is no value of an event has nothing to show."""
    assert (to_text(value), to_json(value)) == (text, json)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (("abc", 2), "ab…"),
        ((2, "abc"), "ab…"),
        (("aé", 2), "a…"),
        (("abc", 3), "abc"),
        (("abc", 0), "abc"),
        ((True, 2), "tr…"),
    ],
)
def test_a_text_is_cut_at_bytes(given: tuple[Any, Any], text: str) -> None:
    """Never amid a character."""
    assert truncate(*given) == text


@pytest.mark.parametrize(
    ("values", "text"),
    [(["a", 1, None], "a-1-"), ({"a": 1, "b": 2}, "a-b"), ("abc", ""), (None, "")],
)
def test_values_are_joined(values: object, text: str) -> None:
    """Those of a list, or the keys of an object."""
    assert join_values(values, "-") == text


@pytest.mark.parametrize(
    "show",
    [
        to_json,
        to_text,
        lambda value: join_values([value, value], value),
        lambda value: join_values([1, 2], [value] * 9),
    ],
)
def test_nothing_long_is_made(show: Any) -> None:
    """Of texts, of lists of them, and of what stands between."""
    assert len(show(LONG)) < 4 << 20
    assert len(show([LONG] * 9)) < 4 << 20 or show is not to_json


def test_a_list_is_not_read_to_its_end() -> None:
    """Once it is long enough."""
    rounds = itertools.count()

    class Counted(list[Any]):
        def __iter__(self) -> Any:
            return ((next(rounds) and None) or each for each in super().__iter__())

    join_values(Counted(["x" * 1000] * 100_000))
    to_json(Counted(["x" * 1000] * 100_000))

    assert next(rounds) < 5000


def test_what_is_inserted_says_how_much_is_missing() -> None:
    """It is a part of the event, and known as such."""
    part = mark_inserted("x" * (MOST_SHOWN + 7))

    assert (len(part), part.missing, mark_inserted("x").missing) == (MOST_SHOWN, 7, 0)
