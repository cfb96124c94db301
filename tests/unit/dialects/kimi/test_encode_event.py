"""Text of prompts and results."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.dialects.kimi import to_text
from hookline.model.event import Event, Prompt, ToolCall
from tests.unit.dialects.kimi.support import DIALECT, one_hook


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        ([], ""),
        (
            [
                {"type": "text", "text": "a"},
                {"type": "think", "think": "x"},
                {"type": "text", "text": "b"},
            ],
            "a b",
        ),
        ([{"type": "text", "text": 7}], ""),
        ([1, "a"], '[1, "a"]'),
        ({"stdout": "ü"}, '{"stdout": "ü"}'),
        (None, "null"),
    ],
)
def test_the_to_text_a_value(value: Any, text: str) -> None:
    """Parts that are text; of what is no list of parts, the JSON."""
    assert to_text(value) == text


def test_what_the_host_sent_is_kept() -> None:
    """The event's prompt is text; `raw` is the list of parts."""
    sent = {
        "hook_event_name": "UserPromptSubmit",
        "prompt": [{"type": "text", "text": "hi"}],
        "is_steer": False,
    }
    event = DIALECT.decode_event(sent)

    assert isinstance(event.body, Prompt)
    assert event.body.prompt == "hi"
    assert event.raw == sent


def test_an_event_of_another_host_is_sent_in_kimis_words() -> None:
    """No key of the other wire goes along."""
    body = ToolCall(
        tool="Bash", input={"command": "ls"}, call_id="u1", result={"stdout": "x" * 3000}
    )
    event = Event(
        kind="tool.after",
        dialect="claude-code",
        native_name="PostToolUse",
        session_id="s",
        cwd="/w",
        body=body,
        raw={"permission_mode": "plan"},
    )
    sent = DIALECT.encode_event(event, one_hook("PostToolUse"))

    assert sent.startswith(
        '{"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/w", "tool_name": "Bash", '
    )
    assert '"tool_call_id": "u1"}' in sent
    assert "permission_mode" not in sent
    assert len(sent) < 2300
