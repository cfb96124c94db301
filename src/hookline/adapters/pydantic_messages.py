"""Messages of Pydantic AI as plain JSON, and back.

A message is `{role, content}`: of an assistant also `tool_calls`, a list of `{id, name, input}`; of
a tool also `name` and `tool_call_id`. The summary of a shortened conversation is a user's message
with the `name` `conversation_summary`. Instructions, thinking and a provider's own parts are not
shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookline.adapters.frameworks import make_missing_error

try:
    from pydantic import TypeAdapter
    from pydantic_ai.messages import (
        CompactionPart,
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_core import to_jsonable_python
except ImportError as error:
    raise make_missing_error("Pydantic AI", "pydantic-ai", error) from error

SUMMARY = "conversation_summary"

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from pydantic_ai.messages import ModelMessage, ModelRequestPart

    Entry: TypeAlias = dict[str, Any]


def to_json(value: Any) -> Any:
    """Return any value as JSON; what JSON cannot express becomes text."""
    return to_jsonable_python(value, serialize_unknown=True, inf_nan_mode="strings")


def messages_to_json(messages: Sequence[ModelMessage]) -> list[Entry]:
    """Return messages as plain JSON, one entry for each part that has a role."""
    return [entry for entry, _, _ in _list_entries(messages)]


def messages_from_json(
    entries: Sequence[Entry], originals: Sequence[ModelMessage] = ()
) -> list[ModelMessage]:
    """Return the messages that entries describe.

    An entry equal to one of `originals`, in their order, keeps what JSON does not show.

    Raises:
        ValueError: an entry is not a message.
    """
    known, at = _list_entries(originals), 0
    built: list[ModelMessage] = []
    source = -1  # the original of the request that is being built
    for entry in entries:
        found = next((index for index in range(at, len(known)) if known[index][0] == entry), -1)
        number = -2
        part: ModelResponse | list[ModelRequestPart]
        if found >= 0:
            at = found + 1
            _, number, part = known[found]
        else:
            part = _build(entry)
        if isinstance(part, ModelResponse):
            built.append(part)
            source = -1
            continue
        last = built[-1] if built else None
        if isinstance(last, ModelRequest) and number in (source, -2):
            built[-1] = replace(last, parts=[*last.parts, *part])
            continue
        original = originals[number] if number >= 0 else None
        if isinstance(original, ModelRequest):
            built.append(replace(original, parts=part))
        else:
            built.append(ModelRequest(parts=part))
        source = number
    return built


def _list_entries(
    messages: Sequence[ModelMessage],
) -> list[tuple[Entry, int, ModelResponse | list[ModelRequestPart]]]:
    """Return each entry, the number of its message, and what it was made of."""
    listed: list[tuple[Entry, int, ModelResponse | list[ModelRequestPart]]] = []
    for number, message in enumerate(messages):
        if isinstance(message, ModelResponse):
            listed.append((_show_response(message), number, message))
            continue
        hidden: list[ModelRequestPart] = []
        parts: list[ModelRequestPart] = hidden
        for part in message.parts:
            entry = _show_part(part)
            if entry is None:
                parts.append(part)  # goes where the part before it goes
                continue
            parts = [*hidden, part] if parts is hidden else [part]
            listed.append((entry, number, parts))
    return listed


def _show_response(message: ModelResponse) -> Entry:
    calls = [
        {"id": part.tool_call_id, "name": part.tool_name, "input": to_json(part.args_as_dict())}
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    entry: Entry = {"role": "assistant", "content": read_text(message)}
    return entry | ({"tool_calls": calls} if calls else {})


def read_text(message: ModelResponse) -> str:
    """Return the text of a response, without thinking."""
    return "".join(part.content for part in message.parts if isinstance(part, TextPart))


def _show_part(part: ModelRequestPart) -> Entry | None:
    # Kinds and not classes: releases differ in how they ask a model to try again.
    kind, about = part.part_kind, {}
    if name := getattr(part, "tool_name", None):
        about = {"name": name, "tool_call_id": getattr(part, "tool_call_id", "")}
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, UserPromptPart):
        return {"role": "user", "content": read_prompt(part.content)}
    if isinstance(part, ToolReturnPart):
        return {"role": "tool", **about, "content": part.model_response_str(wrap_if_error=False)}
    if isinstance(part, CompactionPart):
        return {"role": "user", "name": SUMMARY, "content": part.content or ""}
    if kind in ("retry-prompt", "retry-feedback"):
        content = getattr(part, "content", "")
        text = content if isinstance(content, str) else str(to_json(content))
        return {"role": "tool" if about else "user", **about, "content": text}
    return None


def read_prompt(content: Any) -> Any:
    """Return a prompt as text; as a list if it has more than texts."""
    if content is None or isinstance(content, str):
        return content or ""
    if all(isinstance(each, str) for each in content):
        return "\n".join(content)
    return to_json(content)


def _build(entry: Entry) -> ModelResponse | list[ModelRequestPart]:
    """Return the message or part that an entry describes."""
    content = entry.get("content") or ""
    match entry.get("role"):
        case "system":
            return [SystemPromptPart(content=str(content))]
        case "user" if entry.get("name") == SUMMARY:
            return [CompactionPart(content=str(content))]
        case "user":
            # Pictures and files are objects there.
            made: UserPromptPart = TypeAdapter(UserPromptPart).validate_python({"content": content})
            return [made]
        case "tool":
            name, call_id = str(entry.get("name", "")), str(entry.get("tool_call_id", ""))
            return [ToolReturnPart(tool_name=name, content=content, tool_call_id=call_id)]
        case "assistant":
            calls = [
                ToolCallPart(tool_name=call["name"], args=call["input"], tool_call_id=call["id"])
                for call in entry.get("tool_calls") or ()
            ]
            text = [TextPart(content=str(content))] if content or not calls else []
            return ModelResponse(parts=[*text, *calls])
    raise ValueError(f"a hook returned a message without a known role: {entry!r}")
