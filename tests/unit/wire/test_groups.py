"""Walking the tree of the Claude family."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.core.dialect import EventRow
from hookline.wire.fields import Node
from hookline.wire.groups import find_hooks_mapping, hook_id, read_entries, read_groups
from hookline.wire.parsers import Tree

ROWS = {
    "Stop": EventRow(native="Stop", kind="stop"),
    "Start": EventRow(native="Start", kind="session.start"),
}


def root(value: Any) -> Node:
    """A tree of hooks as the node of its events."""
    return Node(Tree(value={"hooks": value}), "f.json", "user", []).child("hooks")


def test_groups_come_in_declared_order_with_their_hooks() -> None:
    """Event after event, group after group; a hook is a node of its own, of whatever shape."""
    events = root(
        {"Start": [{"hooks": [1, {}]}], "Stop": [{"matcher": "a", "hooks": []}, {"hooks": ["x"]}]}
    )
    found = list(read_groups(events, ROWS))

    assert [(row.native, [hook.value for hook in group.hooks]) for row, group in found] == [
        ("Start", [1, {}]),
        ("Stop", []),
        ("Stop", ["x"]),
    ]
    assert [problem.name for problem in events.problems] == ["group.empty"]


def test_what_is_no_group_is_broken_and_says_why() -> None:
    """So its dialect can make a hook of it that fails."""
    events = root(
        {"Stop": [3, {"type": "command"}, {"matcher": "a"}, {"hooks": {}}], "Start": {"hooks": []}}
    )
    found = [group for _, group in read_groups(events, ROWS)]

    assert [bool(group.broken) for group in found] == [True] * 5
    assert all(group.hooks == () for group in found)
    assert found[4].broken == (
        "f.json: `Start` must be a list of matcher groups ([{matcher, hooks: [...]}])"
    )
    assert {problem.name for problem in events.problems} == {"group.shape"}


def test_an_unknown_event_is_an_error_with_a_suggestion() -> None:
    """And whatever stands beside the events is not one, where the caller says so."""
    events = root({"Stopp": [], "state": {}, "Stop": None})

    assert list(read_groups(events, ROWS, beside=("state",))) == []
    assert [str(problem) for problem in events.problems] == [
        "f.json: HKL1203 unknown event `Stopp` (did you mean `Stop`?)"
    ]


def test_the_keys_of_a_group_are_the_callers() -> None:
    """How bad another one is, too."""
    events = root({"Stop": [{"hooks": [], "sequential": True, "x": 1}]})
    list(read_groups(events, ROWS, keys=("matcher", "hooks", "sequential"), severity="warning"))

    assert [(problem.name, problem.severity) for problem in events.problems] == [
        ("key.unknown", "warning"),
        ("group.empty", "warning"),
    ]


def test_what_is_wrong_with_a_group_can_be_asked_for_later() -> None:
    """Its mark stands before its own complaints, and behind those of the group before it."""
    events = root({"Stop": [{"hooks": [], "x": 1}, {"hooks": [], "y": 1}]})

    assert [events.errors_since(group.mark) for _, group in read_groups(events, ROWS)] == [
        "f.json: unknown key `x` in a group of `Stop` (known keys: matcher, hooks)",
        "f.json: unknown key `y` in a group of `Stop` (known keys: matcher, hooks)",
    ]


def test_entries_are_those_of_each_list() -> None:
    """Of whatever shape; where there is no list, the event itself stands for it, with the reason."""
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
    (_, whole), (_, broken) = read_groups(events, ROWS)

    assert hook_id("/h/f.json", "Stop", whole.hooks[1]) == "f.json#Stop.0.1"
    assert hook_id("", "Stop", broken.node) == "config#Stop.1"
