"""OpenAI Agents SDK: a runner that asks an engine's hooks about each moment of a run.

result = await HookedRunner(engine).run(agent, "list the files")

It runs a copy of the agent, in which each model and function tool asks first. Tools that OpenAI
runs itself never reach this process, so no hook sees them.
"""

from __future__ import annotations

import asyncio
import copy
import json
import time
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookline.adapters.agent_hooks import AgentHooks, AgentSessions
from hookline.adapters.answers import RunStoppedError
from hookline.adapters.frameworks import make_missing_error
from hookline.adapters.openai_items import items_from_json, items_to_json, read_text, replace_text
from hookline.adapters.run_hooks import RUNNING
from hookline.installation import install_command

try:
    from agents import Agent, FunctionTool, Handoff, Model, ModelResponse, RunConfig, Runner
    from agents.exceptions import MaxTurnsExceeded
    from agents.items import ItemHelpers
    from agents.models.multi_provider import MultiProvider
    from agents.tool import (
        maybe_invoke_function_tool_failure_error_function,
        set_function_tool_failure_error_function,
    )
    from agents.usage import Usage
except ImportError as error:
    command = install_command(extra="openai-agents")
    raise make_missing_error("OpenAI Agents SDK", command, error) from error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from hookline.adapters.agent_hooks import Ask, Notify
    from hookline.adapters.answers import ToolAnswer
    from hookline.engine.engine import Engine

__all__ = ["HookedRunner", "add_hooks"]

_MOST_ATTEMPTS = 3  # of one request to the model


