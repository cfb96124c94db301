"""Typed readers: what each accepts, and how it reports errors with a place and a hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.model.spec import Origin
from hookline.wire.fields import Node, describe_value, to_problem
from hookline.wire.parsers import parse_yaml

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.model.spec import Problem


def node(text: str) -> Node:
    """The root of a YAML text."""
    return Node(parse_yaml(text, "x.yaml"), "x.yaml", "user", [])


def problem(root: Node) -> Problem:
    """The one complaint that was filed."""
    (found,) = root.problems
    return found


@pytest.mark.parametrize(
    ("text", "read", "value"),
    [
        ("a: x", lambda n: n.text("a"), "x"),
        ("a: ''", lambda n: n.text("a", "default"), ""),
        ("b: x", lambda n: n.text("a", "default"), "default"),
        ("a: ~", lambda n: n.text("a", "default"), "default"),
        ("a: 3", lambda n: n.number("a"), 3),
        ("a: 2.5", lambda n: n.number("a"), 2.5),
        ("b: 3", lambda n: n.number("a"), None),
        ("b: 3", lambda n: n.number("a", 1.5), 1.5),
        ("a: -3", lambda n: n.integer("a"), -3),
        ("b: 3", lambda n: n.integer("a", 7), 7),
        ("a: 0.5", lambda n: n.duration("a"), 0.5),
        ("b: 3", lambda n: n.duration("a"), None),
        ("a: true", lambda n: n.flag("a"), True),
        ("b: 3", lambda n: n.flag("a", default=True), True),
        ("a: warn", lambda n: n.choice("a", ("warn", "block"), "block"), "warn"),
        ("b: 3", lambda n: n.choice("a", ("warn", "block"), "block"), "block"),
        ("a: [x, y]", lambda n: n.texts("a"), ("x", "y")),
        ("a: []", lambda n: n.texts("a"), ()),
        ("b: 3", lambda n: n.texts("a"), ()),
        (
            "a: {k: v, n: 1, f: 1.5, t: true}",
            lambda n: n.mapping("a"),
            {"k": "v", "n": "1", "f": "1.5", "t": "true"},
        ),
        ("b: 3", lambda n: n.mapping("a"), {}),
    ],
)
def test_a_reader_takes_what_it_is_for(text: str, read: Callable[[Node], Any], value: Any) -> None:
    """Absent and null become the default without a problem."""
    root = node(text)

    assert read(root) == value
    assert root.problems == []


@pytest.mark.parametrize(
    ("text", "read", "value", "message"),
    [
        ("a: [x]", lambda n: n.text("a", "d"), "d", "`a` must be text, not a list"),
        ("a: 3", lambda n: n.text("a"), "", "`a` must be text, not `3`"),
        ("a: true", lambda n: n.text("a"), "", "`a` must be text, not `true`"),
        ("a: x", lambda n: n.number("a", 1.0), 1.0, "`a` must be a number, not the text `x`"),
        ("a: true", lambda n: n.number("a"), None, "`a` must be a number, not `true`"),
        ("a: .nan", lambda n: n.number("a"), None, "`a` must be a number, not `nan`"),
        ("a: -.inf", lambda n: n.number("a"), None, "`a` must be a number, not `-inf`"),
        ("a: 1e300", lambda n: n.number("a"), None, "`a` must be a number, not `1e+300`"),
        ("a: 2.5", lambda n: n.integer("a", 4), 4, "`a` must be a whole number, not `2.5`"),
        ("a: true", lambda n: n.integer("a"), None, "`a` must be a whole number, not `true`"),
        (
            f"a: {'9' * 400}",
            lambda n: n.integer("a"),
            None,
            f"`a` must be a whole number, not `{'9' * 40}`",
        ),
        ("a: 'yes'", lambda n: n.flag("a"), False, "`a` must be true or false, not the text `yes`"),
        ("a: 1", lambda n: n.flag("a", default=True), True, "`a` must be true or false, not `1`"),
        ("a: x", lambda n: n.texts("a"), (), "`a` must be a list of texts, not the text `x`"),
        ("a: [x]", lambda n: n.mapping("a"), {}, "`a` must be a mapping of texts, not a list"),
    ],
)
def test_a_reader_complains_with_the_place(
    text: str, read: Callable[[Node], Any], value: Any, message: str
) -> None:
    """The wrong value is left out; the problem names the key, the wanted type and the value."""
    root = node(f"# first line\n{text}")

    assert read(root) == value
    assert str(problem(root)) == f"x.yaml:2:1: HKL1401 {message}"


def test_each_wrong_item_is_named() -> None:
    """The place is that of the item; nothing of the list or the mapping is used."""
    root = node("a: [x, 3, ~]\nb: {k: [v], n: 1}")

    assert root.texts("a") == ()
    assert root.mapping("b") == {}
    assert [str(each) for each in root.problems] == [
        "x.yaml:1:8: HKL1401 item 2 of `a` must be text, not `3`",
        "x.yaml:1:11: HKL1401 item 3 of `a` must be text, not nothing",
        "x.yaml:2:5: HKL1401 `k` of `b` must be text, not a list",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 0", "`a: 0` is no time to wait (ticks, more than 0)"),
        ("a: 11", "`a: 11` is no time to wait (ticks, more than 0)"),
    ],
)
def test_a_time_of_zero_or_without_end_is_refused(text: str, said: str) -> None:
    """The hint names the unit that the file counts in."""
    root = node(text)

    assert root.duration("a", unit="ticks", longest=10) is None
    assert str(problem(root)) == f"x.yaml:1:1: HKL1402 {said}"


def test_a_required_key_that_is_missing_is_complained_about_where_it_should_be() -> None:
    """At the mapping that lacks it."""
    root = node("hooks:\n  - name: x\n").child("hooks").child(0)
    root.text("type", required=True)

    assert str(problem(root)) == "x.yaml:2:5: HKL1102 the key `type` is missing"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("on_error: wran", "did you mean `warn`?"),
        ("on_error: zzz", "one of `warn`, `ignore`, `block`"),
    ],
)
def test_an_unknown_choice_is_told_the_nearest(text: str, hint: str) -> None:
    """Or all of them, where none is near."""
    root = node(text)
    root.choice("on_error", ("warn", "ignore", "block"), "warn")

    assert (problem(root).name, problem(root).hint) == ("value.choice", hint)


@pytest.mark.parametrize(
    ("key", "hint"), [("comand", "did you mean `command`?"), ("zzz", "known keys: type, command")]
)
def test_an_unknown_key_is_told_the_nearest(key: str, hint: str) -> None:
    """Or all of them; the place is that of the key."""
    root = node(f"type: x\n{key}: y\n")
    root.check_known_keys(("type", "command"), "a hook")

    assert str(problem(root)) == f"x.yaml:2:1: HKL1101 unknown key `{key}` in a hook ({hint})"


def test_unknown_keys_may_be_mere_warnings() -> None:
    """Where a dialect tolerates them; only errors are counted as errors."""
    root = node("x: 1\n")
    root.check_known_keys((), "a hook", severity="warning")

    assert (problem(root).severity, root.errors_since(0)) == ("warning", "")


def test_a_hook_is_broken_by_the_errors_since_it_began() -> None:
    """Warnings, and what was wrong before, break nothing."""
    root = node("x: 1\n")
    root.complain("value.type", "one")
    before = root.mark()
    root.complain("value.type", "two")
    root.complain("key.ignored", "three", severity="warning")
    root.complain("value.type", "four")

    assert root.errors_since(before) == "x.yaml:1:1: two; four"


def test_what_must_be_a_mapping_says_what_it_is_instead() -> None:
    """The problem names the type in the format's own words."""
    root = node("- x\n")

    assert not root.is_mapping("a hook")
    assert problem(root).message == "a hook must be a mapping, not a list"
    assert node("{}").is_mapping("a hook")


