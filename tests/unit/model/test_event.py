"""Events: what is read of them, and what a rewrite makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.model.event import (
    Body,
    Compaction,
    Event,
    Generation,
    Lifecycle,
    Message,
    Prompt,
    Rewrite,
    Stop,
    ToolCall,
    diff_inputs,
)

if TYPE_CHECKING:
    from typing import Any

CALL = Event(
    kind="tool.before",
    body=ToolCall(tool="bash", input={"command": "ls", "depth": 1}, result="out"),
)


@pytest.mark.parametrize(
    ("body", "tool", "command", "text"),
    [
        (ToolCall(tool="bash", input={"command": "ls"}), "bash", "ls", ""),
        (ToolCall(tool="shell", input={"cmd": "ls"}), "shell", "ls", ""),
        (ToolCall(tool="x", input={"command": "a", "cmd": "b"}), "x", "a", ""),
        (ToolCall(tool="x", input={"command": ["ls"]}), "x", "", ""),
        (ToolCall(tool="x", input=None), "x", "", ""),
        (ToolCall(tool="x", input="ls"), "x", "", ""),
        (Prompt(prompt="hello"), "", "", "hello"),
        (Generation(response="said"), "", "", "said"),
        (Generation(response={"parts": []}), "", "", ""),
        (Message(text="note"), "", "", "note"),
        (Compaction(summary="short"), "", "", ""),
        (Stop(), "", "", ""),
        (Lifecycle(facts={"text": "x", "tool": "y"}), "", "", ""),
    ],
)
def test_an_event_tells_its_tool_command_and_text(
    body: Body, tool: str, command: str, text: str
) -> None:
    """Each is text, and empty where the event has none."""
    event = Event(kind="tool.before", body=body)

    assert (event.tool, event.command, event.text) == (tool, command, text)


def test_a_fact_is_an_attribute_or_an_entry() -> None:
    """Facts are found by canonical name wherever the body keeps them; what is not there is None."""
    body = ToolCall(tool="bash", facts={"duration": 3})

    assert (
        body.value("tool"),
        body.value("duration"),
        body.value("result"),
        body.value("nonsense"),
    ) == ("bash", 3, None, None)


@pytest.mark.parametrize(
    ("body", "rewrite", "expected"),
    [
        (
            CALL.body,
            Rewrite(target="input", value={"depth": 2}, merge=True),
            {"input": {"command": "ls", "depth": 2}},
        ),
        (CALL.body, Rewrite(target="input", value={"depth": 2}), {"input": {"depth": 2}}),
        (CALL.body, Rewrite(target="output", value="clean"), {"result": "clean"}),
        (
            ToolCall(tool="x", input="no object"),
            Rewrite(target="input", value={"a": 1}, merge=True),
            {"input": {"a": 1}},
        ),
        (Prompt(prompt="a"), Rewrite(target="text", value="b"), {"prompt": "b"}),
        (Generation(messages=["a"]), Rewrite(target="messages", value=[]), {"messages": []}),
        (Generation(response="a"), Rewrite(target="text", value="b"), {"response": "b"}),
        (Message(text="a"), Rewrite(target="text", value="b"), {"text": "b"}),
        (Compaction(), Rewrite(target="summary", value="b"), {"summary": "b"}),
    ],
)
def test_a_rewrite_changes_its_target(
    body: Body, rewrite: Rewrite, expected: dict[str, Any]
) -> None:
    """The body has the new value, and everything else as it was."""
    event = CALL.replace(body=body)
    after = event.apply_rewrite(rewrite)

    assert after == event.replace(body=body.replace(**expected))
    assert event.body == body


@pytest.mark.parametrize(
    ("body", "rewrite"),
    [
        (Prompt(prompt="a"), Rewrite(target="input", value={})),
        (Stop(), Rewrite(target="text", value="x")),
        (Lifecycle(), Rewrite(target="summary", value="x")),
        (CALL.body, Rewrite(target="nonsense", value="x")),
        (CALL.body, Rewrite(target="input", value=["no", "patch"], merge=True)),
    ],
)
def test_a_rewrite_of_nothing_changes_nothing(body: Body, rewrite: Rewrite) -> None:
    """Where the body has no such target, or a patch is no object, the event stays the very same."""
    event = CALL.replace(body=body)

    assert event.apply_rewrite(rewrite) is event


def test_what_the_host_sent_stays_as_it_was() -> None:
    """A rewrite is of the body; `raw` keeps the original beside it."""
    event = CALL.replace(raw={"tool_input": {"command": "ls"}})

    assert event.apply_rewrite(Rewrite(target="input", value={})).raw == {
        "tool_input": {"command": "ls"}
    }


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, {"b": 3}),
        ({"a": 1}, {"a": 1, "b": None}, {"b": None}),
        ({"a": 1, "b": 2}, {"a": 1}, {}),
        ({"a": {"x": 1}}, {"a": {"x": 2}}, {"a": {"x": 2}}),
        (None, {"a": 1}, {"a": 1}),
        ({"a": 1}, "text", "text"),
    ],
)
def test_a_patch_is_what_differs(before: Any, after: Any, difference: Any) -> None:
    """By top-level key; the whole of a value that is no object."""
    assert diff_inputs(before, after) == difference


@pytest.mark.parametrize(
    ("rewrite", "document"),
    [
        (
            Rewrite(target="input", value={"a": 1, "b": 2}, patch={"b": 2}),
            {"input": {"a": 1, "b": 2}, "patch": {"b": 2}},
        ),
        (Rewrite(target="text", value="x"), {"text": "x"}),
        (Rewrite(target="messages", value=[]), {"messages": []}),
        (Rewrite(target="output", value=None), {"output": None}),
        (Rewrite(target="summary", value="s"), {"summary": "s"}),
    ],
)
def test_a_rewrite_is_written_under_its_target(rewrite: Rewrite, document: dict[str, Any]) -> None:
    """One key, and beside an input the patch (docs/formats/hookline.md 7)."""
    assert rewrite.to_dict() == document
