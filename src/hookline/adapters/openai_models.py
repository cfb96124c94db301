"""Models of the OpenAI Agents SDK that ask hooks about each request, and what hooks see of it.

Hooks see the items of the Responses API as messages `{role, content}`: of an assistant also
`tool_calls`, a list of `{id, name, input}`; of a tool also `tool_call_id`. Any other item, such as
reasoning, is shown as it is.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agents import Model, ModelResponse
from agents.items import ItemHelpers
from agents.usage import Usage
from openai.types import responses

from hookline.adapters.answers import RunStoppedError
from hookline.adapters.frameworks import MOST_ATTEMPTS, build_messages
from hookline.adapters.openai_tools import CONTEXTS, STOPS, find_hooks, parse_input

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    Item = dict[str, Any]


class HookedModel(Model):  # type: ignore[misc]  # untyped without the framework
    """A model that asks hooks about each request; `model` may be a name."""

    def __init__(self, model: Any, provider: Any) -> None:
        self._model, self._provider = model, provider

    @property
    def inner(self) -> Any:
        if isinstance(self._model, str | None):
            self._model = self._provider.get_model(self._model)
        return self._model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    # What the base class has would hide what the model has.

    def get_retry_advice(self, request: Any) -> Any:
        return self.inner.get_retry_advice(request)

    async def close(self) -> None:
        await self.inner.close()

    async def _cleanup_on_run_end(self, owner: object) -> None:
        await self.inner._cleanup_on_run_end(owner)

    async def get_response(
        self, system_instructions: Any, input: Any, *rest: Any, **options: Any
    ) -> Any:
        given, output = await self._ask_before(input, rest, options)
        if output is not None:
            return ModelResponse(output=output, usage=Usage(), response_id=None)
        attempt = 0
        while True:
            attempt += 1
            is_last = attempt == MOST_ATTEMPTS
            try:
                response = await self.inner.get_response(
                    system_instructions, given, *rest, **options
                )
            except Exception as error:  # noqa: BLE001 - raised again, unless a hook wants a retry
                await self._wait_after(error, is_last=is_last)
                continue
            given, output = await self._ask_after(
                given, response.output, response.usage, is_last=is_last
            )
            if output is not None:
                return replace(response, output=output)

    async def stream_response(
        self, system_instructions: Any, input: Any, *rest: Any, **options: Any
    ) -> AsyncIterator[Any]:
        """Do the same for a stream, in which only the last event can still be changed."""
        given, output = await self._ask_before(input, rest, options)
        if output is not None:
            yield _complete(output)
            return
        attempt = 0
        while output is None:
            attempt += 1
            is_last = attempt == MOST_ATTEMPTS
            done: list[Any] = []
            has_begun = False
            try:
                async for event in self.inner.stream_response(
                    system_instructions, given, *rest, **options
                ):
                    has_begun = True
                    if event.type == "response.output_item.done":
                        done.append(event.item)
                    if event.type != "response.completed":
                        yield event
                        continue
                    response = event.response
                    given, output = await self._ask_after(
                        given, response.output or done, response.usage, is_last=is_last
                    )
                    if output is not None:
                        changed = response.model_copy(update={"output": output})
                        yield event.model_copy(update={"response": changed})
            except RunStoppedError:
                raise
            except Exception as error:  # noqa: BLE001 - raised again, unless a hook wants a retry
                await self._wait_after(error, is_last=has_begun or is_last)

    @property
    def _name(self) -> str:
        return str(getattr(self.inner, "model", "") or type(self.inner).__name__)

    async def _ask_before(self, given: Any, rest: Any, options: Any) -> tuple[Any, Any]:
        """Return the items to send, and a hook's output in the place of the model's."""
        hooks = find_hooks()
        if (stopped := STOPS.pop(hooks, None)) is not None:
            raise stopped
        items = ItemHelpers.input_to_new_input_list(given)
        tools = rest[1] if len(rest) > 1 else options.get("tools", ())
        names = [tool.name for tool in tools]
        answer = await hooks.before_model(self._name, items_to_json(items), names)
        if answer.messages is not None:
            items = items_from_json(answer.messages, items)
        output = None if answer.response is None else replace_text([], str(answer.response))
        return [*items, *make_context((*CONTEXTS.get(hooks, ()), *answer.context))], output

    async def _ask_after(
        self, given: Any, output: Sequence[Any], usage: Any, *, is_last: bool
    ) -> tuple[Any, Any]:
        """Return the output to use; or None, and the items to send instead."""
        text = read_text(output)
        names = ("input_tokens", "output_tokens", "total_tokens")
        counts = {name: getattr(usage, name, 0) for name in names}
        answer = await find_hooks().after_model(self._name, text, counts, is_last=is_last)
        if answer.refusal:
            feedback = {"role": "user", "content": answer.refusal}
            return [*given, {"role": "assistant", "content": text}, feedback], None
        if answer.response == text:
            return given, output
        return given, replace_text(output, str(answer.response))

    async def _wait_after(self, error: Exception, *, is_last: bool) -> None:
        """Report a failed request, and raise its error unless a hook wants it repeated."""
        seconds = await find_hooks().model_error(self._name, error)
        if seconds is None or is_last:
            raise error
        await asyncio.sleep(seconds)


def _complete(output: Any) -> Any:
    """Return the event that ends a stream with this output."""
    response = responses.Response(
        id="resp_hookline",
        created_at=0,
        model="hookline",
        object="response",
        output=output,
        parallel_tool_calls=False,
        tool_choice="none",
        tools=[],
    )
    return responses.ResponseCompletedEvent(
        type="response.completed", response=response, sequence_number=0
    )


# -- items -------------------------------------------------------------------------------------


def items_to_json(items: Sequence[Any]) -> list[Item]:
    """Return one message for each item."""
    return [_show(_to_dict(item)) for item in items]


def items_from_json(entries: Sequence[Item], originals: Sequence[Any] = ()) -> list[Any]:
    """Return the items that messages describe; one that did not change is the item itself."""
    return build_messages(entries, items_to_json(originals), originals, _build)


def read_text(output: Sequence[Any]) -> str:
    """Return the text of a model's output."""
    messages = (item for item in map(_to_dict, output) if item.get("type") == "message")
    return "".join(_join(item.get("content")) for item in messages)


