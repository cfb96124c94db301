"""Agent: an agent of pydantic-ai, and its turns.

A turn is one call of the model and the tools that it asks for. Each turn is a run of pydantic-ai
that ends there, so that between turns a conversation is a plain list.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ToolFailed,
    ToolFailedError,
    ToolRetryError,
)
from pydantic_ai.messages import (
    InstructionPart,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
    repair_messages,
)
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai_harness.compaction import (
    SlidingWindowCompaction,
    SummarizingCompaction,
    compact_now,
    resolve_context_window,
)

from hookline.adapters.pydantic_ai import validate_input
from hookline.adapters.pydantic_messages import messages_from_json, messages_to_json
from hookline.host.framework.conversation import drop_instructions, read_arguments
from hookline.host.framework.models import close_model
from hookline.host.framework.tools import is_read_only
from hookline.host.tool_call import ToolCall
from hookline.host.turns import HookStop, ModelError, Reply, ToolError, ToolResult

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from pydantic_ai import CallToolsNode, ModelRequestNode
    from pydantic_ai.models import Model, ModelRequestContext, ModelRequestParameters
    from pydantic_ai.run import AgentRun
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import RunContext, ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset

    from hookline.host.framework.conversation import Messages
    from hookline.host.turns import Gate

# What servers say of a conversation that is too long, beside the errors that the framework knows.
_OVERFLOW = (
    "context length", "context size", "context window", "input is too long", "too many tokens",
)  # fmt: skip
_TOO_LARGE = 413  # the same as an HTTP status
_KEPT_MESSAGES = 4  # of the end of a conversation, by a compaction


class _Hooks(AbstractCapability["Gate"]):
    """Asks the gate of the turn before a model call, and around each tool call."""

    async def before_model_request(
        self, ctx: RunContext[Gate], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        gate = ctx.deps
        messages = request_context.messages
        changed = await gate.check_messages(messages_to_json(messages))
        if changed is not None:
            request_context.messages = _read_messages(changed, messages)
        parameters = request_context.model_request_parameters
        added = [InstructionPart(content=text, dynamic=True) for text in gate.contexts]
        parameters.instruction_parts = [*(parameters.instruction_parts or []), *added]
        return request_context

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Gate],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Callable[[dict[str, Any]], Any],
    ) -> Any:
        asked = _make_call(call, tool_def)
        sent = asked.arguments or {}

        async def run(given: dict[str, Any]) -> ToolResult:
            try:
                value = await handler(args if given == sent else validate_input(ctx, call, given))
            except (ToolFailed, ModelRetry) as error:
                return ToolResult(text=error.message, failed=True)
            except ToolFailedError as error:
                return ToolResult(text=_write_part(error.tool_failed), failed=True)
            except ToolRetryError as error:
                return ToolResult(text=str(error), failed=True)
            except ToolError as error:
                return ToolResult(text=str(error), failed=True)
            except Exception as error:  # noqa: BLE001 - a tool may raise anything
                return ToolResult(text=f"{type(error).__name__}: {error}", failed=True)
            return ToolResult(text=_write_value(value), value=value)

        result = await ctx.deps.run_call(asked, run)
        if result.failed:
            raise ToolFailed(result.text)
        return result.text if result.value is None else result.value


class _AskedModel(WrapperModel):
    """A model that asks a gate before each call, and keeps its replies."""

    def __init__(self, model: Model, gate: Gate) -> None:
        super().__init__(model)
        self.replies: list[Reply] = []
        self._gate = gate

    async def request(
        self,
        messages: Messages,
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        changed = await self._gate.check_messages(messages_to_json(messages))
        if changed is not None:
            messages = _read_messages(changed, messages)
        response = await self.wrapped.request(messages, model_settings, model_request_parameters)
        self.replies.append(_make_reply(response))
        return response


class HostAgent:
    """An agent of pydantic-ai whose turns are asked about; enter it to open its tools."""

    def __init__(
        self,
        model: Model,
        *,
        instruction: str,
        toolsets: Sequence[AbstractToolset[Any]],
        capabilities: Sequence[AbstractCapability[Any]],
        context_limit: int = 0,
        summary_model: Model | None = None,
    ) -> None:
        self.model = model
        self._summary_model = summary_model or model
        # A script has its whole text at once.
        listed = model.models if isinstance(model, FallbackModel) else [model]
        self.streams = not any(isinstance(each, FunctionModel) for each in listed)
        self.context_limit = context_limit or resolve_context_window(model) or 0
        self._agent: Agent[Gate, str] = Agent(
            model,
            instructions=instruction or None,
            toolsets=toolsets,
            capabilities=[_Hooks(), *capabilities],
        )

    async def __aenter__(self) -> Self:
        await self._agent.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._agent.__aexit__(*error)
        for model in (self.model, self._summary_model):
            await close_model(model)

    @asynccontextmanager
    async def open_turn(self, messages: Messages, gate: Gate) -> AsyncIterator[Turn]:
        """Begin a turn of a conversation whose last message is not the model's."""
        async with self._agent.iter(None, message_history=messages, deps=gate) as run:
            yield Turn(self, run, messages)

    async def trim(self, messages: Messages, most: int) -> Messages:
        """Return the last messages of a conversation, about so many; 0 for all.

        A result of a tool is not parted from its call.
        """
        if not most or len(messages) <= most:
            return messages
        strategy: SlidingWindowCompaction[None] = SlidingWindowCompaction(
            max_messages=1, keep_messages=most, preserve_first_user_message=False
        )
        return await compact_now(strategy, messages, model=self.model)

    async def summarise(
        self, messages: Messages, gate: Gate, *, focus: str, summary: str = ""
    ) -> tuple[Messages, list[Reply]]:
        """Return a conversation with a summary in the place of its older messages.

        The conversation itself if there is nothing to shorten. And the replies of the model that
        wrote the summary; the gate is asked before each. `focus`: what the model is told to keep.
        `summary`: the text itself, without a model call.

        Raises:
            ModelError: there is no summary.
            HookStop: as the gate.
        """
        strategy: SummarizingCompaction[None] = SummarizingCompaction(
            max_messages=1, keep_messages=_KEPT_MESSAGES
        )
        asked = _AskedModel(self._summary_model, gate)
        model: Model = asked
        if summary:
            model = FunctionModel(lambda *_: ModelResponse(parts=[TextPart(summary)]))
        strategy = replace(strategy, model=model)
        try:
            short = await compact_now(strategy, messages, model=model, focus=focus or None)
        except AgentRunError as error:
            raise ModelError(_describe(error)) from error
        return short, asked.replies


