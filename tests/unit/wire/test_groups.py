"""Walking the tree of the Claude family."""

from __future__ import annotations

from typing import Any

from hookline.core.dialect import Row, Table
from hookline.wire.fields import Node
from hookline.wire.groups import groups, hook_id
from hookline.wire.trees import Tree

TABLE = Table(name="t", rows={"Stop": Row(native="Stop", kind="stop"), "Start": Row(native="Start", kind="session.start")})


def root(value: Any) -> Node:
    """A tree of hooks as the node of its events."""
    return Node(Tree(value={"hooks": value}), "f.json", "user", []).child("hooks")


def test_groups_come_in_declared_order_with_their_hooks() -> None:
    """Event after event, group after group; a hook is a node of its own, of whatever shape."""
    events = root({"Start": [{"hooks": [1, {}]}], "Stop": [{"matcher": "a", "hooks": []}, {"hooks": ["x"]}]})
    found = list(groups(events, TABLE))

    assert [(group.row.native, [hook.value for hook in group.hooks]) for group in found] == [
        ("Start", [1, {}]),
        ("Stop", []),
        ("Stop", ["x"]),
    ]
    assert [problem.name for problem in events.problems] == ["group.empty"]


def test_what_is_no_group_is_broken_and_says_why() -> None:
    """So its dialect can make a hook of it that fails."""
    events = root({"Stop": [3, {"type": "command"}, {"matcher": "a"}, {"hooks": {}}], "Start": {"hooks": []}})
    found = list(groups(events, TABLE))

    assert [bool(group.broken) for group in found] == [True] * 5
    assert all(group.hooks == () for group in found)
    assert found[4].broken == "`Start` must be a list of matcher groups"
    assert {problem.name for problem in events.problems} == {"group.shape"}


def test_an_unknown_event_is_an_error_with_a_suggestion() -> None:
    """And whatever stands beside the events is not one, where the caller says so."""
    events = root({"Stopp": [], "state": {}, "Stop": None})

    assert list(groups(events, TABLE, beside=("state",))) == []
    assert [str(problem) for problem in events.problems] == ["f.json: HKL1203 unknown event `Stopp` (did you mean `Stop`?)"]


def test_the_keys_of_a_group_are_the_callers() -> None:
    """How bad another one is, too."""
    events = root({"Stop": [{"hooks": [], "sequential": True, "x": 1}]})
    list(groups(events, TABLE, keys=("matcher", "hooks", "sequential"), severity="warning"))

    assert [(problem.name, problem.severity) for problem in events.problems] == [("key.unknown", "warning"), ("group.empty", "warning")]


def test_a_hook_is_named_by_where_it_stands() -> None:
    """File, event, group and hook; what is broken further up has fewer parts."""
    events = root({"Stop": [{"hooks": [{}, {}]}, 3]})
    whole, broken = groups(events, TABLE)

    assert hook_id("/h/f.json", "Stop", whole.hooks[1], events) == "f.json#Stop.0.1"
    assert hook_id("", "Stop", broken.node, events) == "config#Stop.1"
