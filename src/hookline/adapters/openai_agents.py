"""OpenAI Agents SDK: a runner that asks an engine's hooks about each moment of a run.

result = await HookedRunner(engine).run(agent, "list the files")

It runs a copy of the agent, in which each model and each tool of this process asks first. Tools
that OpenAI runs itself never reach this process, so no hook sees them.
"""

from __future__ import annotations

import asyncio
import copy
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookline.adapters.agent_hooks import AgentHooks, AgentSessions
from hookline.adapters.answers import RunStoppedError
from hookline.adapters.frameworks import make_missing_error
from hookline.adapters.openai_items import items_from_json, items_to_json, read_text, replace_text
from hookline.adapters.run_hooks import RUNNING
from hookline.errors import ConfigError
from hookline.installation import install_command

try:
    from agents import Agent, Handoff, Model, ModelResponse, RunConfig, Runner
    from agents.exceptions import MaxTurnsExceeded
    from agents.items import ItemHelpers
    from agents.models.multi_provider import MultiProvider
    from agents.usage import Usage
except ImportError as error:
    command = install_command(extra="openai-agents")
    raise make_missing_error("OpenAI Agents SDK", command, error) from error

from hookline.adapters.openai_tools import (
    STOPS,
    copy_tool,
    find_hooks,
    find_stop,
    parse_input,
    refuse,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from hookline.adapters.agent_hooks import Ask, Notify
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
            if (stopped := find_stop(error)) is not None:
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
        refuse(start.refusal, "session.start")
        context += start.context
    items = ItemHelpers.input_to_new_input_list(given)
    shown = items_to_json(items)
    if shown and shown[-1].get("role") == "user":
        text = str(shown[-1]["content"])
        answer = await hooks.submit_prompt(text)
        refuse(answer.refusal, "prompt.submit")
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
        arguments = parse_input(item.arguments or "")
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

    Raises:
        ConfigError: the agent has tools that cannot be asked about.
    """
    provider = run_config.model_provider if run_config is not None else MultiProvider()
    return _copy_agent(agent, provider, {})


def _copy_agent(agent: Any, provider: Any, known: dict[int, Any]) -> Any:
    if id(agent) in known:
        return known[id(agent)]
    if getattr(agent, "_has_hookline", False):
        return agent
    if any(each.__module__.startswith("agents.sandbox") for each in type(agent).__mro__):
        raise ConfigError(
            f"the sandbox of agent `{agent.name}` brings tools that no hook can be asked about",
            name="adapter.unsupported",
            hint="use an `Agent` with function tools",
        )
    made = known[id(agent)] = copy.copy(agent)
    made._has_hookline = True
    made.model = _HookedModel(agent.model, provider)
    made.tools = [copy_tool(tool) for tool in agent.tools]
    made.handoffs = [_copy_handoff(each, provider, known) for each in agent.handoffs]
    get_mcp_tools = made.get_mcp_tools

    async def get_hooked_tools(context: Any) -> list[Any]:
        return [copy_tool(tool) for tool in await get_mcp_tools(context)]

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
        hooks, name = find_hooks(), self._name
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
        hooks = find_hooks()
        given, response = await self._ask_before(hooks, input, rest, options)
        if response is not None:
            raise RunStoppedError(read_text(response.output), "model.request")
        async for event in self.inner.stream_response(system_instructions, given, *rest, **options):
            if event.type == "response.completed":
                text = read_text(event.response.output)
                answer = await hooks.after_model(self._name, text, {})
                refuse(answer.ends or answer.refusal, "model.response")
            yield event

    @property
    def _name(self) -> str:
        return str(getattr(self.inner, "model", "") or type(self.inner).__name__)

    async def _ask_before(
        self, hooks: AgentHooks, given: Any, rest: Any, options: Any
    ) -> tuple[list[Any], Any]:
        """Return the items to send, and a hook's response in the place of the model's."""
        if (stopped := STOPS.pop(hooks, None)) is not None:
            raise stopped
        items = ItemHelpers.input_to_new_input_list(given)
        tools = rest[1] if len(rest) > 1 else options.get("tools", ())
        answer = await hooks.before_model(
            self._name, items_to_json(items), [tool.name for tool in tools]
        )
        refuse(answer.refusal, "model.request")
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
