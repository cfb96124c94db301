"""The contract table is the one of docs/formats/docker-agent.md 2, cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.dialects.docker_agent import DockerAgent
from hookline.dialects.docker_agent.table import PROFILES
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from hookline.core.dialect import EventRow

# event | tool-matched | sequential | can block | denies always | what it may carry beside a block
PAGE = {
    "pre_tool_use": "tool sequential block always input allow ask",
    "pre_tool_use:preempt": "tool block always metadata allow ask",
    "tool_input_transform": "tool sequential block input",
    "tool_guard": "tool block always metadata allow ask",
    "permission_request": "tool block metadata allow",
    "tool_response_transform": "tool sequential output",
    "post_tool_use": "tool block",
    "session_start": "context instruction_context",
    "turn_start": "context instruction_context",
    "user_prompt_submit": "block context",
    "user_steering_messages_submit": "block context",
    "user_followup_submit": "block context",
    "before_llm_call": "sequential block messages",
    "pre_compact": "block context",
    "before_compaction": "block summary",
    "worktree_create": "block context",
    "before_agent_run": "block always metadata transition",
    "after_agent_complete": "block always metadata transition",
    "turn_end": "",
    "after_llm_call": "",
    "session_end": "",
    "subagent_stop": "",
    "on_user_input": "",
    "stop": "",
    "notification": "",
    "on_error": "",
    "on_max_iterations": "",
    "on_agent_switch": "",
    "on_session_resume": "",
    "on_tool_approval_decision": "",
    "after_compaction": "",
}
D1_PARALLEL = {"pre_tool_use", "tool_input_transform", "tool_response_transform", "before_llm_call"}
D1_CONTEXT = {"post_tool_use", "stop"}


def columns(row: EventRow) -> set[str]:
    """A row of the code in the words of the page."""
    flags = {
        "tool": row.grouped,
        "sequential": not row.parallel,
        "block": row.can_block,
        "always": row.fails is not Stance.SILENT,
    }
    return {word for word, holds in flags.items() if holds} | (
        row.powers - {"note", "deny", "halt"}
    )


@pytest.mark.parametrize("event", PAGE)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_row_is_the_one_of_the_page(profile: str, event: str) -> None:
    """Each cell of the contract table, with the two columns in which d1 differs."""
    row = DockerAgent(profile=profile).table.rows[event]
    want = set(PAGE[event].split())
    if profile == "d1":
        want -= {"sequential"} if event in D1_PARALLEL else set()
        want |= {"context"} if event in D1_CONTEXT else set()

    assert columns(row) == want
    assert row.plain_context == ("context" in want)


def test_there_are_28_public_events_one_lane_and_two_control_events() -> None:
    """No event is missing and none is invented."""
    rows = DockerAgent().table.rows

    assert set(rows) == set(PAGE)
    assert len(rows) == 28 + 1 + 2


@pytest.mark.parametrize("event", PAGE)
def test_a_row_agrees_with_itself(event: str) -> None:
    """What blocks has the power for it; a failure never means more than a block does."""
    row = DockerAgent().table.rows[event]

    assert {
        Stance.SILENT: True,
        Stance.DENY: "deny" in row.powers,
        Stance.HALT: "halt" in row.powers,
    }[row.blocks]
    assert row.fails in (Stance.SILENT, row.blocks)
