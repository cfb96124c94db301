"""What loading makes of a file, beyond what the vectors can see."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.model.spec import Broken, Command, Never, Pattern
from hookline.text.backtracking import BacktrackingRegex
from tests.unit.dialects.kimi.support import DIALECT, NEWER_FILE, one_hook

WORDS = st.sampled_from(
    [
        "hooks",
        "event",
        "command",
        "matcher",
        "timeout",
        "PreToolUse",
        "Stop",
        "*",
        "(?=x)",
        "a|b",
        "matchr",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=16,
)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"event": WORDS, "command": WORDS}, optional={"matcher": JSON, "timeout": JSON, "x": JSON}
    )
)


def test_a_command_is_a_line_for_the_shell_and_nothing_is_added() -> None:
    """Section 4: `/bin/sh -c`, the inherited environment."""
    handler = one_hook("Stop").handler

    assert isinstance(handler, Command)
    assert (handler.script, handler.shell, handler.argv, handler.env, handler.drop_env) == (
        "guard",
        ("/bin/sh", "sh"),
        (),
        {},
        (),
    )


def test_what_a_hook_leaves_behind_dies_in_strict_mode_only() -> None:
    """Fidelity mode leaves a background child alone (docs/formats/agenthooks.md 10)."""
    handler = one_hook("Stop", mode="strict").handler

    assert isinstance(handler, Command)
    assert handler.kill_leftovers


def test_a_matcher_is_searched_in_what_its_event_is_about() -> None:
    """Compiled once, at load; a look-around that RE2 cannot run backtracks."""
    (condition,) = one_hook("Notification", matcher="permission").conditions
    (slow,) = one_hook("PreToolUse", matcher="(?!Read)S").conditions

    assert isinstance(condition, Pattern)
    assert (condition.field, condition.source, condition.full) == ("kind", "permission", False)
    assert isinstance(slow, Pattern)
    assert isinstance(slow.regex, BacktrackingRegex)


def test_a_matcher_that_never_matches_says_why() -> None:
    """`explain` shows the reason."""
    (condition,) = one_hook("PreToolUse", matcher="*").conditions

    assert isinstance(condition, Never)
    assert "never runs" in condition.reason


def test_a_matcher_that_selects_the_empty_value_is_no_condition() -> None:
    """`Stop` has nothing else."""
    assert one_hook("Stop", matcher="x?").conditions == ()


def test_equal_commands_are_one_hook_to_an_event() -> None:
    """Whatever their matchers and timeouts are."""
    assert one_hook("Stop", timeout=3).identity == one_hook("Stop", timeout=4).identity == "guard"


def test_hooks_with_other_matchers_may_share_a_command_without_a_word() -> None:
    """Nothing tells that both can match."""
    specs = (
        one_hook("PreToolUse", matcher="^Shell$"),
        one_hook("PreToolUse", matcher="^WriteFile$"),
    )

    assert DIALECT.combine(specs).problems == ()
    assert [
        problem.name for problem in DIALECT.combine((*specs, one_hook("PreToolUse"))).problems
    ] == ["hook.duplicate"]


@given(
    JSON,
    ENTRIES,
    st.sampled_from(["fidelity", "strict"]),
    st.sampled_from(["config.toml", NEWER_FILE]),
)
def test_no_tree_makes_loading_raise(tree: Any, entries: list[Any], mode: str, file: str) -> None:
    """Problems are values.

    A broken hook has an error, and a file with an error that counts has broken hooks only.
    """
    for given_tree in (tree, {"hooks": tree}, {"hooks": entries}):
        loaded = DIALECT.load(Source(file=file, tree=given_tree, mode=mode))
        broken = [isinstance(spec.handler, Broken) for spec in DIALECT.combine(loaded.specs).specs]
        errors = {problem.name for problem in loaded.problems if problem.severity == "error"}

        assert any(broken) is all(broken) or not broken
        assert any(broken) is bool(errors - ({"event.unknown"} if file == NEWER_FILE else set()))


@given(st.text())
def test_no_text_makes_loading_raise(text: str) -> None:
    """A file that is no TOML is a problem."""
    DIALECT.load(Source(file="config.toml", text=text))
