"""Trees as the text of files, and matchers as dialects spell them."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.core.dialect import Declaration, EventRow
from hookline.text.regex import compile_regex
from hookline.wire import writers
from hookline.wire.parsers import parse

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
ROW = EventRow(native="before", kind="tool.before", subject="tool")


def declared(**given: Any) -> Declaration:
    """A hook to be written down."""
    return Declaration(**{"row": ROW, "command": "./x.sh", **given})


@pytest.mark.parametrize(
    ("name", "write"),
    [("x.json", writers.to_json), ("x.yaml", writers.to_yaml), ("x.toml", writers.to_toml)],
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
        compile_regex(writers.to_search_pattern(given)),
        compile_regex(writers.to_full_pattern(given)),
    )

    assert searched.has_match_in(selects)
    assert covering.is_full_match(selects)
    assert not searched.has_match_in(leaves)
    assert not covering.is_full_match(leaves)


def test_a_hook_for_every_tool_has_no_matcher() -> None:
    """Neither kind."""
    assert writers.to_search_pattern(declared()) == writers.to_full_pattern(declared()) == ""


def test_neighbours_with_one_matcher_share_a_group() -> None:
    """And the order of the hooks stays."""
    hooks = (
        declared(tools=("a",), name="1"),
        declared(tools=("a",), name="2"),
        declared(name="3"),
        declared(tools=("a",), name="4"),
    )

    assert writers.arrange_hooks(hooks, lambda given: given.name, writers.to_full_pattern) == {
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
    """A hook gets no less time than its declaration says, up to the format's limit."""
    assert writers.round_timeout(declared(timeout=timeout), 120) == seconds


def test_what_a_format_cannot_say_is_named() -> None:
    """By the position of the hook."""
    hooks = (declared(timeout=200, closed=True), declared())

    assert writers.list_long_timeouts(hooks, 120) == [(0, "a timeout of more than 120 s")]
    assert writers.list_lost_denials(hooks) == [(0, "that a failure of the hook denies")]
    assert writers.list_lost_denials(hooks, where=lambda _: False) == []
