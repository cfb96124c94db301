"""Items of the OpenAI Responses API as plain JSON messages, and back.

A message is `{role, content}`: of an assistant also `tool_calls`, a list of `{id, name, input}`; of
a tool also `tool_call_id`. Any other item, such as reasoning, is shown as it is.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    Item = dict[str, Any]


def items_to_json(items: Sequence[Any]) -> list[Item]:
    """Return one message for each item."""
    return [_show(_to_dict(item)) for item in items]


def items_from_json(entries: Sequence[Item], originals: Sequence[Any] = ()) -> list[Any]:
    """Return the items that messages describe; one that did not change is the item itself."""
    kept = list(zip(items_to_json(originals), originals, strict=True))
    built: list[Any] = []
    for entry in entries:
        at = next((index for index, (known, _) in enumerate(kept) if known == entry), None)
        if at is None:
            built += _build(entry)
        else:
            built.append(kept[at][1])
            del kept[: at + 1]
    return built


def read_text(output: Sequence[Any]) -> str:
    """Return the text of a model's output."""
    return "".join(
        str(part.get("text", ""))
        for item in map(_to_dict, output)
        if item.get("type") == "message"
        for part in item.get("content") or ()
    )


def replace_text(output: Sequence[Any], text: str) -> list[Any]:
    """Return a model's output with another text, of the SDK's own types."""
    from openai.types.responses import (  # noqa: PLC0415 - a package that the framework brings
        ResponseOutputMessage,
        ResponseOutputText,
    )

    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    message = ResponseOutputMessage(
        id="msg_hookline", type="message", role="assistant", status="completed", content=[part]
    )
    rest = [item for item in output if _to_dict(item).get("type") != "message"]
    return [message, *rest]


def _to_dict(item: Any) -> Item:
    if isinstance(item, dict):
        return item
    found: Item = item.model_dump(exclude_unset=True)
    return found


def _show(item: Item) -> Item:
    match item.get("type", "message"):
        case "message":
            return {"role": item.get("role", "user"), "content": _join(item.get("content"))}
        case "function_call":
            call = {
                "id": item["call_id"],
                "name": item["name"],
                "input": json.loads(item.get("arguments") or "{}"),
            }
            return {"role": "assistant", "content": "", "tool_calls": [call]}
        case "function_call_output":
            output = item.get("output")
            text = output if isinstance(output, str) else json.dumps(output, default=str)
            return {"role": "tool", "tool_call_id": item["call_id"], "content": text}
        case _:
            return item


def _join(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content or () if isinstance(part, dict))


def _build(entry: Item) -> list[Item]:
    if "role" not in entry:
        return [entry]
    if entry["role"] == "tool":
        call_id, output = entry["tool_call_id"], entry.get("content", "")
        return [{"type": "function_call_output", "call_id": call_id, "output": output}]
    calls = [
        {
            "type": "function_call",
            "call_id": call["id"],
            "name": call["name"],
            "arguments": json.dumps(call["input"]),
        }
        for call in entry.get("tool_calls") or ()
    ]
    text = [{"role": entry["role"], "content": entry.get("content", "")}]
    return (text if entry.get("content") or not calls else []) + calls
