"""What loading makes of handlers, beyond what the vectors can see."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.dialects.codex import Codex
from hookline.model.spec import Broken, Command
from hookline.model.verdict import Stance

DIALECT = Codex()
WORDS = st.sampled_from(
    [
        "hooks",
        "state",
        "PreToolUse",
        "Stop",
        "matcher",
        "type",
        "command",
        "timeout",
        "enabled",
        "allow_managed_hooks_only",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)
FIELDS = st.dictionaries(
    st.sampled_from(
        ["type", "command", "timeout", "async", "commandWindows", "statusMessage", "x"]
    ),
    JSON,
)


def command(**names: str) -> Command:
    """The command of a hook in a file of which so much is known."""
    tree = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${PLUGIN_ROOT}/x"}]}]}}
    handler = DIALECT.load(Source(tree=tree, names=names)).specs[0].handler
    assert isinstance(handler, Command)
    return handler


def test_a_plugins_folders_are_known_under_both_names() -> None:
    """The environment has `PLUGIN_ROOT`, `PLUGIN_DATA` and Claude Code's names for them.

    References are filled in.
    """
    made = command(plugin_root="/p", plugin_data="/d")

    assert made.env == {
        "PLUGIN_ROOT": "/p",
        "CLAUDE_PLUGIN_ROOT": "/p",
        "PLUGIN_DATA": "/d",
        "CLAUDE_PLUGIN_DATA": "/d",
    }
    assert made.substitute["${PLUGIN_ROOT}"] == "/p"


def test_outside_a_plugin_nothing_is_filled_in() -> None:
    """The shell expands the reference as usual."""
    assert (command().env, command().substitute, command().shell) == ({}, {}, ("sh",))


def test_strict_hooks_leave_nothing_running() -> None:
    """What a strict hook starts in the background dies with it."""
    tree = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}
    (spec,) = DIALECT.load(Source(tree=tree, mode="strict")).specs

    assert isinstance(spec.handler, Command)
    assert spec.handler.kill_leftovers
    assert spec.on_failure is Stance.DENY


def test_a_trust_key_is_spelled_in_snake_case() -> None:
    """`<source path>:<event>:<group>:<handler>`."""
    group = {"hooks": [{"type": "command", "command": "x"}]}
    tree = {"hooks": {"SubagentStop": [group, group]}}
    specs = DIALECT.load(Source(tree=tree, file="/h/.codex/hooks.json")).specs

    assert specs[1].facts["trust_key"] == "/h/.codex/hooks.json:subagent_stop:1:0"


@given(
    JSON,
    st.sampled_from(["managed", "user", "project"]),
    st.sampled_from(["hooks.json", "config.toml"]),
)
def test_no_tree_makes_loading_raise(tree: Any, scope: str, file: str) -> None:
    """Whatever stands in a file, it is hooks and problems."""
    for given_tree in (
        tree,
        {"hooks": tree},
        {"hooks": {"Stop": tree}},
        {"hooks": {"state": tree}},
    ):
        loaded = DIALECT.load(Source(tree=given_tree, scope=scope, file=file))
        combined = DIALECT.combine(loaded.specs)

        assert all(str(problem) for problem in (*loaded.problems, *combined.problems))


@given(FIELDS)
def test_a_handler_is_whole_or_broken(fields: dict[str, Any]) -> None:
    """A handler with an error in it never runs half of what was meant."""
    loaded = DIALECT.load(Source(tree={"hooks": {"Stop": [{"hooks": [fields]}]}}))
    errors = [problem for problem in loaded.problems if problem.severity == "error"]

    assert isinstance(loaded.specs[0].handler, Broken if errors else Command)