class HookedRunner:
    """Runs agents of the OpenAI Agents SDK with hooks.

    A session of the SDK is a session; without one, the runner is. A refused prompt or model
    request, and a hook that ends the run, raise `RunStoppedError`.

    Args:
        engine: whose hooks are asked.
        ask: asks a person about a call; a question without an answer refuses the call.
        notify: receives texts for the user.
        tools: the agent's name of a tool -> its name for hooks, such as `shell`.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        ask: Ask | None = None,
        notify: Notify | None = None,
        tools: Mapping[str, str] | None = None,
    ) -> None:
        self._sessions = AgentSessions(engine, ask=ask, notify=notify, tools=tools)
        self._own = uuid.uuid4().hex

    async def end_sessions(self, reason: str = "") -> None:
        """Report the end of every session that this runner began."""
        await self._sessions.end(reason)

    async def run(
        self,
        agent: Agent[Any],
        input: str | list[Any],
        *,
        run_config: Any = None,
        **options: Any,
    ) -> Any:
        """Run an agent as `Runner.run` does, and return its result.

        A stop hook sends the agent back with a second run, on the history of the first. A result
        with interruptions is one that neither a hook nor a person decided.
        """
        session = options.get("session")
        session_id = str(getattr(session, "session_id", "") or self._own)
        is_new = session_id not in self._sessions
        hooks = self._sessions.find(session_id)
        config = run_config or RunConfig()
        if config.model is not None:
            config = replace(config, model=_HookedModel(config.model, config.model_provider))
        given = await _submit(hooks, input, is_new=is_new)
        token = RUNNING.set(hooks)
        try:
            return await _run(hooks, add_hooks(agent, config), given, config, options)
        except MaxTurnsExceeded as error:
            await hooks.limit_reached(str(error))
            raise
        except Exception as error:
            if (stopped := _find_stop(error)) is not None:
                raise stopped from None
            await hooks.run_failed(error)
            raise
        finally:
            RUNNING.reset(token)

    def run_sync(self, agent: Agent[Any], input: str | list[Any], **options: Any) -> Any:
        """Do the same where no event loop runs."""
        return asyncio.run(self.run(agent, input, **options))


async def _submit(hooks: AgentHooks, given: Any, *, is_new: bool) -> Any:
    """Return the input of a run after the hooks on its prompt."""
    context: list[str] = []
    if is_new:
        start = await hooks.start_session()
        _refuse(start.refusal, "session.start")
        context += start.context
    items = ItemHelpers.input_to_new_input_list(given)
    shown = items_to_json(items)
    if shown and shown[-1].get("role") == "user":
        text = str(shown[-1]["content"])
        answer = await hooks.submit_prompt(text)
        _refuse(answer.refusal, "prompt.submit")
        context += answer.context
        if answer.text != text:
            items = [*items[:-1], {"role": "user", "content": answer.text}]
    return [*items, *({"role": "developer", "content": each} for each in context)]


async def _run(hooks: AgentHooks, agent: Any, given: Any, config: Any, options: Any) -> Any:
    """Run until no approval is open and no stop hook sends the agent back."""
    while True:
        result = await Runner.run(agent, given, run_config=config, **options)
        if result.interruptions:
            state = result.to_state()
            if not await _settle(hooks, result.interruptions, state):
                return result
            agent, given = result.last_agent, state
            continue
        output = result.final_output
        told = await hooks.stop(output if isinstance(output, str) else str(output))
        if not told:
            return result
        message = {"role": "user", "content": told}
        has_session = options.get("session") is not None
        given = [message] if has_session else [*result.to_input_list(), message]
        agent = result.last_agent


async def _settle(hooks: AgentHooks, open_items: list[Any], state: Any) -> bool:
    """Decide the approvals that tools require themselves; return whether all are decided."""
    for item in open_items:
        name = item.tool_name or ""
        arguments = _parse(item.arguments or "")
        call_id = str(getattr(item.raw_item, "call_id", "") or "")
        approval = await hooks.approve(name, arguments, call_id, f"may `{name}` run?")
        if approval.granted:
            state.approve(item)
        elif approval.answered:
            state.reject(item, rejection_message=approval.reason)
        else:
            return False
    return True


def add_hooks(agent: Agent[Any], run_config: Any = None) -> Agent[Any]:
    """Return a copy of an agent that asks the hooks of the run that it is in.

    The agents that it hands off to are copied, too. An agent that becomes a tool (`as_tool`) must
    be such a copy, so that its own calls are asked about.
    """
    provider = run_config.model_provider if run_config is not None else MultiProvider()
    return _copy_agent(agent, provider, {})


def _copy_agent(agent: Any, provider: Any, known: dict[int, Any]) -> Any:
    if id(agent) in known:
        return known[id(agent)]
    if getattr(agent, "_has_hookline", False):
        return agent
    made = known[id(agent)] = copy.copy(agent)
    made._has_hookline = True
    made.model = _HookedModel(agent.model, provider)
    made.tools = [_copy_tool(tool) for tool in agent.tools]
    made.handoffs = [_copy_handoff(each, provider, known) for each in agent.handoffs]
    get_mcp_tools = made.get_mcp_tools

    async def get_hooked_tools(context: Any) -> list[Any]:
        return [_copy_tool(tool) for tool in await get_mcp_tools(context)]

    made.get_mcp_tools = get_hooked_tools
    return made


def _copy_handoff(target: Any, provider: Any, known: dict[int, Any]) -> Any:
    if not isinstance(target, Handoff):
        return _copy_agent(target, provider, known)
    made = copy.copy(target)

    async def hand_over(context: Any, arguments: str) -> Any:
        return _copy_agent(await target.on_invoke_handoff(context, arguments), provider, known)

    made.on_invoke_handoff = hand_over
    return made


# -- tools -------------------------------------------------------------------------------------


def _copy_tool(tool: Any) -> Any:
    """Return a copy of a function tool that asks before and after it runs."""
    if not isinstance(tool, FunctionTool):
        return tool
    inner = copy.copy(tool)
    set_function_tool_failure_error_function(inner, None)  # so that its errors come out
    made = copy.copy(tool)

    async def invoke(context: Any, arguments: str) -> Any:
        return await _invoke(inner, tool, context, arguments)

    made.on_invoke_tool = invoke
    return made


async def _invoke(inner: Any, tool: Any, context: Any, arguments: str) -> Any:
    """Ask about a call, run the tool, and ask about its result."""
    hooks, name, call_id = _find_hooks(), tool.name, context.tool_call_id
    given = _parse(arguments)
    answer = await hooks.before_tool(name, given, call_id)
    new, instead = await _decide(hooks, name, given, call_id, answer)
    if instead is not None:
        return instead
    began = time.monotonic()
    try:
        sent = arguments if new == given else json.dumps(new)
        result = await _call(inner, hooks, context, sent)
    except Exception as error:
        if (stopped := _find_stop(error)) is not None:
            raise stopped from None
        after = await hooks.tool_failed(name, new, call_id, str(error) or type(error).__name__)
        result = await maybe_invoke_function_tool_failure_error_function(
            function_tool=tool, context=context, error=error
        )
        if result is None and not after.ends:
            raise
    else:
        shown = result if isinstance(result, str | int | float | list | dict) else str(result)
        seconds = time.monotonic() - began
        after = await hooks.after_tool(name, new, call_id, shown, seconds)
        result = after.result if after.changed else result
    _refuse(after.ends, "tool.after")
    texts = (*answer.context, *after.context)
    return "\n\n".join((str(result), *texts)) if texts else result


def _parse(arguments: str) -> dict[str, Any]:
    """Return the input of a call; text that is no object as the only key of one."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        given = None
    return given if isinstance(given, dict) else {"arguments": arguments}


