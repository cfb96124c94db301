"""Answers to decisions that hooks of other dialects led to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.core.fit import fit
from hookline.dialects.cursor import Cursor
from hookline.dialects.cursor.table import TABLE
from hookline.model.event import Rewrite
from hookline.model.verdict import Decision, Stance, Verdict

LEAST: dict[str, Any] = {"tool_name": "Shell", "tool_input": {}, "prompt": ""}


def answered(native: str, tool: str = "Shell", **decided: Any) -> tuple[Any, list[str]]:
    """The reply to a decision, and what it lowered."""
    cursor = Cursor()
    event = cursor.decode_event({**LEAST, "tool_name": tool}, native)
    row = TABLE.row(native)
    assert row is not None
    decision = fit(
        Decision(kind=row.kind, dialect="cursor", native_event=native, **decided),
        row.powers_on(tool),
    )
    reply = cursor.encode_decision(decision, event)
    assert (reply.exit_code, reply.stderr) == (0, "")
    return json.loads(reply.stdout or "null"), [entry.effect for entry in decision.lowered]


@pytest.mark.parametrize("native", TABLE.rows)
def test_nothing_that_the_event_does_not_read_is_said(native: str) -> None:
    """For any decision."""
    said, _ = answered(
        native,
        stance=Stance.DENY,
        reason="no",
        for_agent=("a",),
        for_user=("u",),
        effects={"env": {"A": "1"}, "plugin_paths": ["/p"]},
    )

    assert set(said or {}) <= set(TABLE.row(native).reads)  # type: ignore[union-attr]


@pytest.mark.parametrize("native", ["preToolUse", "beforeReadFile", "subagentStart"])
def test_an_ask_is_lowered_at_an_event_that_cannot_ask(native: str) -> None:
    """It never becomes a denial, which no hook asked for."""
    assert answered(native, stance=Stance.ASK, reason="sure?") == (None, ["ask"])


def test_the_end_of_a_run_is_a_denial_here() -> None:
    """The host has no such effect."""
    assert answered("preToolUse", stance=Stance.HALT, reason="stop") == (
        {"permission": "deny", "user_message": "stop", "agent_message": "stop"},
        ["halt"],
    )


def test_feedback_after_a_tool_is_context() -> None:
    """The model reads it and goes on, as after a block (docs/formats/vocabulary.md 3)."""
    assert answered(
        "postToolUse", stance=Stance.DENY, reason="lint fails", for_agent=("see log",)
    ) == (
        {"additional_context": "lint fails\nsee log"},
        ["deny"],
    )


def test_an_output_is_rewritten_for_mcp_tools_only() -> None:
    """What a shell printed cannot be taken back, and that is said."""
    rewrite = Rewrite(target="output", value="x")

    assert answered("postToolUse", "MCP:q", rewrite=rewrite) == (
        {"updated_mcp_tool_output": "x"},
        [],
    )
    assert answered("postToolUse", "Shell", rewrite=rewrite) == (None, ["output"])


def test_a_follow_up_without_a_reason_has_words() -> None:
    """An empty message would let the agent stop."""
    assert answered("stop", stance=Stance.DENY) == (
        {"followup_message": "a hook wants the work to go on"},
        [],
    )


def test_a_refusal_with_a_user_message_is_not_repeated() -> None:
    """The agent gets the reason, and the user the user's message."""
    verdict = Verdict(hook_id="h", stance=Stance.DENY, reason="use pnpm", for_user="not now")
    shadow = verdict.replace(shadow=True)
    decided: dict[str, Any] = {
        "stance": Stance.DENY,
        "reason": "use pnpm",
        "for_user": ("not now",),
    }

    assert answered("preToolUse", **decided, verdicts=(verdict,))[0]["user_message"] == "not now"
    assert (
        answered("preToolUse", **decided, verdicts=(shadow,))[0]["user_message"]
        == "use pnpm\nnot now"
    )


def test_an_unknown_event_is_answered_with_nothing() -> None:
    """A newer host's event is only looked at."""
    cursor = Cursor()
    event = cursor.decode_event({}, "beforeTeleport")

    assert (
        cursor.encode_decision(
            Decision(kind=event.kind, dialect="cursor", native_event="beforeTeleport"), event
        ).stdout
        == ""
    )