def replace_text(output: Sequence[Any], text: str) -> list[Any]:
    """Return a model's output with another text, of the SDK's own types."""
    part = responses.ResponseOutputText(text=text, type="output_text", annotations=[])
    message = responses.ResponseOutputMessage(
        id="msg_hookline", type="message", role="assistant", status="completed", content=[part]
    )
    return [message, *(item for item in output if _to_dict(item).get("type") != "message")]


def replace_prompt(item: Any, text: str) -> Item:
    """Return a prompt with another text, and with the pictures and files that it has."""
    content = _to_dict(item)["content"]
    parts = [] if isinstance(content, str) else content
    others = [part for part in parts if part.get("type") != "input_text"]
    new = [{"type": "input_text", "text": text}, *others] if others else text
    return {"role": "user", "content": new}


def make_context(texts: Sequence[str]) -> list[Item]:
    return [{"role": "developer", "content": each} for each in texts]


def _to_dict(item: Any) -> Item:
    found: Item = item if isinstance(item, dict) else item.model_dump(exclude_unset=True)
    return found


def _show(item: Item) -> Item:
    match item.get("type", "message"):
        case "message":
            return {"role": item.get("role", "user"), "content": _join(item.get("content"))}
        case "function_call":
            given = parse_input(item.get("arguments") or "")
            call = {"id": item["call_id"], "name": item["name"], "input": given}
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
    """Return the items of a message that a hook wrote."""
    if "role" not in entry:
        return [entry]
    content = entry.get("content", "")
    if entry["role"] == "tool":
        call_id = entry["tool_call_id"]
        return [{"type": "function_call_output", "call_id": call_id, "output": content}]
    calls = [
        {
            "type": "function_call",
            "call_id": call["id"],
            "name": call["name"],
            "arguments": json.dumps(call["input"]),
        }
        for call in entry.get("tool_calls") or ()
    ]
    text = [{"role": entry["role"], "content": content}] if content or not calls else []
    return text + calls