def test_parts_know_their_place_and_share_the_complaints() -> None:
    """A child stands on its own line.

    What it complains about is in the list of the whole source.
    """
    root = node("hooks:\n  stop:\n    - a\n    - b\n")
    items = list(root.child("hooks").child("stop").children())

    assert [item.value for item in items] == ["a", "b"]
    assert [item.pointer for item in items] == ["hooks.stop.0", "hooks.stop.1"]
    assert items[1].origin() == Origin(
        file="x.yaml", pointer="hooks.stop.1", line=4, column=7, scope="user"
    )
    assert [child.pointer for child in root.children()] == ["hooks"]
    items[0].complain("value.type", "wrong")
    assert problem(root).origin.line == 3


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "nothing"),
        (True, "`true`"),
        (3, "`3`"),
        (2.5, "`2.5`"),
        ("x" * 100, f"the text `{'x' * 40}`"),
        ([], "a list"),
        ({}, "a mapping"),
    ],
)
def test_a_value_is_told_by_its_shape(value: Any, words: str) -> None:
    """No type names, and never more than a few words."""
    assert describe_value(value) == words


@pytest.mark.parametrize(
    ("place", "line", "column"),
    [("a.yaml:3:5", 3, 5), ("C:/a.yaml:3:5", 3, 5), ("a.yaml", 0, 0), ("", 0, 0), ("a:b:c", 0, 0)],
)
def test_an_error_of_a_whole_file_becomes_a_problem(place: str, line: int, column: int) -> None:
    """With its line and column where it has them."""
    found = to_problem(
        ConfigError("bad", name="config.syntax", hint="fix", place=place), "a.yaml", "user"
    )

    assert (found.name, found.message, found.hint, found.severity) == (
        "config.syntax",
        "bad",
        "fix",
        "error",
    )
    assert found.origin == Origin(file="a.yaml", line=line, column=column, scope="user")