class Turn:
    """One call of the model, and then the tools that it asked for.

    `messages`: the conversation as far as it is valid to continue it.
    """

    def __init__(self, agent: HostAgent, run: AgentRun[Gate, str], messages: Messages) -> None:
        self.messages = messages
        self._agent = agent
        self._run = run
        self._tools: CallToolsNode[Gate, str] | None = None

    async def ask_model(self, on_text: Callable[[str], None] | None = None) -> Reply:
        """Return the model's reply; `on_text` gets its parts while it arrives.

        Raises:
            ModelError: there is none.
            HookStop: as the gate.
        """
        node: Any = self._run.next_node
        try:
            while not Agent.is_model_request_node(node):
                node = await self._run.next(node)
            if on_text is not None and self._agent.streams:
                await self._stream(node, on_text)
            node = await self._run.next(node)
            while Agent.is_model_request_node(node):  # the framework asks again, about the reply
                node = await self._run.next(node)
        except HookStop:
            raise
        except Exception as error:  # of a model, and of a server that lists its tools
            raise ModelError(_describe(error), overflow=_is_overflow(error)) from error
        if not Agent.is_call_tools_node(node):
            raise ModelError("the model gave no reply")
        self._tools = node
        self.messages = drop_instructions(self._run.all_messages())
        response = node.model_response
        if _broke_off(response):
            raise ModelError("the answer broke off before the model was done")
        if on_text is not None and response.text and not self._agent.streams:
            on_text(response.text)
        return _make_reply(response)

    async def _stream(
        self, node: ModelRequestNode[Gate, str], on_text: Callable[[str], None]
    ) -> None:
        async with node.stream(self._run.ctx) as events:
            async for event in events:
                match event:
                    case PartStartEvent(part=TextPart(content=text)) if text:
                        on_text(text)
                    case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                        on_text(text)

    async def use_tools(self) -> bool:
        """Run the tools that the reply asked for; return whether the model has to read results."""
        assert self._tools is not None  # noqa: S101 - the model was asked before
        try:
            node: Any = await self._run.next(self._tools)
        except BaseException as error:
            # Some calls have no result.
            self.messages = drop_instructions(repair_messages(list(self._run.all_messages())))
            if isinstance(error, AgentRunError):
                raise ModelError(str(error)) from error
            raise
        has_results = Agent.is_model_request_node(node)
        results = [node.request] if has_results else []
        self.messages = drop_instructions([*self._run.all_messages(), *results])
        return has_results


