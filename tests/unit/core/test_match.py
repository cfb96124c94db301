"""Matching: whether a condition holds for an event, and the reason if not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.core.match import holds, list_leaves, list_texts
from hookline.model.event import Event, Lifecycle, Prompt, ToolCall
from hookline.model.spec import Flattened, Glob, Leaves, Never, OneOf, PathPattern, Pattern
from hookline.text.regex import compile_regex

if TYPE_CHECKING:
    from typing import Any

    from hookline.model.spec import Condition


def called(tool: str = "bash", **tool_input: Any) -> Event:
    """A call of a tool."""
    return Event(
        kind="tool.before",
        cwd="/w",
        body=ToolCall(tool=tool, input=tool_input, facts={"source": "startup", "count": 3}),
    )


def pattern(field: str, source: str, *, full: bool = False) -> Pattern:
    """An expression over a field."""
    return Pattern(field=field, source=source, regex=compile_regex(source), full=full)


@pytest.mark.parametrize(
    ("condition", "event", "expected"),
    [
        (OneOf(field="tool", names=frozenset({"bash", "sh"})), called(), True),
        (OneOf(field="tool", names=frozenset({"Bash"})), called(), False),
        (OneOf(field="source", names=frozenset({"startup"})), called(), True),
        (OneOf(field="count", names=frozenset({"3"})), called(), False),
        (OneOf(field="agent", names=frozenset({""})), called(), True),
        (pattern("tool", "as"), called(), True),
        (pattern("tool", "as", full=True), called(), False),
        (pattern("tool", "b.sh", full=True), called(), True),
        (pattern("tool", "(?i)BASH", full=True), called(), True),
        (pattern("command", r"rm\s+-rf"), called(command="rm  -rf /"), True),
        (pattern("command", r"rm\s+-rf"), called(cmd="rm -rf /"), True),
        (pattern("command", "x"), called(command=["x"]), False),
        (pattern("prompt", "key"), Event(kind="prompt.submit", body=Prompt(prompt="my key")), True),
        (Leaves(source="^x$", regex=compile_regex("^x$")), called(a=["y", {"b": "x"}]), True),
        (Leaves(source="^a$", regex=compile_regex("^a$")), called(a="y"), False),
        (Leaves(source="^true$", regex=compile_regex("^true$")), called(a=True), True),
        (Leaves(source="^1.5$", regex=compile_regex("^1.5$")), called(a=1.5), True),
        (Leaves(source="None|null", regex=compile_regex("None|null")), called(a=None), False),
        (Leaves(source=".", regex=compile_regex(".")), called(), False),
        (Glob(patterns=("**/*.env",)), called(file_path="a/b.env"), True),
        (Glob(patterns=("*.env",)), called(path="/w/b.env"), True),
        (Glob(patterns=("*.env",)), called(path="/elsewhere/b.env"), False),
        (Glob(patterns=("secret/**",)), called(path="x/../secret/a"), True),
        (Glob(patterns=("*.py", "*.env")), called(paths=["a.txt", "b.env"]), True),
        (Glob(patterns=("*.env",)), called(text="b.env"), False),
        (pattern("input.url", "^https"), called(url="https://x"), True),
        (pattern("input.url", "^$"), called(), False),
        (pattern("input.url", "^$"), called(url=""), True),
        (pattern("session_id", "^$"), called(), True),
        (
            Flattened(facts=("input", "source"), source="^start", regex=compile_regex("^start")),
            called(a="x"),
            True,
        ),
        (
            Flattened(facts=("input",), source="rm -rf", regex=compile_regex("rm -rf")),
            called(argv=["rm", "-rf"]),
            True,
        ),
        (Flattened(facts=("input",), source="3", regex=compile_regex("3")), called(a=3), False),
        (
            PathPattern(keys=("path", "file"), source="x", regex=compile_regex("a/[^/]*")),
            called(file="/w/a/b"),
            True,
        ),
        (
            PathPattern(keys=("path", "file"), source="x", regex=compile_regex("a/[^/]*")),
            called(path="/w/b", file="/w/a/b"),
            False,
        ),
        (PathPattern(keys=("path",), source="x", regex=compile_regex("")), called(), False),
        (Never(reason="x"), called(), False),
    ],
)
def test_a_condition_holds_or_not(condition: Condition, event: Event, *, expected: bool) -> None:
    """Exact names, searched and full expressions, leaves one by one, normalised paths."""
    assert holds(condition, event) is expected


def test_a_tool_is_the_tool_of_a_call() -> None:
    """A fact with this name is no tool, because plans are remembered by the tool's name."""
    event = Event(kind="x.host.thing", body=Lifecycle(facts={"tool": "bash"}))

    assert not holds(OneOf(field="tool", names=frozenset({"bash"})), event)


@pytest.mark.parametrize("value", [None, "text", 3, [], {}])
def test_an_input_of_any_shape_can_be_looked_into(value: Any) -> None:
    """Arguments that are no object have no paths, and leaves only where there are some."""
    event = Event(kind="tool.before", body=ToolCall(tool="x", input=value))

    assert not holds(Glob(patterns=("*",)), event)
    assert holds(Leaves(source=".", regex=compile_regex(".")), event) is (value in ("text", 3))


def test_leaves_come_in_the_order_of_the_input() -> None:
    """Depth first, keys never."""
    assert list(list_leaves({"a": ["1", {"b": "2"}], "c": 3, "d": [[], "4"], "e": (False,)})) == [
        "1",
        "2",
        "3",
        "4",
        "false",
    ]


def test_texts_are_taken_one_by_one_and_lists_of_them_also_as_a_line() -> None:
    """Numbers are no texts, a list of one text is no line, and keys are never taken."""
    value = {"argv": ["git", "push"], "n": 3, "one": ["x"], "mixed": ["y", 1]}

    assert list(list_texts(value)) == ["git push", "git", "push", "x", "y"]


def test_no_nesting_is_too_deep_to_be_looked_into() -> None:
    """An agent cannot hide a value from a guard, or stop it, by nesting."""
    value: Any = "secret"
    for _ in range(100_000):
        value = [value]

    assert holds(Leaves(source="secret", regex=compile_regex("secret")), called(a=value))


def test_half_a_surrogate_pair_does_not_stop_an_expression() -> None:
    """Text that is no UTF-8 is still looked at."""
    assert holds(pattern("command", "rm"), called(command="\ud800 rm"))
