"""Walking the tree of the Claude family."""

from __future__ import annotations

from typing import Any

from hookline.core.dialect import EventRow
from hookline.wire.fields import Node
from hookline.wire.parsers import Tree
from hookline.wire.sources import read_entries

ROWS = {
    "Stop": EventRow(native="Stop", kind="stop"),
    "Start": EventRow(native="Start", kind="session.start"),
}


def root(value: Any) -> Node:
    """A tree of hooks as the node of its events."""
    return Node(Tree(value={"hooks": value}), "f.json", "user", []).child("hooks")


def test_an_unknown_event_is_an_error_with_a_suggestion() -> None:
    """Keys beside the events are no events if the caller says so."""
    events = root({"Stopp": [], "state": {}, "Stop": None})

    assert list(read_entries(events, ROWS, of="hooks", like="[...]", beside=("state",))) == []
    assert [str(problem) for problem in events.problems] == [
        "f.json: HKL1203 unknown event `Stopp` (did you mean `Stop`?)"
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
