"""Pydantic AI: a capability that asks an engine's hooks about each moment of a run.

agent = Agent(model, capabilities=[HooksCapability(engine)])

`run()`, `iter()` and `run_stream_events()` ask every hook. `run_stream()` never asks stop hooks,
because Pydantic AI leaves that moment out there.
"""

from __future__ import annotations

import asyncio
import copy
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookline.adapters.agent_hooks import AgentHooks
from hookline.adapters.agent_sessions import RUNNING, AgentSessions
from hookline.adapters.answers import RunStoppedError
from hookline.adapters.frameworks import MOST_ATTEMPTS, make_missing_error
from hookline.engine.engine import Engine

try:
    from pydantic_ai import RunContext, exceptions
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.capabilities.abstract import CapabilityOrdering
    from pydantic_ai.exceptions import (
        ApprovalRequired,
        ModelRetry,
        SkipModelRequest,
        SkipToolExecution,
        ToolFailed,
        ToolFailedError,
        ToolRetryError,
        UsageLimitExceeded,
    )
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturn,
    )
    from pydantic_ai.tools import (
        DeferredToolRequests,
        DeferredToolResults,
        ToolApproved,
        ToolDenied,
    )
    from pydantic_core import ValidationError
    from pydantic_graph import End
except ImportError as error:
    raise make_missing_error("Pydantic AI", "pydantic-ai", error) from error

