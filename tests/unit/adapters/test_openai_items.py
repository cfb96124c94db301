"""Items of the OpenAI Responses API as JSON messages, and back."""

from __future__ import annotations

from typing import Any

from hookline.adapters.openai_items import items_from_json, items_to_json, read_text

ITEMS: list[Any] = [
    {"role": "user", "content": [{"type": "input_text", "text": "list"}]},
    {"type": "reasoning", "id": "r1", "summary": []},
    {"type": "function_call", "call_id": "1", "name": "ls", "arguments": '{"a": 1}', "id": "f1"},
    {"type": "function_call_output", "call_id": "1", "output": "x"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
]


def test_each_item_is_a_message() -> None:
    """With its role; what is no message stays as it is."""
    assert items_to_json(ITEMS) == [
        {"role": "user", "content": "list"},
        ITEMS[1],
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "1", "name": "ls", "input": {"a": 1}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "x"},
        {"role": "assistant", "content": "done"},
    ]


def test_unchanged_messages_are_the_same_items() -> None:
    """Only what a hook changed or added is built."""
    entries = items_to_json(ITEMS)
    assert items_from_json(entries, ITEMS) == ITEMS

    entries[3] = entries[3] | {"content": "***"}
    entries.append({"role": "user", "content": "go on"})
    built = items_from_json(entries, ITEMS)

    output = {"type": "function_call_output", "call_id": "1", "output": "***"}
    assert built == [*ITEMS[:3], output, ITEMS[4], {"role": "user", "content": "go on"}]


def test_messages_alone_are_items() -> None:
    """What goes to a model is the same, without originals."""
    entries = items_to_json(ITEMS)
    assert items_to_json(items_from_json(entries)) == entries


def test_the_text_of_an_output_is_that_of_its_messages() -> None:
    """Calls and reasoning are no text."""
    assert read_text(ITEMS[1:]) == "done"
