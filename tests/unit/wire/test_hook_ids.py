"""Ids of hooks: what they are made of, and what leaves them as they are."""

from __future__ import annotations

from typing import Any

import pytest

from hookline import Engine
from hookline.core.dialect import Source
from hookline.text.masking import mask_text
from hookline.wire.fields import Node
from hookline.wire.hook_ids import make_hook_id
from hookline.wire.parsers import Tree

GUARD = {"type": "command", "command": "./guard.sh"}


def make_id(hook: Any, matcher: str = "", **source: str) -> str:
    """The id of a hook in a group."""
    tree = {"Stop": [{"matcher": matcher, "hooks": [hook]}]}
    node = Node(Tree(value=tree), "", "user", []).child("Stop").child(0).child("hooks").child(0)
    return make_hook_id(Source(**source), "Stop", node)


def ids(*hooks: Any) -> list[str]:
    """The ids of the hooks of a tree."""
    tree = {"hooks": {"BeforeTool": [{"matcher": "Bash", "hooks": [*hooks]}]}}
    return [spec.id for spec in Engine.from_config(tree, dialect="gemini").hooks]


READABLE = [
    ({"name": "Check it, please"}, "Check-it-please"),
    ({"name": "no/../place #1~2"}, "no-..-place-1-2"),
    ({"name": "..."}, ""),
    ({"name": 7}, ""),
    ({"command": "/opt/my/guard.sh --strict"}, "guard.sh"),
    ({"command": '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'}, "guard.sh"),
    ({"command": "python3 hooks/guard.py"}, "guard.py"),
    ({"command": "env A=b uv run guard.py"}, "guard.py"),
    ({"command": "python3 -m guard"}, "python3"),
    ({"command": "python3", "args": ["guard.py"]}, "guard.py"),
    ({"command": ["bash", "guard.sh"]}, "guard.sh"),
    ({"command": "TOKEN=$(cat key) ./guard.sh"}, ""),
    ({"command": "A='secret word' ./guard.sh"}, ""),
    ({"command": "C:\\hooks\\guard.ps1"}, "guard.ps1"),
    ({"command": "if grep -q x; then exit 2; fi"}, "grep"),
    ({"bash": "./guard.sh"}, "guard.sh"),
    ({"type": "http", "url": "https://ann:pw@guard.example:8443/x?key=1"}, "guard.example"),
    ({"type": "prompt", "prompt": "Is it safe?"}, "prompt"),
    ({}, ""),
    (7, ""),
]


@pytest.mark.parametrize(("hook", "readable"), READABLE)
def test_an_id_says_what_the_hook_is(hook: Any, readable: str) -> None:
    """By the author's name, the program, the host or the type; never by an argument."""
    begin, _, rest = make_id(hook).partition(".")

    assert begin == "config#Stop"
    if not (isinstance(hook, dict) and isinstance(hook.get("name"), str) and readable):
        rest, _, digest = rest.rpartition("-")
        assert (len(digest), digest.isalpha()) == (6, True)
    assert rest == readable


def test_the_source_is_its_label_or_its_file() -> None:
    """A tree has neither."""
    assert make_id({"name": "x"}, label="a/b.json", file="/t/a/b.json") == "a/b.json#Stop.x"
    assert make_id({"name": "x"}, file="/t/a/b.json") == "b.json#Stop.x"


SAME: list[dict[str, Any]] = [
    {"timeout": 5}, {"description": "d"}, {"statusMessage": "s"}, {"name": ""},
]  # fmt: skip


@pytest.mark.parametrize("more", SAME)
def test_what_describes_or_limits_a_hook_is_no_part_of_its_id(more: dict[str, Any]) -> None:
    """Also the order of its keys."""
    assert make_id({**more, **GUARD}) == make_id(GUARD) == make_id(dict(reversed(GUARD.items())))


def test_what_a_hook_does_and_when_is_its_id() -> None:
    """Another command, argument, matcher or environment is another hook."""
    made = [
        make_id(GUARD),
        make_id(GUARD, "Bash"),
        make_id({**GUARD, "command": "./guard.sh -x"}),
        make_id({**GUARD, "env": {"A": "b"}}),
        make_id({**GUARD, "once": True}),
    ]

    assert len({*made}) == len(made)
    assert {each.rpartition("-")[0] for each in made} == {"config#Stop.guard.sh"}


def test_other_entries_change_no_id() -> None:
    """Before it, after it, or in another source."""
    other = {"type": "command", "command": "other"}
    (alone,) = ids(GUARD)

    assert ids(other, GUARD)[1] == ids(GUARD, other)[0] == alone
    assert "-" in alone


def test_equal_entries_are_numbered_in_the_order_of_the_file() -> None:
    """So are entries with one name, also in the loader of a dialect."""
    first, second, third = ids(GUARD, {**GUARD, "timeout": 3}, GUARD)
    named = ids(*({"type": "command", "name": "n", "command": each} for each in "ab"))

    assert (second, third) == (f"{first}~2", f"{first}~3")
    assert named == ["config#BeforeTool.n", "config#BeforeTool.n~2"]


def test_no_id_looks_like_a_secret() -> None:
    """Messages and the journal show it."""
    for count in range(200):
        made = make_id({"command": f"guard.sh {count}"})
        assert mask_text(f"hookline: {made} changed") == f"hookline: {made} changed"
