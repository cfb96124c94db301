"""Trees as the text of files, and matchers as dialects spell them."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.core.dialect import Declaration, Row
from hookline.text.regex import compile_regex
from hookline.wire import writing
from hookline.wire.trees import parse

TREE = {
    "hooks": [
        {
            "event": "stop",
            "command": "echo 'a: b' # \"c\" " + "x" * 200,
            "timeout": 5,
            "é": [True, 1.5],
        }
    ],
    "empty": {},
}
ROW = Row(native="before", kind="tool.before", subject="tool")


def declared(**given: Any) -> Declaration:
    """A hook to be written down."""
    return Declaration(**{"row": ROW, "command": "./x.sh", **given})


@pytest.mark.parametrize(
    ("name", "write"),
    [("x.json", writing.as_json), ("x.yaml", writing.as_yaml), ("x.toml", writing.as_toml)],
)
def test_what_was_written_is_read_again(name: str, write: Any) -> None:
    """In every format."""
    assert parse(write(TREE), name).value == TREE


@pytest.mark.parametrize(
    ("tools", "pattern", "selects", "leaves"),
    [
        (("Bash",), "", "Bash", "BashOutput"),
        (("a.b", "c"), "", "a.b", "axb"),
        ((), "^mcp__", "mcp__x", "x_mcp__"),
        ((), "Edit", "MultiEdit", "Read"),
    ],
)
def test_both_kinds_of_matcher_select_the_same(
    tools: tuple[str, ...], pattern: str, selects: str, leaves: str
) -> None:
    """One is searched in a name, the other must cover it."""
    given = declared(tools=tools, pattern=pattern)
    searched, covering = (
        compile_regex(writing.searched(given)),
        compile_regex(writing.covering(given)),
    )

    assert searched.has_match_in(selects)
    assert covering.is_full_match(selects)
    assert not searched.has_match_in(leaves)
    assert not covering.is_full_match(leaves)


def test_a_hook_for_every_tool_has_no_matcher() -> None:
    """Neither kind."""
    assert writing.searched(declared()) == writing.covering(declared()) == ""


def test_neighbours_with_one_matcher_share_a_group() -> None:
    """And the order of the hooks stays."""
    hooks = (
        declared(tools=("a",), name="1"),
        declared(tools=("a",), name="2"),
        declared(name="3"),
        declared(tools=("a",), name="4"),
    )

    assert writing.grouped(hooks, lambda given: given.name, writing.covering) == {
        "before": [
            {"matcher": "a", "hooks": ["1", "2"]},
            {"hooks": ["3"]},
            {"matcher": "a", "hooks": ["4"]},
        ]
    }


@pytest.mark.parametrize(
    ("timeout", "seconds"), [(0.2, 1), (1.0, 1), (1.1, 2), (20.0, 20), (500.0, 120)]
)
def test_seconds_are_rounded_up(timeout: float, seconds: int) -> None:
    """Nobody gets less time than was said, but by the format's own limit."""
    assert writing.whole_seconds(declared(timeout=timeout), 120) == seconds


def test_what_a_format_cannot_say_is_named() -> None:
    """By the position of the hook."""
    hooks = (declared(timeout=200, closed=True), declared())

    assert writing.too_long(hooks, 120) == [(0, "a timeout of more than 120 s")]
    assert writing.left_open(hooks) == [(0, "that a failure of the hook denies")]
    assert writing.left_open(hooks, where=lambda _: False) == []
