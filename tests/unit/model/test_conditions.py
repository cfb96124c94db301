"""Conditions are data: equal where they ask for the same."""

from __future__ import annotations

from hookline.model.spec import Glob, Never, OneOf, Pattern
from hookline.text.regex import compile_regex


def test_conditions_are_equal_by_what_a_person_wrote() -> None:
    """Two compilations of one expression are one condition."""
    first = Pattern(field="tool", source="a.*", regex=compile_regex("a.*"))
    second = Pattern(field="tool", source="a.*", regex=compile_regex("a.*"))

    assert first == second
    assert hash(first) == hash(second)
    assert first != second.replace(full=True)


def test_conditions_can_be_members_of_a_set() -> None:
    """They are immutable all the way down."""
    conditions = {
        OneOf(field="tool", names=frozenset({"a"})),
        Glob(patterns=("*.py",)),
        Never(reason="x"),
        Never(reason="x"),
    }

    assert len(conditions) == 3
