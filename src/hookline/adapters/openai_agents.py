"""OpenAI Agents SDK: a runner that asks an engine's hooks about each moment of a run.

result = await HookedRunner(engine).run(agent, "list the files")

It runs a copy of the agent, in which each model and each tool of this process asks first. Tools
that OpenAI runs itself never reach this process, so no hook sees them.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
import uuid
import warnings
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookline.adapters.agent_sessions import RUNNING, AgentSessions
from hookline.adapters.answers import RunStoppedError
from hookline.adapters.frameworks import make_missing_error
from hookline.errors import ConfigError

try:
    from agents import Agent, Handoff, RunConfig, Runner, RunState
    from agents.exceptions import MaxTurnsExceeded
    from agents.items import ItemHelpers
    from agents.models.multi_provider import MultiProvider

    from hookline.adapters.openai_models import (
        HookedModel,
        items_to_json,
        make_context,
        replace_prompt,
    )
    from hookline.adapters.openai_tools import copy_tool, parse_input
except ImportError as error:
    raise make_missing_error("OpenAI Agents SDK", "openai-agents", error) from error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from hookline.adapters.agent_hooks import AgentHooks, Ask, Notify
    from hookline.engine.engine import Engine

__all__ = ["HookedRunner", "HookedStream", "add_hooks"]


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

    async def run(self, agent: Agent[Any], input: Any, **options: Any) -> Any:
        """Run an agent as `Runner.run` does, and return its result.

        A stop hook sends the agent back with a second run, on the history of the first. A result
        with interruptions is one that neither a hook nor a person decided.
        """
        hooks = self._find_hooks(agent, options)
        result: Any = None
        async with _report_errors(hooks):
            async for result in _run(hooks, agent, input, options, Runner.run):  # noqa: B007 - the last one counts
                pass
        return result

    def run_sync(self, agent: Agent[Any], input: Any, **options: Any) -> Any:
        """Do the same where no event loop runs.

        Each call in a thread uses the same event loop, as `Runner.run_sync` does. A client that
        several calls share keeps connections of that loop.
        """
        loop = _find_loop()
        if loop.is_running():
            raise RuntimeError("`run_sync` cannot run inside an event loop; await `run` instead")
        task = loop.create_task(self.run(agent, input, **options))
        try:
            return loop.run_until_complete(task)
        finally:
            if not task.done():  # such as after Ctrl-C
                task.cancel()
                with suppress(asyncio.CancelledError):
                    loop.run_until_complete(task)

    def run_streamed(self, agent: Agent[Any], input: Any, **options: Any) -> HookedStream:
        """Return a run whose events you read, as `Runner.run_streamed` does.

        It begins with the first event that you ask for. A stream shows the text of the model before
        hooks on its response have seen it.
        """
        return HookedStream(self._find_hooks(agent, options), agent, input, options)

    def _find_hooks(self, agent: Any, options: Mapping[str, Any]) -> AgentHooks:
        parent = RUNNING.get()
        if parent is not None:
            return parent.child(uuid.uuid4().hex, agent.name)
        return self._sessions.find(
            str(getattr(options.get("session"), "session_id", "") or self._own)
        )


def _find_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of this thread; a new one if it has none, or a closed one."""
    loop = None
    with warnings.catch_warnings(), suppress(RuntimeError):
        warnings.simplefilter("ignore", DeprecationWarning)
        loop = asyncio.get_event_loop()
    if loop is None or loop.is_closed():
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
    return loop


