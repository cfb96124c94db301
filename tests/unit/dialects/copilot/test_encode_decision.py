"""A decision in Copilot's format, whichever hooks made it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.dialects.copilot import Copilot
from hookline.model.event import Event, Rewrite
from hookline.model.verdict import Decision, Stance

DIALECT = Copilot()


def said(native: str, **decision: Any) -> list[Any]:
    """The lines of the reply, each read as JSON."""
    kind = DIALECT.table.row(native).kind  # type: ignore[union-attr]  # the tests name known events
    reply = DIALECT.encode_decision(
        Decision(kind=kind, dialect="copilot", native_event=native, **decision),
        Event(kind=kind, native_name=native),
    )
    assert (reply.stderr, reply.exit_code) == ("", 0)
    return [json.loads(line) for line in reply.stdout.splitlines()]


@pytest.mark.parametrize("native", ["preToolUse", "PreToolUse"])
def test_both_keys_are_answered_alike(native: str) -> None:
    """The names of the output do not depend on the spelling."""
    assert said(native, stance=Stance.DENY, reason="no") == [
        {"permissionDecision": "deny", "permissionDecisionReason": "no"}
    ]


def test_an_event_is_known_by_its_kind_where_it_has_no_name() -> None:
    """A canonical event that a program raised."""
    decision = Decision(
        kind="stop", dialect="copilot", native_event="stop", stance=Stance.DENY, reason="go on"
    )

    assert json.loads(DIALECT.encode_decision(decision, Event(kind="stop")).stdout) == {
        "decision": "block",
        "reason": "go on",
    }


def test_a_result_that_is_no_text_is_its_json() -> None:
    """Another host's hook may have put an object there."""
    assert said("postToolUse", rewrite=Rewrite(target="output", value={"stdout": "é"})) == [
        {"modifiedResult": {"resultType": "success", "textResultForLlm": '{"stdout": "é"}'}}
    ]


@pytest.mark.parametrize("value", ["", None, 3])
def test_a_prompt_cannot_be_taken_away(value: Any) -> None:
    """The host refuses an empty one, so the user gets a notice instead."""
    (line,) = said("userPromptTransformed", rewrite=Rewrite(target="text", value=value))

    assert line["type"] == "progress"


def test_notes_come_first() -> None:
    """Each a progress line, in order, before the answer."""
    assert said("sessionStart", for_user=("one\ntwo", "three"), for_agent=("c",)) == [
        {"type": "progress", "message": "one\ntwo"},
        {"type": "progress", "message": "three"},
        {"additionalContext": "c"},
    ]
