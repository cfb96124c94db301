"""Walking the tree of the Claude family."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.core.dialect import EventRow
from hookline.wire.fields import Node
from hookline.wire.groups import find_hooks_mapping, hook_id, read_entries, read_group
from hookline.wire.parsers import Tree

ROWS = {
    "Stop": EventRow(native="Stop", kind="stop"),
    "Start": EventRow(native="Start", kind="session.start"),
}


def root(value: Any) -> Node:
    """A tree of hooks as the node of its events."""
    return Node(Tree(value={"hooks": value}), "f.json", "user", []).child("hooks")


def test_a_group_has_its_hooks_in_declared_order() -> None:
    """A hook is a node of its own, of whatever shape; a group without hooks is a warning."""
    events = root({"Stop": [{"hooks": [1, {}]}, {"matcher": "a", "hooks": []}]})
    found = [read_group(node, ROWS["Stop"]) for node in events.child("Stop").children()]

    assert [[hook.value for hook in hooks or ()] for hooks in found] == [[1, {}], []]
    assert [problem.name for problem in events.problems] == ["group.empty"]


@pytest.mark.parametrize("value", [3, {"type": "command"}, {"matcher": "a"}, {"hooks": {}}])
def test_what_is_no_group_is_a_problem(value: Any) -> None:
    """So its dialect can make a hook of it that fails."""
    node = root({"Stop": [value]}).child("Stop").child(0)

    assert read_group(node, ROWS["Stop"]) is None
    assert [problem.name for problem in node.problems] == ["group.shape"]


def test_an_unknown_event_is_an_error_with_a_suggestion() -> None:
    """And whatever stands beside the events is not one, where the caller says so."""
    events = root({"Stopp": [], "state": {}, "Stop": None})

    assert list(read_entries(events, ROWS, of="hooks", like="[...]", beside=("state",))) == []
    assert [str(problem) for problem in events.problems] == [
        "f.json: HKL1203 unknown event `Stopp` (did you mean `Stop`?)"
    ]


def test_the_keys_of_a_group_are_the_callers() -> None:
    """How bad another one is, too."""
    node = root({"Stop": [{"hooks": [], "sequential": True, "x": 1}]}).child("Stop").child(0)
    read_group(node, ROWS["Stop"], ("matcher", "hooks", "sequential"), "warning")

    assert [(problem.name, problem.severity) for problem in node.problems] == [
        ("key.unknown", "warning"),
        ("group.empty", "warning"),
    ]


def test_entries_are_those_of_each_list() -> None:
    """Of whatever shape.

    Where there is no list, the event itself stands for it, with the reason.
    """
    events = root({"Start": [{}, 3], "Stop": "x"})

    found = [
        (row.native, node.value, broken)
        for row, node, broken in read_entries(events, ROWS, of="hooks", like="[...]")
    ]

    assert found == [
        ("Start", {}, ""),
        ("Start", 3, ""),
        ("Stop", "x", "f.json: `Stop` must be a list of hooks ([...])"),
    ]


def test_the_events_to_name_may_be_fewer_than_the_known_spellings() -> None:
    """A hint lists each event once."""
    events = root({"zzz": []})

    assert list(read_entries(events, ROWS, of="hooks", like="[...]", known=("Stop",))) == []
    assert [problem.hint for problem in events.problems] == ["known events: Stop"]


@pytest.mark.parametrize(
    ("tree", "value"),
    [({"hooks": {"Stop": []}}, {"Stop": []}), ({"hooks": None}, None), ({}, None)],
)
def test_an_event_beside_the_hooks_is_misplaced(tree: dict[str, Any], value: Any) -> None:
    """It is told where it belongs, and whatever else stands there is not looked at."""
    whole = Node(Tree(value={**tree, "Start": [], "other": 1}), "f.json", "user", [])

    events = find_hooks_mapping(whole, ROWS)

    assert (events.value if events else None) == value
    assert [str(problem) for problem in whole.problems] == [
        "f.json: HKL1103 `Start` stands beside `hooks` (put it below `hooks`)"
    ]


def test_a_hook_is_named_by_where_it_stands() -> None:
    """File, event, group and hook; what is broken further up has fewer parts."""
    events = root({"Stop": [{"hooks": [{}, {}]}, 3]})
    whole, broken = events.child("Stop").children()

    assert hook_id("/h/f.json", "Stop", whole.child("hooks").child(1)) == "f.json#Stop.0.1"
    assert hook_id("", "Stop", broken) == "config#Stop.1"
