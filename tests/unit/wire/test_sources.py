"""What every loader does with a source before it knows what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.core.dialect import Source
from hookline.errors import ConfigError
from hookline.model.spec import Broken
from hookline.model.verdict import Stance
from hookline.wire.sources import (
    hook_name,
    read_tree,
    refuse_source,
    refuse_unreadable,
    resolve_failure,
    strict_failure,
)
from tests.plays.play import Stage, row

if TYPE_CHECKING:
    from typing import Any

    from hookline.model.spec import Problem

TABLE = Stage(
    row("before", fails=Stance.DENY),
    row("ask", "tool.permission.request", powers=frozenset({"deny"})),
    row("after", "session.end", blocks=Stance.SILENT),
).table
ERROR = ConfigError("not YAML", place="/x/hooks.yaml:3:5")


def test_a_text_is_parsed_with_its_lines() -> None:
    """Complaints about it have a place."""
    root = read_tree(Source(text="a: 1\nb: 2\n", file="x.yaml"), [])

    assert root.value == {"a": 1, "b": 2}
    assert root.origin("b").line == 2


def test_a_key_that_stands_twice_in_json_is_told() -> None:
    """As a warning, where it stands: only the last one counts."""
    problems: list[Problem] = []
    root = read_tree(
        Source(text='{"hooks": {"Stop": [1],\n "Stop": [2]}}', file="settings.json"), problems
    )

    assert root.value == {"hooks": {"Stop": [2]}}
    assert [str(problem) for problem in problems] == [
        (
            "settings.json:2:2: HKL1005 the key `Stop` stands twice, and only the last one counts "
            "(join the two blocks)"
        )
    ]
    assert problems[0].severity == "warning"


@pytest.mark.parametrize(
    ("tree", "value"),
    [
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ({1: {None: "x"}}, {"1": {"None": "x"}}),
        ({"a": {1.5}}, {"a": "{1.5}"}),
        ([True, None, 1.5], [True, None, 1.5]),
        (None, None),
    ],
)
def test_a_tree_is_taken_as_a_parser_would_have_read_it(tree: Any, value: Any) -> None:
    """Keys are texts, and every leaf is one of JSON's."""
    assert read_tree(Source(tree=tree), []).value == value


def test_a_tree_that_holds_itself_is_refused() -> None:
    """It is a ConfigError, not a RecursionError."""
    tree: dict[str, Any] = {}
    tree["a"] = tree
    with pytest.raises(ConfigError) as caught:
        read_tree(Source(tree=tree), [])
    assert caught.value.name == "config.too-large"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("make lint", "make lint"),
        ("\n  first\nsecond\n", "first"),
        ("x" * 61, "x" * 59 + "…"),
        ("x" * 60, "x" * 60),
        ("", ""),
    ],
)
def test_a_script_is_named_by_its_first_line(text: str, name: str) -> None:
    """At most sixty characters of it."""
    assert hook_name(text) == name


def test_a_name_holds_no_secret_of_an_address() -> None:
    """Because it is in every message about the hook; also where the address is cut."""
    assert (
        hook_name("POST https://tok@h.example/x?key=SECRET")
        == "POST https://***@h.example/x?key=***"
    )
    assert "SECRET" not in hook_name(f"curl https://u:{'SECRET' * 20}@h")


def test_a_source_that_cannot_be_read_is_missed_at_every_gate() -> None:
    """It becomes one broken hook for each event that it could guard, with reason and place."""
    loaded = refuse_unreadable(Source(file="/x/hooks.yaml", scope="user"), TABLE, ERROR)

    assert [(spec.id, spec.on_failure, spec.origin.line) for spec in loaded.specs] == [
        ("hooks.yaml#before", Stance.DENY, 3),
        ("hooks.yaml#ask", Stance.SILENT, 3),
    ]
    assert {spec.handler for spec in loaded.specs} == {Broken(reason="/x/hooks.yaml:3:5: not YAML")}
    assert [str(problem) for problem in loaded.problems] == ["/x/hooks.yaml:3:5: HKL1001 not YAML"]


def test_in_strict_mode_it_is_missed_with_consequences() -> None:
    """The hook asks if the event can ask, and denies otherwise.

    Never weaker than the dialect itself.
    """
    loaded = refuse_unreadable(Source(file="hooks.yaml", mode="strict"), TABLE, ERROR)

    assert [spec.on_failure for spec in loaded.specs] == [Stance.DENY, Stance.DENY]
    assert strict_failure(row()) is Stance.ASK


def test_a_shadow_source_that_cannot_be_read_enforces_nothing() -> None:
    """A shadow or unapproved source that cannot be read stays a shadow or unapproved."""
    loaded = refuse_unreadable(
        Source(file="hooks.yaml", mode="strict", shadow=True, trusted=False), TABLE, ERROR
    )

    assert {(spec.shadow, spec.trusted) for spec in loaded.specs} == {(True, False)}


@pytest.mark.parametrize(
    ("mode", "fails", "powers", "stance"),
    [
        ("fidelity", Stance.SILENT, {"ask"}, Stance.SILENT),
        ("fidelity", Stance.DENY, {"ask"}, Stance.DENY),
        ("strict", Stance.SILENT, {"ask"}, Stance.ASK),
        ("strict", Stance.SILENT, {"deny"}, Stance.DENY),
        ("strict", Stance.DENY, {"ask"}, Stance.DENY),
    ],
)
def test_strict_mode_never_weakens_a_failure(
    mode: str, fails: Stance, powers: set[str], stance: Stance
) -> None:
    """It only adds to what the row says."""
    assert resolve_failure(row(fails=fails, powers=frozenset(powers)), mode) is stance


def test_a_refused_source_keeps_all_its_problems() -> None:
    """The first error is the reason, unless another one is named."""
    problems: list[Problem] = []
    root = read_tree(Source(text='{"a": 1,\n "b": 2}', file="f.json"), problems)
    root.complain("key.unknown", "first", "a", severity="warning")
    root.complain("config.type", "second", "b")
    root.complain("config.type", "third", "a")

    refused = refuse_source(Source(file="f.json"), TABLE, problems)

    assert {spec.handler for spec in refused.specs} == {Broken(reason="f.json:2:2: second")}
    assert refused.problems == tuple(problems)
    assert refuse_source(Source(file="f.json"), TABLE, problems, problems[2]).specs[
        0
    ].handler == Broken(reason="f.json:1:2: third")