class HookedStream:
    """A run that is streamed. It has the attributes of the SDK's result once it has begun."""

    def __init__(self, hooks: AgentHooks, agent: Any, given: Any, options: Any) -> None:
        self._events = self._run(hooks, agent, given, options)
        self._cancel_mode = ""
        self.result: Any = None

    def stream_events(self) -> AsyncIterator[Any]:
        """Return the events of the SDK, also those of a run that a stop hook makes necessary."""
        return self._events

    async def _run(
        self, hooks: AgentHooks, agent: Any, given: Any, options: Any
    ) -> AsyncIterator[Any]:
        if self._cancel_mode == "immediate":  # before the first event: no hook is asked
            self.result = self._start(add_hooks(agent), given, **options)
            return
        runs = _run(hooks, agent, given, options, self._start)
        async with _report_errors(hooks):
            async for self.result in runs:
                async for event in self.result.stream_events():
                    yield event
                if self._cancel_mode:
                    return

    def _start(self, agent: Any, given: Any, **options: Any) -> Any:
        """Start a run of the SDK; cancel it at once if `cancel` was called while hooks ran.

        Returns:
            Its result, or None if only a further run was cancelled.
        """
        if self._cancel_mode and self.result is not None:
            return None
        result = Runner.run_streamed(agent, given, **options)
        if self._cancel_mode:
            result.cancel(self._cancel_mode)
        return result

    def cancel(self, mode: str = "immediate") -> None:
        """End the run, as the SDK does; no stop hook is asked."""
        self._cancel_mode = mode
        if self.result is not None:
            self.result.cancel(mode)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or self.result is None:
            raise AttributeError(f"`{name}` is not known before `stream_events()`")
        return getattr(self.result, name)


@asynccontextmanager
async def _report_errors(hooks: AgentHooks) -> AsyncIterator[None]:
    """Report how a run fails, and raise what a hook ended it with."""
    try:
        yield
    except MaxTurnsExceeded as error:
        await hooks.limit_reached(str(error))
        raise
    except Exception as error:
        if (stopped := RunStoppedError.find(error)) is not None:
            raise stopped from None
        await hooks.run_failed(error)
        raise


async def _run(
    hooks: AgentHooks, agent: Any, given: Any, options: Any, start: Callable[..., Any]
) -> AsyncIterator[Any]:
    """Run until no approval is open and no stop hook sends the agent back; yield each result.

    Args:
        hooks: of this run.
        agent: to copy.
        given: a text, items, or the state of a run that was interrupted.
        options: those of `start`.
        start: returns a result, whose stream the caller reads; None if the run is cancelled.
    """
    config = options.get("run_config") or RunConfig()
    config = RunConfig(**config) if isinstance(config, dict) else config
    if config.model is not None:
        config = replace(config, model=HookedModel(config.model, config.model_provider))
    options = options | {"run_config": config}
    agent = add_hooks(agent, config)
    if not isinstance(given, RunState):
        given = await _submit(hooks, given)
    while True:
        token = RUNNING.set(hooks)
        try:
            result = start(agent, given, **options)
            result = await result if inspect.isawaitable(result) else result
        finally:
            RUNNING.reset(token)
        if result is None:
            return
        yield result
        agent = result.last_agent
        if result.interruptions:
            given = result.to_state()
            if not await _settle(hooks, result.interruptions, given):
                return
            continue
        output = result.final_output
        told = await hooks.stop(output if isinstance(output, str) else str(output))
        if not told:
            return
        message = {"role": "user", "content": told}
        if options.get("previous_response_id"):
            options = options | {"previous_response_id": result.last_response_id}
        is_kept = any(map(options.get, ("session", "conversation_id", "previous_response_id")))
        given = [message] if is_kept else [*result.to_input_list(), message]


async def _submit(hooks: AgentHooks, given: Any) -> Any:
    """Return the input of a run after the hooks on its prompt."""
    items = ItemHelpers.input_to_new_input_list(given)
    shown = items_to_json(items)
    if not shown or shown[-1].get("role") != "user":
        return items
    text = str(shown[-1]["content"])
    answer = await hooks.begin_turn(text)
    if answer.text != text:
        items = [*items[:-1], replace_prompt(items[-1], answer.text)]
    return [*items, *make_context(answer.context)]


async def _settle(hooks: AgentHooks, open_items: Sequence[Any], state: Any) -> bool:
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


# -- agents ------------------------------------------------------------------------------------


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
    if getattr(agent, "has_hookline", False):
        return agent
    if any(each.__module__.startswith("agents.sandbox") for each in type(agent).__mro__):
        raise ConfigError(
            f"the sandbox of agent `{agent.name}` brings tools that no hook can be asked about",
            name="adapter.unsupported",
            hint="use an `Agent` with function tools",
        )
    made = known[id(agent)] = copy.copy(agent)
    made.has_hookline = True
    made.model = HookedModel(agent.model, provider)
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
