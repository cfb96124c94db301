"""What the hosts of Claude's family agree on about matchers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.core.dialect import EventRow
from hookline.errors import ConfigError
from hookline.model.conditions import OneOf
from hookline.wire.fields import Node
from hookline.wire.matchers import NAME, NAMES, is_ignored, list_exact_names, read_conditions
from hookline.wire.parsers import Tree

if TYPE_CHECKING:
    from hookline.model.conditions import Condition

ROW = EventRow(native="Stop", kind="stop")
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


def test_a_matcher_of_an_event_without_subject_is_ignored_aloud() -> None:
    """The hook runs all the same, which the hint says."""
    group = node()

    assert is_ignored(group, ROW, runs="it runs")
    assert [(problem.name, problem.severity, problem.hint) for problem in group.problems] == [
        ("matcher.ignored", "warning", "leave it out; it runs on every such event")
    ]


def test_a_matcher_of_an_event_with_a_subject_is_not() -> None:
    """And nothing is said."""
    group = node()

    assert not is_ignored(group, ROW.replace(subject="tool"))
    assert group.problems == []


def test_a_text_that_cannot_be_read_is_a_complaint_where_it_stands() -> None:
    """With the words of whoever could not read it; what can be read is handed on."""
    group = node()

    def refuse(_: Node, row: EventRow) -> tuple[Condition, ...]:
        raise ConfigError(f"`(` of `{row.native}`", name="matcher.regex", hint="close it")

    wanted = (OneOf(field="tool", names=frozenset({"Bash"})),)

    assert read_conditions(group, ROW, lambda *_: wanted) == wanted
    assert read_conditions(group, ROW, refuse) is None
    assert [(problem.name, problem.origin.pointer, str(problem)) for problem in group.problems] == [
        ("matcher.regex", "matcher", "f.json: HKL1501 `(` of `Stop` (close it)")
    ]
