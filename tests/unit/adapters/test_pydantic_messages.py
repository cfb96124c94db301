"""Messages of Pydantic AI as JSON, and back."""

from __future__ import annotations

import pytest
from pydantic_ai.messages import (
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    RetryInfo,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from hookline.adapters.pydantic_messages import messages_from_json, messages_to_json, to_json

HISTORY: list[ModelMessage] = [
    ModelRequest(parts=[SystemPromptPart("be kind"), UserPromptPart("list")], instructions="i"),
    ModelResponse(
        parts=[
            ThinkingPart("hm", signature="s"),
            TextPart("so:"),
            ToolCallPart("ls", '{"a": 1}', "1"),
        ],
        model_name="m",
    ),
    ModelRequest(
        parts=[
            ToolReturnPart("ls", {"files": ["x"]}, "1"),
            ToolReturnPart("ls", "again", "2", outcome="retried"),
            RetryFeedbackPart("be brief", retry=RetryInfo(cause="validation")),
        ]
    ),
    ModelResponse(parts=[TextPart("done")]),
    ModelRequest(parts=[UserPromptPart(["look", ImageUrl("https://a.example/x.png")])]),
]


def test_each_part_is_an_entry() -> None:
    """With its role; thinking and instructions are left out."""
    entries = messages_to_json(HISTORY)

    assert [entry["role"] for entry in entries] == [
        "system", "user", "assistant", "tool", "tool", "user", "assistant", "user",
    ]  # fmt: skip
    assert entries[2] == {
        "role": "assistant",
        "content": "so:",
        "tool_calls": [{"id": "1", "name": "ls", "input": {"a": 1}}],
    }
    assert entries[3] == {
        "role": "tool",
        "name": "ls",
        "tool_call_id": "1",
        "content": '{"files":["x"]}',
    }
    assert entries[7]["content"][0] == "look"
    assert "hm" not in str(entries)


def test_unchanged_entries_are_the_same_messages() -> None:
    """They keep what JSON does not show."""
    assert messages_from_json(messages_to_json(HISTORY), HISTORY) == HISTORY


def test_changed_entries_are_built_and_the_others_kept() -> None:
    """Wherever entries are removed, changed or added."""
    entries = messages_to_json(HISTORY)
    entries[1] = {"role": "user", "content": "LIST"}
    entries[6:] = [{"role": "assistant", "content": "ok"}, {"role": "user", "content": "go on"}]
    built = messages_from_json(entries, HISTORY)

    assert messages_to_json(built) == entries
    assert built[1:3] == HISTORY[1:3]
    first, original = built[0], HISTORY[0]
    assert isinstance(first, ModelRequest)
    assert isinstance(original, ModelRequest)
    assert (first.parts[0], first.instructions) == (original.parts[0], "i")


def test_entries_alone_are_messages() -> None:
    """What goes to a model is the same, without originals."""
    entries = messages_to_json(HISTORY)

    assert messages_to_json(messages_from_json(entries)) == entries


def test_an_entry_without_a_role_is_an_error() -> None:
    """It is not dropped."""
    with pytest.raises(ValueError, match="without a known role"):
        messages_from_json([{"role": "robot", "content": "x"}])


def test_any_value_is_json() -> None:
    """What JSON cannot express is text."""
    assert to_json({"a": {1}, "b": float("inf"), "c": object})["a"] == [1]
