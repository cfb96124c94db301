"""Switches across files, and the common budget of `SessionEnd`."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.core.dialect import Loaded, Source
from hookline.dialects.claude_code import ClaudeCode
from hookline.model.spec import Broken

DIALECT = ClaudeCode()


def combined(*files: tuple[str, Any]) -> Loaded:
    """What files in these scopes become together; each has one hook, called after its scope."""
    specs = []
    for scope, switch in files:
        tree = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": scope}]}]}}
        settings = {} if switch is None else {"disableAllHooks": switch}
        specs += DIALECT.load(Source(file=f"{scope}.json", tree=tree | settings, scope=scope)).specs
    return DIALECT.combine(tuple(specs))


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ([("user", None), ("project", None)], ["user", "project"]),
        ([("user", True), ("project", None)], []),
        ([("user", True), ("project", False)], ["user", "project"]),
        ([("user", False), ("project", True)], []),
        ([("user", True), ("project", False), ("local", True)], []),
        ([("managed", None), ("local", True)], ["managed"]),
        ([("managed", True), ("user", None)], []),
        ([("managed", False), ("user", True)], ["managed", "user"]),
    ],
)
def test_the_value_after_precedence_counts(files: list[tuple[str, Any]], left: list[str]) -> None:
    """Policy comes first, then the nearest file.

    Only policy reaches its own hooks (docs/formats/claude-code.md 1).
    """
    assert [spec.name for spec in combined(*files).specs] == left


def test_a_switch_that_switches_nothing_off_says_nothing() -> None:
    """There is no hook to report."""
    assert DIALECT.combine(DIALECT.load(Source(tree={"disableAllHooks": True})).specs) == Loaded()


@pytest.mark.parametrize(("scope", "broken"), [("user", [False, True]), ("managed", [True, True])])
def test_policys_calls_are_bounded_by_policys_lists(scope: str, broken: list[bool]) -> None:
    """Lists of other files do not block the hooks of policy."""
    hooks = {"Stop": [{"hooks": [{"type": "http", "url": "https://policy.example/"}]}]}
    sources = [Source(tree={"hooks": hooks}, scope=each) for each in ("managed", "user")]
    sources.append(Source(tree={"allowedHttpHookUrls": []}, scope=scope))
    loaded = DIALECT.combine(
        tuple(spec for source in sources for spec in DIALECT.load(source).specs)
    )

    assert [isinstance(spec.handler, Broken) for spec in loaded.specs] == broken


def test_combining_twice_changes_nothing() -> None:
    """What is left has no switch in it."""
    once = combined(("managed", None), ("user", True))

    assert DIALECT.combine(once.specs) == Loaded(specs=once.specs)


def test_a_switch_that_is_no_boolean_is_an_error() -> None:
    """It has no effect, and the error says so."""
    loaded = DIALECT.load(Source(tree={"disableAllHooks": "yes"}))

    assert [problem.name for problem in loaded.problems] == ["value.type"]
    assert loaded.specs == ()
