"""How a scripted turn is written in the wire format of each model service."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hookline.model.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Json = dict[str, Any]
    Events = Iterator[tuple[str, Json]]  # name and data of each server-sent event


class Call(Frozen):
    """A tool call of the model, by the name and the input that the host's tool has.

    The input is a text where the tool takes no JSON.
    """

    tool: str
    input: dict[str, Any] | str
    id: str = "call_1"


class Turn(Frozen):
    """What the model says once: a text, and the calls that it makes."""

    text: str = ""
    calls: tuple[Call, ...] = ()


class Wire(Frozen):
    """One model service.

    `path`: the end of the address that the host asks. `events`: the stream of a turn. `whole`: the
    same turn without a stream.
    """

    path: str
    events: Callable[[Turn, str], Events]
    whole: Callable[[Turn, str], Json]
    end: str = ""  # the last line of a stream, if the service has one


# -- Anthropic: messages ---------------------------------------------------------------------------


def _anthropic_blocks(turn: Turn) -> list[Json]:
    texts = [{"type": "text", "text": turn.text}] if turn.text else []
    return texts + [
        {"type": "tool_use", "id": f"toolu_{call.id}", "name": call.tool, "input": call.input}
        for call in turn.calls
    ]


def _anthropic_whole(turn: Turn, model: str) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": _anthropic_blocks(turn),
        "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def _anthropic_events(turn: Turn, model: str) -> Events:
    whole = _anthropic_whole(turn, model)
    start = whole | {"content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": start}
    for index, block in enumerate(whole["content"]):
        at = {"index": index}
        if block["type"] == "text":
            empty, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            text = json.dumps(block["input"])
            empty, delta = block | {"input": {}}, {"type": "input_json_delta", "partial_json": text}
        yield "content_block_start", {"type": "content_block_start", "content_block": empty} | at
        yield "content_block_delta", {"type": "content_block_delta", "delta": delta} | at
        yield "content_block_stop", {"type": "content_block_stop"} | at
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": 10}
    yield "message_delta", {"type": "message_delta", "delta": stop, "usage": usage}
    yield "message_stop", {"type": "message_stop"}


# -- OpenAI: responses -----------------------------------------------------------------------------


def _responses_items(turn: Turn) -> list[Json]:
    said = {"type": "output_text", "text": turn.text, "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "content": [said]}
    return ([message] if turn.text else []) + [_responses_call(call) for call in turn.calls]


def _responses_call(call: Call) -> Json:
    named = {"id": f"fc_{call.id}", "call_id": call.id, "name": call.tool}
    if isinstance(call.input, str):
        return {"type": "custom_tool_call", "input": call.input, **named}
    return {"type": "function_call", "arguments": json.dumps(call.input), **named}


def _responses_whole(turn: Turn, model: str) -> Json:
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": model,
        "output": _responses_items(turn),
        "usage": usage,
    }


def _responses_events(turn: Turn, model: str) -> Events:
    whole = _responses_whole(turn, model)
    start = whole | {"status": "in_progress", "output": []}
    yield "response.created", {"type": "response.created", "response": start}
    for index, item in enumerate(whole["output"]):
        for name in ("response.output_item.added", "response.output_item.done"):
            yield name, {"type": name, "output_index": index, "item": item}
    yield "response.completed", {"type": "response.completed", "response": whole}


# -- OpenAI: chat completions ----------------------------------------------------------------------


def _chat_message(turn: Turn) -> Json:
    calls = [
        {
            "index": index,
            "id": call.id,
            "type": "function",
            "function": {"name": call.tool, "arguments": json.dumps(call.input)},
        }
        for index, call in enumerate(turn.calls)
    ]
    message: Json = {"role": "assistant", "content": turn.text or None}
    return message | ({"tool_calls": calls} if calls else {})


def _chat_answer(turn: Turn, model: str, key: str, kind: str) -> Json:
    choice = {
        "index": 0,
        key: _chat_message(turn),
        "finish_reason": "tool_calls" if turn.calls else "stop",
    }
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    base = {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model}
    return base | {"choices": [choice], "usage": usage}


def _chat_whole(turn: Turn, model: str) -> Json:
    return _chat_answer(turn, model, "message", "chat.completion")


def _chat_events(turn: Turn, model: str) -> Events:
    chunk = _chat_answer(turn, model, "delta", "chat.completion.chunk")
    choice = chunk["choices"][0]
    yield "", chunk | {"choices": [choice | {"finish_reason": None}], "usage": None}
    yield "", chunk | {"choices": [choice | {"delta": {}}]}


# -- Gemini: generateContent -----------------------------------------------------------------------


def _gemini_whole(turn: Turn, model: str) -> Json:
    parts: list[Json] = [{"text": turn.text}] if turn.text else []
    parts += [
        {"functionCall": {"id": call.id, "name": call.tool, "args": call.input}}
        for call in turn.calls
    ]
    candidate = {
        "index": 0,
        "content": {"role": "model", "parts": parts},
        "finishReason": "STOP",
    }
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model}


def _gemini_events(turn: Turn, model: str) -> Events:
    yield "", _gemini_whole(turn, model)


WIRES = (
    Wire(path="/v1/messages", events=_anthropic_events, whole=_anthropic_whole),
    Wire(path="/responses", events=_responses_events, whole=_responses_whole),
    Wire(path="/chat/completions", events=_chat_events, whole=_chat_whole, end="[DONE]"),
    Wire(path=":streamGenerateContent", events=_gemini_events, whole=_gemini_whole),
    Wire(path=":generateContent", events=_gemini_events, whole=_gemini_whole),
)
# What else hosts ask of a service, by the end of the path.
OTHER: Mapping[str, Json] = {
    "/count_tokens": {"input_tokens": 10},
    ":countTokens": {"totalTokens": 10},
    "/models": {"object": "list", "data": []},
}