async def _decide(
    hooks: AgentHooks, name: str, given: dict[str, Any], call_id: str, answer: ToolAnswer
) -> tuple[Any, Any]:
    """Return the input to run a tool with, and what the model gets if it must not run."""
    _refuse(answer.ends, "tool.before")
    if answer.refusal:
        return given, answer.refusal
    new = answer.input
    if answer.question:
        approval = await hooks.approve(name, new, call_id, answer.question)
        if not approval.granted:
            return given, approval.reason
        new = approval.input
    return new, answer.result if answer.has_result else None


async def _call(inner: Any, hooks: AgentHooks, context: Any, arguments: str) -> Any:
    """Run a tool; one that is an agent runs as a sub-agent."""
    if not getattr(inner, "_is_agent_tool", False):
        return await inner.on_invoke_tool(context, arguments)
    child = hooks.child(context.tool_call_id, inner.name)
    start = await child.start_subagent(arguments)
    if start.refusal:
        return start.refusal
    token = RUNNING.set(child)
    try:
        result = await inner.on_invoke_tool(context, arguments)
    finally:
        RUNNING.reset(token)
    told = await child.stop(str(result))
    return f"{result}\n\n{told}" if told else result


def _find_hooks() -> AgentHooks:
    """Return the hooks of this run.

    Raises:
        RunStoppedError: there are none.
    """
    hooks = RUNNING.get()
    if not isinstance(hooks, AgentHooks):
        raise RunStoppedError("an agent with hooks must be run by a `HookedRunner`")
    return hooks


# -- models ------------------------------------------------------------------------------------


class _HookedModel(Model):  # type: ignore[misc]  # untyped without the framework
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

    def get_retry_advice(self, request: Any) -> Any:
        return self.inner.get_retry_advice(request)

    async def get_response(
        self, system_instructions: Any, input: Any, *rest: Any, **options: Any
    ) -> Any:
        hooks, name = _find_hooks(), self._name
        given, response = await self._ask_before(hooks, input, rest, options)
        attempt = 0
        while response is None:
            attempt += 1
            try:
                response = await self.inner.get_response(
                    system_instructions, given, *rest, **options
                )
            except Exception as error:
                seconds = await hooks.model_error(name, error)
                if seconds is None or attempt >= _MOST_ATTEMPTS:
                    raise
                await asyncio.sleep(seconds)
                continue
            text = read_text(response.output)
            answer = await hooks.after_model(name, text, _read_usage(response))
            if answer.ends or (answer.refusal and attempt >= _MOST_ATTEMPTS):
                raise RunStoppedError(answer.ends or answer.refusal, "model.response")
            if answer.refusal:
                feedback = {"role": "user", "content": answer.refusal}
                given = [*given, {"role": "assistant", "content": text}, feedback]
                response = None
            elif answer.response != text:
                new = replace_text(response.output, str(answer.response))
                response = replace(response, output=new)
        return response

    async def stream_response(
        self, system_instructions: Any, input: Any, *rest: Any, **options: Any
    ) -> AsyncIterator[Any]:
        """Ask before the request; what was streamed already can only end the run."""
        hooks = _find_hooks()
        given, response = await self._ask_before(hooks, input, rest, options)
        if response is not None:
            raise RunStoppedError(read_text(response.output), "model.request")
        async for event in self.inner.stream_response(system_instructions, given, *rest, **options):
            if event.type == "response.completed":
                text = read_text(event.response.output)
                answer = await hooks.after_model(self._name, text, {})
                _refuse(answer.ends or answer.refusal, "model.response")
            yield event

    @property
    def _name(self) -> str:
        return str(getattr(self.inner, "model", "") or type(self.inner).__name__)

    async def _ask_before(
        self, hooks: AgentHooks, given: Any, rest: Any, options: Any
    ) -> tuple[list[Any], Any]:
        """Return the items to send, and a hook's response in the place of the model's."""
        items = ItemHelpers.input_to_new_input_list(given)
        tools = rest[1] if len(rest) > 1 else options.get("tools", ())
        answer = await hooks.before_model(
            self._name, items_to_json(items), [tool.name for tool in tools]
        )
        _refuse(answer.refusal, "model.request")
        if answer.messages is not None:
            items = items_from_json(answer.messages, items)
        items = [*items, *({"role": "developer", "content": each} for each in answer.context)]
        if answer.response is None:
            return items, None
        output = replace_text([], str(answer.response))
        return items, ModelResponse(output=output, usage=Usage(), response_id=None)


def _read_usage(response: Any) -> dict[str, int]:
    names = ("input_tokens", "output_tokens", "total_tokens")
    return {name: getattr(response.usage, name, 0) for name in names}


def _find_stop(error: BaseException) -> RunStoppedError | None:
    """Return the end that a hook asked for, inside an error of the SDK."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, RunStoppedError):
        found = found.__cause__
    return found


def _refuse(reason: str, kind: str) -> None:
    if reason:
        raise RunStoppedError(reason, kind)