def _read_messages(entries: list[dict[str, Any]], originals: Messages) -> Messages:
    """Return the messages of a hook.

    Raises:
        HookStop: they are none, or end with a reply. The call could have sent what a hook removed.
    """
    try:
        messages = messages_from_json(entries, originals)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise HookStop(f"a hook returned messages that cannot be read: {error}") from None
    if not messages or not isinstance(messages[-1], ModelRequest):
        raise HookStop("a hook returned messages that end with a reply of the model")
    return messages


def _broke_off(response: ModelResponse) -> bool:
    """Return whether an answer of Anthropic has no end; `ChatModel` sees that of the others."""
    reason = response.finish_reason or (response.provider_details or {}).get("finish_reason")
    return response.provider_name == "anthropic" and not reason


def _make_reply(response: ModelResponse) -> Reply:
    return Reply(
        text=response.text or "",
        calls=tuple(
            ToolCall(tool=part.tool_name, arguments=read_arguments(part), call_id=part.tool_call_id)
            for part in response.tool_calls
        ),
        usage=_count_tokens(response),
        cost=_price(response),
    )


def _make_call(part: ToolCallPart, definition: ToolDefinition) -> ToolCall:
    facts = definition.metadata or {}
    hints = facts.get("annotations") or {}
    return ToolCall(
        tool=part.tool_name,
        arguments=read_arguments(part),
        call_id=part.tool_call_id,
        category=str(facts.get("category", "")),
        read_only=is_read_only(definition),
        destructive=bool(hints.get("destructiveHint", False)),
        managed=bool(facts.get("managed", False)),
    )


def _write_value(value: Any) -> str:
    return value if isinstance(value, str) else _write_part(ToolReturnPart("", value))


def _write_part(part: ToolReturnPart) -> str:
    return part.model_response_str(wrap_if_error=False)


def _count_tokens(response: ModelResponse) -> dict[str, int]:
    usage = response.usage
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_input_tokens": usage.cache_read_tokens,
        "cached_write_tokens": usage.cache_write_tokens,
    }


def _price(response: ModelResponse) -> float | None:
    try:
        return float(response.cost().total_price)
    except (AssertionError, LookupError, ValueError):
        return None


def _describe(error: Exception) -> str:
    """Return what an error says, and each error in it."""
    if isinstance(error, ExceptionGroup):
        return "; ".join(map(_describe, error.exceptions))
    if isinstance(error, ModelHTTPError):
        said = f"`{error.model_name}` answered with status {error.status_code}"
        hints = (f"did you mean `{error.suggested_model_id}`?" if error.suggested_model_id else "",
                 error.hint)  # fmt: skip
        return ": ".join((said, *filter(None, (_read_message(error.body), *hints))))
    return str(error) or type(error).__name__


def _read_message(body: object) -> str:
    """Return what the body of a provider's error says, in the form of OpenAI or of Anthropic."""
    inner = body.get("error", body) if isinstance(body, dict) else body
    message = inner.get("message") if isinstance(inner, dict) else None
    return str(message or inner or "")


def _is_overflow(error: Exception) -> bool:
    if isinstance(error, ExceptionGroup):
        return any(map(_is_overflow, error.exceptions))
    if isinstance(error, ModelContextWindowExceededError):
        return True
    if isinstance(error, ModelHTTPError) and error.status_code == _TOO_LARGE:
        return True
    text = str(error).lower()
    return any(mark in text for mark in _OVERFLOW)
