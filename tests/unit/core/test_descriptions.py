"""Words for conditions."""

from __future__ import annotations

import pytest

from hookline.core.descriptions import describe_condition as worded
from hookline.core.descriptions import describe_conditions
from hookline.model.conditions import (
    Flattened,
    Glob,
    Leaves,
    Never,
    OneOf,
    PathPattern,
    Pattern,
    Rule,
)
from tests.unit.trust.support import hook

CONDITIONS = [
    (OneOf(field="tool", names=frozenset({"b", "a"})), "the tool is `a` or `b`"),
    (Pattern(field="tool", source="x", regex=None, full=True), "the tool is wholly matched by `x`"),
    (Pattern(field="tool", source="x", regex=None), "the tool has a match of `x`"),
    (Leaves(source="x", regex=None), "a value of the input has a match of `x`"),
    (
        Flattened(facts=("text", "input"), source="x", regex=None),
        "a text of text or input has a match of `x`",
    ),
    (Glob(patterns=("*.py", "*.js")), "a path of the input matches `*.py` or `*.js`"),
    (
        PathPattern(keys=("path",), source="src/**", regex=None),
        "the path of the input is covered by `src/**`",
    ),
    (
        Rule(source="Bash(ls)", tools=frozenset({"Bash"})),
        "the call is covered by the rule `Bash(ls)`",
    ),
    (Never(reason="it is off"), "never: it is off"),
]


@pytest.mark.parametrize(
    ("condition", "said"), CONDITIONS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_condition_is_a_sentence(condition: object, said: str) -> None:
    """Each kind of condition has its words."""
    assert worded(condition) == said  # type: ignore[arg-type]  # each of the union


def test_a_hook_is_told_with_when_it_is_asked() -> None:
    """All of its conditions; nothing where it always is."""
    both = (OneOf(field="tool", names=frozenset({"Bash"})), Leaves(source="x", regex=None))

    assert (
        describe_conditions(hook("x", conditions=both))
        == ", when the tool is `Bash` and a value of the input has a match of `x`"
    )
    assert describe_conditions(hook("x")) == ""
