"""Words for conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.core.condition_descriptions import describe_condition as worded
from hookline.core.condition_descriptions import describe_conditions, explain_mismatch
from hookline.model.event import Event, ToolCall
from hookline.model.spec import (
    Flattened,
    Glob,
    Leaves,
    Never,
    OneOf,
    PathPattern,
    Pattern,
    Rule,
)
from hookline.text.regex import compile_regex
from tests.unit.trust.support import hook

if TYPE_CHECKING:
    from hookline.model.spec import Condition

CALL = Event(kind="tool.before", body=ToolCall(tool="bash", input={"command": "ls"}))

CONDITIONS = [
    (OneOf(field="tool", names=frozenset({"b", "a"})), "the tool is `a` or `b`"),
    (Pattern(field="tool", source="x", regex=None, full=True), "the tool is `x`"),
    (
        Pattern(field="tool", source="x|y", regex=None, full=True),
        "the tool matches `x|y` as a whole",
    ),
    (Pattern(field="tool", source="x", regex=None), "the tool matches `x`"),
    (Leaves(source="x", regex=None), "a value of the input matches `x`"),
    (
        Flattened(facts=("text", "input"), source="x", regex=None),
        "a text of text or input matches `x`",
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
        == ", when the tool is `Bash` and a value of the input matches `x`"
    )
    assert describe_conditions(hook("x")) == ""


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (
            OneOf(field="tool", names=frozenset({"b", "a"})),
            "it runs only when the tool is `a` or `b`; here it is `bash`",
        ),
        (
            Pattern(field="tool", source="x", regex=compile_regex("x"), full=True),
            "it runs only when the tool is `x`; here it is `bash`",
        ),
        (
            Pattern(field="command", source="x", regex=compile_regex("x")),
            "it runs only when the command matches `x`; here it is `ls`",
        ),
        (
            Leaves(source="x", regex=compile_regex("x")),
            "it runs only when a value of the input matches `x`",
        ),
        (Never(reason="its tool does not exist"), "its tool does not exist"),
    ],
)
def test_a_mismatch_names_the_first_condition_that_does_not_hold(
    condition: Condition, words: str
) -> None:
    """With what the hook wants, and the tool or command that the event has."""
    assert explain_mismatch(hook("x", kind="tool.before", conditions=(condition,)), CALL) == words


def test_a_hook_of_another_event_names_its_event() -> None:
    """A hook that runs has no reason not to."""
    spec = hook("x", kind="stop", native_event="on_stop")

    assert explain_mismatch(spec, CALL) == "it is declared for `on_stop`"
    assert explain_mismatch(spec.replace(kind="tool.before"), CALL) == ""
