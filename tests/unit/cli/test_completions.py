"""The words that a value can be completed to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from hookline.cli import completions
from tests.unit.cli.support import DOCKER

if TYPE_CHECKING:
    import typer

    from tests.unit.cli.support import Desk


def typed(**given: Any) -> typer.Context:
    """A line on which these values stand already."""
    return cast("typer.Context", SimpleNamespace(params=given))


@pytest.mark.parametrize(
    ("given", "begun", "has", "lacks"),
    [
        ({}, "", ["tool.before", "PreToolUse", "pre_tool_use"], []),
        ({"dialect": "claude-code"}, "Pre", ["PreToolUse"], ["PrePrompt"]),
        (
            {"host": "docker-agent", "dialect": "claude-code"},
            "pre",
            ["pre_tool_use"],
            ["preToolUse"],
        ),
        ({"dialect": "none"}, "tool.", ["tool.before"], []),
    ],
)
def test_events_are_those_of_the_dialect_that_is_named(
    given: dict[str, str], begun: str, has: list[str], lacks: list[str]
) -> None:
    """The host's goes first; without one, every name that an event has somewhere."""
    offered = completions.complete_events(typed(**given), begun)

    assert set(has) <= {*offered}
    assert not set(lacks) & {*offered}
    assert len(offered) == len({*offered})


def test_hooks_are_those_of_the_files_that_are_named(desk: Desk) -> None:
    """From the folder that is named; without any, those that are found. What cannot be read is none, without a word."""
    desk.file(
        "there/.claude/settings.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
    )

    assert completions.complete_hooks(typed(config=[DOCKER]), "hooks.yaml#st") == [
        "hooks.yaml#stop.0"
    ]
    assert completions.complete_hooks(typed(folder="there"), "") == ["settings.json#Stop.0.0"]
    assert completions.complete_hooks(
        typed(folder="there", config=[".claude/settings.json"]), ""
    ) == ["settings.json#Stop.0.0"]
    assert completions.complete_hooks(typed(config=["nowhere.yaml"]), "") == []
    assert completions.complete_hooks(typed(config=[DOCKER], dialect="none"), "") == []


def test_what_takes_either_is_offered_both() -> None:
    """Hooks and events; events, codes and the last decision."""
    assert completions.complete_hooks_and_events(typed(config=[DOCKER]), "stop")[0] == "stop"
    assert {"last", "HKL1203", "tool.before"} <= {*completions.complete_explainable(typed(), "")}
    assert completions.complete_hosts("cl") == ["claude-code", "cline"]
    assert "decision" in completions.complete_documents("")
