"""What the hosts of Claude's family agree on about matchers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.model.spec import OneOf
from hookline.wire.fields import Node
from hookline.wire.parsers import Tree
from hookline.wire.sources import NAME, NAMES, list_exact_names, read_conditions

if TYPE_CHECKING:
    from hookline.model.spec import Condition

GROUP = {"matcher": "("}


def node() -> Node:
    """A group with a matcher that is no expression."""
    return Node(Tree(value=GROUP), "f.json", "user", [])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Bash", {"Bash"}),
        ("Bash|Edit", {"Bash", "Edit"}),
        ("Bash, Edit ,|", {"Bash", "Edit"}),
        ("a-b", {"a-b"}),
        ("|", set()),
        ("Edit.*", None),
    ],
)
def test_a_text_of_its_alphabet_lists_names(text: str, names: set[str] | None) -> None:
    """Between bars or commas, without the blanks around them.

    With any other character it is an expression.
    """
    assert list_exact_names(text, NAMES) == names


def test_a_smaller_alphabet_makes_more_expressions() -> None:
    """What separates names for one host is part of an expression for another."""
    assert list_exact_names("a|b", NAME | {"|"}) == {"a", "b"}
    assert list_exact_names("a, b", NAME | {"|"}) is None
    assert list_exact_names("a|b", NAME) is None


def test_a_text_that_cannot_be_read_is_a_complaint_where_it_stands() -> None:
    """The complaint has the parser's text; the readable parts are returned."""
    group = node()

    def refuse() -> tuple[Condition, ...]:
        raise ConfigError("`(` of `Stop`", name="matcher.regex", hint="close it")

    wanted = (OneOf(field="tool", names=frozenset({"Bash"})),)

    assert read_conditions(group, lambda: wanted, "matcher") == wanted
    assert read_conditions(group, refuse, "matcher") is None
    assert [(problem.name, problem.origin.pointer, str(problem)) for problem in group.problems] == [
        ("matcher.regex", "matcher", "f.json: HKL1501 `(` of `Stop` (close it)")
    ]
