"""Conversation: the messages of pydantic-ai, for hooks, for files and for the loop."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic_ai.messages import (
    CompactionPart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    repair_messages,
)
from pydantic_ai_harness.compaction import estimate_context_tokens, estimate_token_count

if TYPE_CHECKING:
    from collections.abc import Iterator

Messages: TypeAlias = list[ModelMessage]


def make_user_message(text: str) -> ModelMessage:
    """Return a message of the person."""
    return ModelRequest(parts=[UserPromptPart(text)])


def make_reply_message(text: str) -> ModelMessage:
    """Return a message of the model."""
    return ModelResponse(parts=[TextPart(text)])


def write_conversation(messages: Messages) -> Any:
    """Return a conversation as JSON values, for a file."""
    return json.loads(ModelMessagesTypeAdapter.dump_json(messages))


def read_conversation(document: Any) -> Messages:
    """Return the conversation that `write_conversation` wrote.

    Raises:
        ValueError: it is none.
    """
    return ModelMessagesTypeAdapter.validate_python(document)


def drop_instructions(messages: Messages) -> Messages:
    """Return a conversation without the instructions, which each turn adds again."""
    return [
        replace(message, instructions=None)
        if isinstance(message, ModelRequest) and message.instructions is not None
        else message
        for message in messages
    ]


def repair_conversation(messages: Messages) -> Messages:
    """Return a conversation in which each tool call has a result."""
    return repair_messages(messages)


def estimate_tokens(messages: Messages) -> int:
    """Return about how many tokens a conversation has; what the model last counted, counts."""
    return estimate_context_tokens(messages)


def estimate_length(messages: Messages) -> int:
    """Return about how many tokens a conversation has that has become shorter since a count."""
    return estimate_token_count(messages)


def find_result(messages: Messages, call_id: str) -> str:
    """Return what the model reads of a tool call; empty if it has no result."""
    for message in reversed(messages):
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and part.tool_call_id == call_id:
                return part.model_response_str(wrap_if_error=False)
    return ""


def list_entries(messages: Messages) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what a person saw of a conversation: a kind, a text, and the input of a call.

    The kind is `person`, `reply`, `summary` or `call`; the text of a call is the name of its tool.
    """
    for message in messages:
        for part in message.parts:
            match part:
                case UserPromptPart(content=str(text)):
                    yield "person", text, {}
                case TextPart(content=text) if text:
                    yield "reply", text, {}
                case CompactionPart(content=str(text)):
                    yield "summary", text, {}
                case ToolCallPart(tool_name=name):
                    yield "call", name, read_arguments(part)


def find_summary(messages: Messages) -> str:
    """Return the last summary in a conversation; empty if there is none."""
    parts = (part for message in reversed(messages) for part in message.parts)
    found = next((part for part in parts if isinstance(part, CompactionPart)), None)
    return found.content or "" if found is not None else ""


def read_arguments(part: ToolCallPart) -> dict[str, Any]:
    """Return the arguments of a call; empty if they are no object."""
    try:
        return part.args_as_dict()
    except (ValueError, AssertionError):
        return {}
