"""OpenHands: events of other hosts, conversion, and the environment of its hooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline import Engine
from hookline.core.dialect import Declaration, Source
from hookline.core.match import holds
from hookline.dialects.openhands import OpenHands
from hookline.dialects.openhands.table import TABLE
from hookline.model.event import Event, ToolCall
from hookline.model.verdict import Stance
from hookline.wire.templates import fill_prompt

if TYPE_CHECKING:
    from pathlib import Path

DIALECT = OpenHands()
AFTER = TABLE.rows["PostToolUse"]
BEFORE = TABLE.rows["PreToolUse"]


def _loaded(tree: object) -> object:
    return DIALECT.load(Source(tree=tree, file="hooks.json")).specs[0]


def test_a_result_of_another_host_becomes_an_observation() -> None:
    """A hook reads text and an error flag, whatever the other host calls its result."""
    body = ToolCall(tool="Bash", input={"command": "ls"}, result="a.py", error="failed")
    event = Event(kind="tool.after", dialect="claude-code", native_name="PostToolUse", body=body)
    spec = _loaded({"post_tool_use": [{"hooks": [{"command": "x"}]}]})

    sent = json.loads(DIALECT.encode_event(event, spec))

    assert sent["tool_response"] == {
        "content": [{"type": "text", "text": "a.py"}],
        "is_error": True,
    }


@pytest.mark.parametrize(
    ("declared", "matcher"),
    [
        ({"tools": ("terminal",)}, "terminal"),
        ({"tools": ("terminal", "file_editor")}, "terminal|file_editor"),
        ({"pattern": "term"}, ".*(?:term).*"),
        ({}, None),
    ],
)
def test_a_written_matcher_matches_the_same_tools(
    declared: dict[str, object], matcher: str | None
) -> None:
    """A matcher covers the whole name, so a searched expression is written with `.*` around it."""
    declaration = Declaration(row=BEFORE, command="x", **declared)  # type: ignore[arg-type]
    written = DIALECT.export((declaration,))
    tree = json.loads(written.files["hooks.json"])
    (spec,) = DIALECT.load(Source(tree=tree)).specs
    event = Event(kind="tool.before", body=ToolCall(tool="terminal"))

    assert tree["hooks"]["PreToolUse"][0].get("matcher") == matcher
    assert all(holds(condition, event) for condition in spec.conditions)


@pytest.mark.process
def test_a_hook_reads_its_session_and_tool_from_the_environment(tmp_path: Path) -> None:
    """The host sets four variables."""
    config = {"pre_tool_use": [{"hooks": [{"command": _PRINT}]}]}
    engine = Engine.load(config, dialect="openhands")

    decision = engine.fire(
        "PreToolUse",
        {
            "tool_name": "terminal",
            "tool_input": {},
            "session_id": "s-1",
            "working_dir": str(tmp_path),
        },
        dialect="openhands",
    )

    assert decision.stance is Stance.DENY
    assert decision.reason == f"{tmp_path} s-1 PreToolUse terminal"


_PRINT = (
    'echo "$OPENHANDS_PROJECT_DIR $OPENHANDS_SESSION_ID $OPENHANDS_EVENT_TYPE '
    '$OPENHANDS_TOOL_NAME" >&2; exit 2'
)


def test_a_policy_is_sent_as_it_is_written_and_the_event_after_it() -> None:
    """The host's prompts have no placeholder, so a dollar sign stands for itself."""
    policy = r"Deny $HOME, \$PATH and $ARGUMENTS."
    spec = _loaded({"stop": [{"hooks": [{"type": "prompt", "prompt": policy}]}]})

    assert (
        fill_prompt(spec.handler, '{"message": "$ARGUMENTS"}')
        == f'{policy}\n\n{{"message": "$ARGUMENTS"}}'
    )  # type: ignore[attr-defined]
