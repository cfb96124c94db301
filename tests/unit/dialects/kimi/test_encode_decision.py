"""Replies to Kimi, also for decisions of other dialects' hooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline import Engine, Event, Verdict
from hookline.dialects.kimi.table import TABLE, UNEXPLAINED
from hookline.model.verdict import Stance
from tests.unit.dialects.kimi.support import FIELDS

if TYPE_CHECKING:
    from hookline.model.verdict import Reply

CALL = {"hook_event_name": "PreToolUse", "session_id": "k", **FIELDS}


def told(native: str, verdict: Verdict) -> Reply:
    """The reply to Kimi for a Python hook that returns this."""
    engine = Engine()
    kind = TABLE.rows[native].kind

    @engine.on(kind)
    def hook(event: Event) -> Verdict:
        assert event.kind == kind
        return verdict

    return engine.answer("kimi", {**CALL, "hook_event_name": native})


@pytest.mark.parametrize("native", ["PreToolUse", "UserPromptSubmit", "Stop"])
def test_a_denial_is_a_deny_in_json(native: str) -> None:
    """Section 5; a denial without a reason is never without words."""
    reply = told(native, Verdict(stance=Stance.DENY))
    said = {
        "hookEventName": native,
        "permissionDecision": "deny",
        "permissionDecisionReason": UNEXPLAINED,
    }

    assert (reply.exit_code, reply.stderr, json.loads(reply.stdout)) == (
        0,
        "",
        {"hookSpecificOutput": said},
    )


@pytest.mark.parametrize(
    "native", [native for native, row in TABLE.rows.items() if row.blocks is Stance.SILENT]
)
def test_where_nothing_can_be_blocked_nothing_is_said(native: str) -> None:
    """Kimi ignores the result, or does not wait for it."""
    reply = told(native, Verdict(stance=Stance.DENY, reason="no"))

    assert (reply.stdout, reply.exit_code) == ("", 0)
    assert "answered `deny`" in reply.stderr


@pytest.mark.parametrize(
    "carried",
    [
        {"stance": Stance.ALLOW},
        {"for_agent": "context"},
        {"for_user": "note"},
    ],
)
def test_kimi_has_no_word_for_anything_else(carried: dict[str, Any]) -> None:
    """Other effects are left out, and Kimi's own permission prompt stays."""
    reply = told("PreToolUse", Verdict(**carried))

    assert (reply.stdout, reply.exit_code) == ("", 0)


def test_an_ask_becomes_a_denial() -> None:
    """Kimi would ignore it and make the call."""
    assert (
        '"permissionDecisionReason": "sure?"'
        in told("PreToolUse", Verdict(stance=Stance.ASK, reason="sure?")).stdout
    )


def test_a_halt_becomes_a_denial() -> None:
    """The strongest that can be said."""
    assert (
        '"permissionDecisionReason": "stop"'
        in told("PreToolUse", Verdict(stance=Stance.HALT, reason="stop")).stdout
    )