from hookline.adapters.pydantic_messages import (
    messages_from_json,
    messages_to_json,
    read_prompt,
    read_text,
    to_json,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from pydantic_ai.messages import ModelMessage, ModelResponsePart
    from pydantic_ai.models import ModelRequestContext

    from hookline.adapters.agent_hooks import Ask, Notify

__all__ = ["HooksCapability", "messages_from_json", "messages_to_json"]

# Absent before 2.64; a failed request is only reported there.
_RETRY: type[Exception] | None = getattr(exceptions, "RetryModelRequest", None)


class HooksCapability(AbstractCapability[Any]):
    """Asks hooks about prompts, model requests, tool calls and stops of a Pydantic AI agent.

    Args:
        engine: whose hooks are asked. A conversation of Pydantic AI is a session.
        ask: asks a person about a call.
        notify: receives texts for the user.
        tools: the agent's name of a tool -> its name for hooks, such as `shell`.
        defers: a question that is not answered ends the run with `DeferredToolRequests`, which must
            be an output type of the agent; otherwise it refuses the call.

    A refused prompt or model request, and a hook that ends the run, raise `RunStoppedError`. An
    agent with this capability that runs inside a tool of another counts as its sub-agent.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        ask: Ask | None = None,
        notify: Notify | None = None,
        tools: Mapping[str, str] | None = None,
        defers: bool = False,
    ) -> None:
        self._sessions = AgentSessions(engine, ask=ask, notify=notify, tools=tools)
        self._defers = defers
        self._hooks: AgentHooks  # of one run
        self._reset()

    def _reset(self) -> None:
        self._contexts: list[tuple[int, str]] = []  # after how many messages, text
        self._started: dict[str, float] = {}  # calls that run, and when they began
        self._left: set[str] = set()  # calls whose question the caller answers

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return None: an engine cannot be written into a file."""
        return None

    def get_ordering(self) -> CapabilityOrdering:
        """Return the innermost place: no other capability changes what the hooks have seen."""
        return CapabilityOrdering(position="innermost")

    async def for_run(self, ctx: RunContext[Any]) -> Self:
        """Return a copy with the state of one run."""
        run = copy.copy(self)
        run._reset()
        parent = RUNNING.get()
        if parent is not None:
            agent = ctx.agent
            run._hooks = parent.child(ctx.run_id or "", (agent.name if agent else "") or "")
        else:
            run._hooks = self._sessions.find(ctx.conversation_id or ctx.run_id or "")
        return run

    async def end_sessions(self, reason: str = "") -> None:
        """Report the end of every session that this capability began."""
        await self._sessions.end(reason)

    # -- run and prompt ------------------------------------------------------------------------

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        """Run it as the parent of what it starts, and report an error at its end."""
        if self._hooks.is_same_run(RUNNING.get()):
            self._hooks = AgentHooks(Engine())  # no hooks: the agent has this capability twice
            return await handler()
        token = RUNNING.set(self._hooks)
        try:
            return await handler()
        except RunStoppedError:
            raise
        except UsageLimitExceeded as error:
            await self._hooks.limit_reached(str(error))
            raise
        except Exception as error:
            await self._hooks.run_failed(error)
            raise
        finally:
            RUNNING.reset(token)

    async def before_node_run(self, ctx: RunContext[Any], *, node: Any) -> Any:
        """Ask about the prompt, which begins a run."""
        if not hasattr(node, "user_prompt") or node.user_prompt is None:
            return node
        text = read_prompt(node.user_prompt)
        text = text if isinstance(text, str) else _join_texts(text)
        answer = await self._hooks.begin_turn(text)
        self._add_context(len(ctx.messages), answer.context)
        if answer.text != text:
            rest = node.user_prompt if not isinstance(node.user_prompt, str) else ()
            others = [each for each in rest if not isinstance(each, str)]
            node.user_prompt = [answer.text, *others] if others else answer.text
        return node

    async def after_node_run(self, ctx: RunContext[Any], *, node: Any, result: Any) -> Any:
        """Ask before the run ends; a hook may send the agent back to work."""
        if not isinstance(result, End):
            return result
        output = result.data.output
        if isinstance(output, DeferredToolRequests):
            return result
        told = await self._hooks.stop(output if isinstance(output, str) else to_json(output))
        if told:
            ctx.enqueue(told)
        return result

    # -- model ---------------------------------------------------------------------------------

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Ask about a request, and add what hooks told the model in this run."""
        messages = self._insert_contexts(request_context.messages)
        shown = messages_to_json(messages)
        tools = [tool.name for tool in request_context.model_request_parameters.function_tools]
        model = request_context.model.model_name
        answer = await self._hooks.before_model(model, shown, tools)
        if answer.response is not None:
            text = answer.response if isinstance(answer.response, str) else str(answer.response)
            raise SkipModelRequest(ModelResponse(parts=[TextPart(content=text)]))
        if answer.messages is not None:
            messages = messages_from_json(answer.messages, messages)
        if answer.context:
            self._add_context(len(ctx.messages) - 1, answer.context)
            messages = _insert(messages, len(messages) - 1, answer.context)
        request_context.messages = messages
        return request_context

    async def after_model_request(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """Ask about the model's answer."""
        text, model = read_text(response), request_context.model.model_name
        answer = await self._hooks.after_model(model, text, to_json(response.usage))
        if answer.refusal:
            raise ModelRetry(answer.refusal)
        if answer.response == text:
            return response
        return replace(response, parts=_replace_text(response.parts, str(answer.response)))

    async def on_model_request_error(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,
        error: Exception,
    ) -> ModelResponse:
        """Report a failed request; a hook may have it repeated, where Pydantic AI can."""
        seconds = await self._hooks.model_error(request_context.model.model_name, error)
        attempt = getattr(request_context, "attempt", MOST_ATTEMPTS)
        if seconds is not None and _RETRY is not None and attempt < MOST_ATTEMPTS:
            await asyncio.sleep(seconds)
            raise _RETRY
        raise error

    # -- tools ---------------------------------------------------------------------------------

    async def before_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: Any,
        args: dict[str, Any],
    ) -> dict[str, Any]:
        """Ask about a call before it runs."""
        given, call_id = to_json(args), call.tool_call_id
        answer = await self._hooks.before_tool(
            call.tool_name, given, call_id, is_approved=ctx.tool_call_approved
        )
        if answer.question and self._defers:
            self._left.add(call_id)
            raise ApprovalRequired(metadata={"reason": answer.question})
        if answer.refusal:
            raise ToolFailed(answer.refusal)
        if answer.has_result:
            self._add_context(len(ctx.messages), answer.context)
            raise SkipToolExecution(answer.result)
        effective = args if answer.input == given else validate_input(ctx, call, answer.input)
        self._started[call_id] = time.monotonic()
        return effective

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: Any,
        args: Any,
        handler: Any,
    ) -> Any:
        """Report a tool that told the model of its failure itself."""
        try:
            return await handler(args)
        except (ToolRetryError, ToolFailedError, ToolFailed, ModelRetry) as error:
            if self._started.pop(call.tool_call_id, None) is not None:
                await self._report_failure(ctx, call, args, error)
            raise

    async def on_tool_execute_error(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: Any,
        args: Any,
        error: Exception,
    ) -> Any:
        """Report a call that raised; a refused sub-agent is a refused call."""
        stopped = RunStoppedError.find(error)
        if stopped is not None and stopped.kind != "subagent.start":
            raise error
        if self._started.pop(call.tool_call_id, None) is not None:
            await self._report_failure(ctx, call, args, error)
        if stopped is not None:
            raise ToolFailed(stopped.reason)
        raise error

    async def _report_failure(
        self, ctx: RunContext[Any], call: ToolCallPart, args: Any, error: Exception
    ) -> None:
        text = str(error) or type(error).__name__
        name, call_id = call.tool_name, call.tool_call_id
        answer = await self._hooks.tool_failed(name, to_json(args), call_id, text)
        self._add_context(len(ctx.messages), answer.context)

    async def after_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: Any,
        args: Any,
        result: Any,
    ) -> Any:
        """Ask about the result of a call that ran."""
        began = self._started.pop(call.tool_call_id, None)
        if began is None:  # it failed, and another capability recovered it
            return result
        shown = result.return_value if isinstance(result, ToolReturn) else result
        seconds = time.monotonic() - began
        answer = await self._hooks.after_tool(
            call.tool_name, to_json(args), call.tool_call_id, to_json(shown), seconds
        )
        self._add_context(len(ctx.messages), answer.context)
        if not answer.changed:
            return result
        if isinstance(result, ToolReturn):
            return replace(result, return_value=answer.result, content=None)
        return answer.result

    async def handle_deferred_tool_calls(
        self,
        ctx: RunContext[Any],
        *,
        requests: DeferredToolRequests,
    ) -> DeferredToolResults | None:
        """Settle the approvals that tools themselves require, and ask about external calls."""
        settled: dict[str, bool | ToolApproved | ToolDenied] = {}
        for call in requests.approvals:
            name, call_id, given = call.tool_name, call.tool_call_id, call.args_as_dict()
            if call_id in self._left:
                continue
            approval = await self._hooks.approve(name, given, call_id, f"may `{name}` run?")
            if approval.granted:
                new = None if approval.input == given else approval.input
                settled[call_id] = ToolApproved(override_args=new)
            elif approval.answered:
                settled[call_id] = ToolDenied(approval.reason)
        refused = await self._refuse_external(requests.calls)
        if not settled and not refused:
            return None
        return DeferredToolResults(approvals=settled, calls=refused)

    async def _refuse_external(self, calls: Sequence[ToolCallPart]) -> dict[str, Any]:
        """Return a failure for each call that hooks do not let out of this process."""
        refused: dict[str, Any] = {}
        for call in calls:
            name, call_id = call.tool_name, call.tool_call_id
            given = to_json(call.args_as_dict())
            answer = await self._hooks.before_tool(name, given, call_id)
            reason = answer.refusal
            if not reason and answer.input != given and call_id not in self._started:
                reason = "a hook rewrote the input, which the program outside would not get"
            if reason:
                refused[call_id] = ToolFailed(reason)
        return refused

    # -- text for the model --------------------------------------------------------------------

    def _add_context(self, at: int, texts: Sequence[str]) -> None:
        """Show the model texts beside message `at`, for the rest of the run."""
        self._contexts += [(at, text) for text in texts]

    def _insert_contexts(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        for at, text in self._contexts:
            messages = _insert(messages, at, (text,))
        return messages


def _insert(messages: list[ModelMessage], at: int, texts: Sequence[str]) -> list[ModelMessage]:
    """Return the messages with texts in the request at this number, or the next one."""
    for index in range(max(0, min(at, len(messages) - 1)), len(messages)):
        message = messages[index]
        if isinstance(message, ModelRequest):
            parts = [SystemPromptPart(content=text) for text in texts]
            changed = replace(message, parts=[*message.parts, *parts])
            return [*messages[:index], changed, *messages[index + 1 :]]
    return messages


def _replace_text(parts: Sequence[ModelResponsePart], text: str) -> list[ModelResponsePart]:
    """Return the parts with one text in the place of the first of theirs."""
    at = next((n for n, part in enumerate(parts) if isinstance(part, TextPart)), len(parts))
    before = list(parts[:at])
    after = [part for part in parts[at:] if not isinstance(part, TextPart)]
    return [*before, TextPart(content=text), *after]


def validate_input(ctx: RunContext[Any], call: ToolCallPart, given: Any) -> dict[str, Any]:
    """Return an input that a hook wrote as the tool takes it.

    Raises:
        ToolFailed: the tool does not take it.
    """
    manager = ctx.tool_manager
    tool = manager.tools.get(call.tool_name) if manager and manager.tools else None
    if tool is None:
        return dict(given)
    try:
        validated = tool.args_validator.validate_python(given, context=ctx.validation_context)
    except ValidationError as error:
        raise ToolFailed(f"a hook rewrote the input, which is invalid now: {error}") from error
    return dict(validated)


def _join_texts(content: Sequence[Any]) -> str:
    return "\n".join(each for each in content if isinstance(each, str))
