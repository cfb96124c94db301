"""What loading makes of handlers, beyond what the vectors can see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.dialects.claude_code import ClaudeCode
from hookline.model.spec import Broken, Command, Never
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from hookline.model.spec import HookSpec

DIALECT = ClaudeCode()
WORDS = st.sampled_from(
    [
        "hooks",
        "PreToolUse",
        "Stop",
        "FileChanged",
        "matcher",
        "type",
        "command",
        "args",
        "timeout",
        "if",
        "once",
        "disableAllHooks",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)
FIELDS = st.dictionaries(
    st.sampled_from(["type", "command", "args", "timeout", "shell", "onFailure", "async", "once"]),
    JSON,
)


def one(handler: dict[str, Any], *, event: str = "Stop", **source: Any) -> HookSpec:
    """The one hook of a file."""
    (spec,) = DIALECT.load(Source(tree={"hooks": {event: [{"hooks": [handler]}]}}, **source)).specs
    return spec


def command(**names: str) -> Command:
    """The command of a hook in a file of which so much is known."""
    handler = one({"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x"}, names=names).handler
    assert isinstance(handler, Command)
    return handler


def test_shell_form_runs_sh() -> None:
    """2.4: without `args` it is `sh -c`."""
    assert command().shell == ("sh",)


def test_the_project_is_where_the_event_happens_unless_it_is_known() -> None:
    """The runner fills the marker in from the event's cwd."""
    assert command().env == {"CLAUDE_PROJECT_DIR": "${event.project}"}
    assert command(project_dir="/w").env == {"CLAUDE_PROJECT_DIR": "/w"}


def test_a_plugins_folders_are_exported_and_substituted() -> None:
    """2.4: `${CLAUDE_PLUGIN_ROOT}` in `command` and `args`, and in the environment."""
    known = command(project_dir="/w", plugin_root="/p", plugin_data="/d")

    assert known.env == {
        "CLAUDE_PROJECT_DIR": "/w",
        "CLAUDE_PLUGIN_ROOT": "/p",
        "CLAUDE_PLUGIN_DATA": "/d",
    }
    assert known.substitute == {
        "${CLAUDE_PROJECT_DIR}": "/w",
        "${CLAUDE_PLUGIN_ROOT}": "/p",
        "${CLAUDE_PLUGIN_DATA}": "/d",
    }


def test_the_environment_is_inherited_less_otel() -> None:
    """2.6."""
    assert command().drop_env == ("OTEL_*",)


def test_what_the_dialect_knows_of_a_hook_is_kept() -> None:
    """Status line and wake-up words are for a host that can show them."""
    spec = one(
        {
            "type": "command",
            "command": "x",
            "statusMessage": "checking",
            "asyncRewake": True,
            "rewakeMessage": "m",
            "timeout": 2,
        }
    )

    assert spec.facts == {
        "rewake": {"message": "m", "summary": ""},
        "status": "checking",
        "timeout": 2.0,
    }


@pytest.mark.parametrize(
    ("hook", "mode", "told"),
    [
        ({"async": True, "timeout": 1}, "fidelity", ["timeout"]),
        ({"asyncRewake": True, "timeout": 1}, "fidelity", ["timeout"]),
        ({"async": True, "timeout": 1}, "strict", []),
        ({"async": True}, "fidelity", []),
        ({"async": False, "timeout": 1}, "fidelity", []),
    ],
)
def test_a_timeout_without_effect_is_reported(
    hook: dict[str, Any], mode: str, told: list[str]
) -> None:
    """2.4: in the background; strict mode enforces it."""
    tree = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x", **hook}]}]}}
    problems = DIALECT.load(Source(tree=tree, mode=mode)).problems

    assert [
        (each.name, each.severity, each.origin.pointer.rpartition(".")[2]) for each in problems
    ] == [("key.ignored", "warning", key) for key in told]
    assert all(
        "has no effect: a hook in the background runs up to an hour" in each.message
        for each in problems
    )


def test_once_is_honoured_in_strict_mode() -> None:
    """In strict mode, which is hookline's own, the key has its documented meaning."""
    assert one({"type": "command", "command": "x", "once": True}, mode="strict").once


def test_an_if_that_never_holds_says_why() -> None:
    """`explain` shows the reason."""
    (condition,) = one({"type": "command", "command": "x", "if": "Bash(ls)"}).conditions

    assert isinstance(condition, Never)
    assert "tool events only" in condition.reason


def test_a_hook_that_is_told_to_block_on_failure_keeps_it_when_broken() -> None:
    """`onFailure` counts before anything else about the handler is right."""
    spec = one({"type": "http", "url": "x", "onFailure": "block"}, event="PreToolUse")

    assert isinstance(spec.handler, Broken)
    assert spec.on_failure is Stance.DENY


def test_a_shadow_copy_does_not_take_the_place_of_one_that_counts() -> None:
    """Equal handlers run once, but not where one of them is only recorded."""
    handler = {"type": "command", "command": "x"}

    assert one(handler).identity == one(handler, file="other.json", scope="user").identity
    assert one(handler).identity != one(handler, shadow=True).identity
    assert one(handler).identity != one(handler, trusted=False).identity


@given(JSON, FIELDS, st.sampled_from(["fidelity", "strict"]))
def test_no_tree_makes_loading_raise(tree: Any, handler: dict[str, Any], mode: str) -> None:
    """Problems are values.

    What is wrong with a hook is an error about it, and the hook is broken.
    """
    for given_tree in (
        tree,
        {"hooks": tree},
        {"hooks": {"PreToolUse": tree}},
        {"hooks": {"SessionEnd": [{"hooks": [handler]}]}},
    ):
        loaded = DIALECT.load(Source(tree=given_tree, mode=mode))
        combined = DIALECT.combine(loaded.specs)

        assert any(problem.severity == "error" for problem in loaded.problems) or not any(
            isinstance(spec.handler, Broken) for spec in combined.specs
        )


@given(st.text())
def test_no_text_makes_loading_raise(text: str) -> None:
    """A file that is no JSON is a problem with a place."""
    DIALECT.load(Source(file="settings.json", text=text))
