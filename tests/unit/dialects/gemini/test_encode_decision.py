"""Replies to Gemini for decisions of other dialects' hooks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.dialects.gemini import Gemini
from hookline.model.event import Rewrite
from hookline.model.verdict import Decision, Reply, Stance

DIALECT = Gemini()


def told(native: str, **decided: Any) -> dict[str, Any]:
    """The object that the host reads."""
    event = DIALECT.decode_event(
        {"hook_event_name": native, "tool_name": "glob", "tool_input": {"pattern": "*"}}
    )
    reply = DIALECT.encode_decision(
        Decision(kind=event.kind, dialect="gemini", native_event=native, **decided), event
    )
    said: dict[str, Any] = json.loads(reply.stdout or "{}")
    return said


def test_a_text_in_the_place_of_a_reply_becomes_a_candidate() -> None:
    """Other dialects rewrite replies as texts."""
    said = told("AfterModel", rewrite=Rewrite(target="text", value="[redacted]"))

    assert said["hookSpecificOutput"]["llm_response"]["candidates"][0]["content"] == {
        "role": "model",
        "parts": ["[redacted]"],
    }


@pytest.mark.parametrize(
    ("tools", "config"),
    [
        (
            {"allowedFunctionNames": ["b", "a", "b"]},
            {"mode": "AUTO", "allowedFunctionNames": ["a", "b"]},
        ),
        (
            {"mode": "NONE", "allowedFunctionNames": ["a"]},
            {"mode": "NONE", "allowedFunctionNames": []},
        ),
    ],
)
def test_a_choice_of_tools_is_sorted_and_whole(
    tools: dict[str, Any], config: dict[str, Any]
) -> None:
    """So that equal choices are equal texts."""
    assert (
        told("BeforeToolSelection", effects={"tools": tools})["hookSpecificOutput"]["toolConfig"]
        == config
    )


def test_an_input_that_did_not_change_is_not_sent() -> None:
    """An empty patch says nothing."""
    assert (
        told("BeforeTool", rewrite=Rewrite(target="input", value={"pattern": "*"}, patch={})) == {}
    )


def test_an_allow_has_no_word() -> None:
    """Silence is allow (docs/formats/comparison.md 5)."""
    assert told("BeforeTool", stance=Stance.ALLOW, reason="fine") == {}


def test_an_unknown_event_gets_the_fields_of_every_event() -> None:
    """A refusal and a message stand at the top of every output."""
    event = DIALECT.decode_event({"hook_event_name": "BeforeSubagent"})
    decision = Decision(
        kind=event.kind, dialect="gemini", native_event="BeforeSubagent", for_user=("hi",)
    )

    assert DIALECT.encode_decision(decision, event) == Reply(stdout='{"systemMessage": "hi"}\n')
