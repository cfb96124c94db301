"""LangChain: a middleware that asks an engine's hooks about each moment of a run.

agent = create_agent(model, tools, middleware=[HooksMiddleware(engine)])

It serves `invoke`, `stream`, and their asynchronous forms. Put it last in the list, so that no
other middleware changes what the hooks have seen.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from hookline.adapters.agent_sessions import RUNNING, AgentSessions
from hookline.adapters.answers import RunStoppedError
from hookline.adapters.frameworks import (
    MOST_ATTEMPTS,
    build_messages,
    make_missing_error,
    to_text,
)

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
    from langchain.agents.middleware.types import ModelResponse, PrivateStateAttr
    from langchain_core.messages import (
        AIMessage,
        HumanMessage,
        ToolMessage,
        convert_to_messages,
        convert_to_openai_messages,
    )
    from langgraph.config import get_config
    from langgraph.errors import GraphBubbleUp
    from langgraph.types import Command, interrupt
except ImportError as error:
    raise make_missing_error("LangChain", "langchain", error) from error

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Mapping

    from hookline.adapters.agent_hooks import AgentHooks, Ask, Notify
    from hookline.adapters.answers import ResultAnswer
    from hookline.engine.engine import Engine

__all__ = ["HooksMiddleware"]


class HooksState(AgentState):  # type: ignore[misc]  # untyped without the framework
    """The state of an agent, and by which session and sub-agent its hooks count."""

    hookline_session: NotRequired[Annotated[tuple[str, str, str], PrivateStateAttr]]  # type: ignore[valid-type]  # as above


class HooksMiddleware(AgentMiddleware):  # type: ignore[misc]  # untyped without the framework
    """Asks hooks about prompts, model requests, tool calls and stops of a LangChain agent.

    Args:
        engine: whose hooks are asked. A thread of LangGraph is a session; without one, a run is.
        ask: asks a person about a call.
        notify: receives texts for the user.
        tools: the agent's name of a tool -> its name for hooks, such as `shell`.
        defers: a question that is not answered interrupts the run, in the form of LangChain's
            human-in-the-loop middleware, which needs a checkpointer; otherwise it refuses the call.

    A refused prompt or model request, and a hook that ends the run, raise `RunStoppedError`. An
    agent with this middleware that runs inside a tool of another counts as its sub-agent. Texts of
    hooks for the model become part of the history.
    """

    state_schema = HooksState

    def __init__(
        self,
        engine: Engine,
        *,
        ask: Ask | None = None,
        notify: Notify | None = None,
        tools: Mapping[str, str] | None = None,
        defers: bool = False,
    ) -> None:
        super().__init__()
        self._sessions = AgentSessions(engine, ask=ask, notify=notify, tools=tools)
        self._defers = defers

    async def end_sessions(self, reason: str = "") -> None:
        """Report the end of every session that this middleware began."""
        await self._sessions.end(reason)

    def _find_hooks(self, state: Any) -> AgentHooks:
        return self._sessions.find(*state.get("hookline_session", ("",)))

    # -- the prompt ----------------------------------------------------------------------------

    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Ask about the prompt, which begins a run."""
        parent = RUNNING.get()
        if parent is not None:
            name = str(get_config().get("metadata", {}).get("lc_agent_name") or "")
            session = (parent.session_id, uuid.uuid4().hex, name)
        else:
            kept = state.get("hookline_session")
            session = kept or (_find_thread() or uuid.uuid4().hex, "", "")
        update: dict[str, Any] = {"hookline_session": session}
        message = state["messages"][-1] if state["messages"] else None
        if not isinstance(message, HumanMessage):
            return update
        text = str(message.text)
        answer = await self._sessions.find(*session).begin_turn(text)
        changed = [] if answer.text == text else [_replace_prompt(message, answer.text)]
        update["messages"] = [*changed, *(HumanMessage(content=each) for each in answer.context)]
        return update

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Do the same for `invoke`."""
        update: dict[str, Any] | None = _wait(self.abefore_agent(state, runtime))
        return update

    # -- the model -----------------------------------------------------------------------------

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        """Ask about a request and its answer; repeat it if a hook wants that."""
        request, answered = await self._before_model(request)
        attempt = 0
        while answered is None:
            attempt += 1
            try:
                response = await handler(request)
            except GraphBubbleUp:
                raise
            except Exception as error:  # noqa: BLE001 - raised again, unless a hook wants a retry
                await self._retry(request, error, attempt)
                continue
            request, answered = await self._after_model(request, response, attempt)
        return answered

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        """Do the same for `invoke`."""
        request, answered = _wait(self._before_model(request))
        attempt = 0
        while answered is None:
            attempt += 1
            try:
                response = handler(request)
            except GraphBubbleUp:
                raise
            except Exception as error:  # noqa: BLE001 - raised again, unless a hook wants a retry
                _wait(self._retry(request, error, attempt))
                continue
            request, answered = _wait(self._after_model(request, response, attempt))
        return answered

    async def _before_model(self, request: Any) -> tuple[Any, Any]:
        """Return the request to send, or the response that a hook gave."""
        shown = convert_to_openai_messages(request.messages)
        tools = [str(getattr(tool, "name", tool)) for tool in request.tools]
        hooks = self._find_hooks(request.state)
        answer = await hooks.before_model(_find_model(request), shown, tools)
        if answer.response is not None:
            return request, ModelResponse(result=[AIMessage(content=str(answer.response))])
        messages = request.messages
        if answer.messages is not None:
            messages = build_messages(
                answer.messages, shown, messages, lambda entry: convert_to_messages([entry])
            )
        messages = [*messages, *(HumanMessage(content=each) for each in answer.context)]
        return request.override(messages=messages), None

    async def _after_model(self, request: Any, response: Any, attempt: int) -> tuple[Any, Any]:
        """Return the response to use; or None, and the request to send instead."""
        messages = response.result if isinstance(response, ModelResponse) else [response]
        message = next((each for each in messages if isinstance(each, AIMessage)), None)
        if message is None:
            return request, response
        text, usage = str(message.text), dict(message.usage_metadata or {})
        answer = await self._find_hooks(request.state).after_model(
            _find_model(request), text, usage, is_last=attempt >= MOST_ATTEMPTS
        )
        if answer.refusal:
            feedback = [AIMessage(content=text), HumanMessage(content=answer.refusal)]
            return request.override(messages=[*request.messages, *feedback]), None
        if answer.response != text:
            new = message.model_copy(update={"content": str(answer.response)})
            messages = [new if each is message else each for each in messages]
            structured = getattr(response, "structured_response", None)
            return request, ModelResponse(result=messages, structured_response=structured)
        return request, response

    async def _retry(self, request: Any, error: Exception, attempt: int) -> None:
        """Report a failed request, and raise its error unless a hook wants it repeated."""
        hooks = self._find_hooks(request.state)
        seconds = await hooks.model_error(_find_model(request), error)
        if seconds is None or attempt >= MOST_ATTEMPTS:
            raise error
        await asyncio.sleep(seconds)

    # -- tools ---------------------------------------------------------------------------------

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Ask about a call before it runs, and about its result."""
        request, message, question = await self._before_tool(request)
        if question:
            message = _read_decision(request, interrupt(question)) or message
        if message is not None:
            return message
        began = time.monotonic()
        with self._running(request):
            try:
                result = await handler(request)
            except GraphBubbleUp:
                raise
            except Exception as error:  # noqa: BLE001 - raised again, unless it is a refusal
                return await self._tool_raised(request, error)
        return await self._after_tool(request, result, time.monotonic() - began)

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Do the same for `invoke`."""
        request, message, question = _wait(self._before_tool(request))
        if question:
            message = _read_decision(request, interrupt(question)) or message
        if message is not None:
            return message
        began = time.monotonic()
        with self._running(request):
            try:
                result = handler(request)
            except GraphBubbleUp:
                raise
            except Exception as error:  # noqa: BLE001 - raised again, unless it is a refusal
                return _wait(self._tool_raised(request, error))
        return _wait(self._after_tool(request, result, time.monotonic() - began))

    @contextmanager
    def _running(self, request: Any) -> Iterator[None]:
        """Make agents that start inside this tool its sub-agents."""
        token = RUNNING.set(self._find_hooks(request.state))
        try:
            yield
        finally:
            RUNNING.reset(token)

    async def _before_tool(self, request: Any) -> tuple[Any, Any, dict[str, Any] | None]:
        """Return the request to run; a message in place of a result; a question to interrupt by."""
        name, given, call_id = _describe(request)
        hooks = self._find_hooks(request.state)
        answer = await hooks.before_tool(name, given, call_id)
        question = None
        if answer.question and self._defers:
            question = _make_question(name, answer.input, answer.question)
        elif answer.refusal:
            return request, _refuse_call(request, answer.refusal), None
        if answer.has_result:
            content = "\n\n".join((to_text(answer.result), *answer.context))
            return request, ToolMessage(content=content, name=name, tool_call_id=call_id), question
        if answer.input != given:
            request = request.override(tool_call={**request.tool_call, "args": answer.input})
        return request, None, question

    async def _after_tool(self, request: Any, result: Any, seconds: float) -> Any:
        message = _find_message(result, request.tool_call["id"])
        if message.status == "error":
            answer = await self._tool_failed(request, str(message.text))
        else:
            name, given, call_id = _describe(request)
            answer = await self._find_hooks(request.state).after_tool(
                name, given, call_id, message.content, seconds
            )
        if not answer.changed and not answer.context:
            return result
        content = to_text(answer.result) if answer.changed else message.content
        if answer.context:
            content = "\n\n".join((to_text(content), *answer.context))
        update = {"content": content} | ({"artifact": None} if answer.changed else {})
        return _replace_message(result, message, message.model_copy(update=update))

    async def _tool_raised(self, request: Any, error: Exception) -> Any:
        """Report a call that raised; a refused sub-agent is a refused call."""
        stopped = RunStoppedError.find(error)
        if stopped is not None and stopped.kind != "subagent.start":
            raise error
        await self._tool_failed(request, str(error) or type(error).__name__)
        if stopped is None:
            raise error
        return _refuse_call(request, stopped.reason)

    async def _tool_failed(self, request: Any, text: str) -> ResultAnswer:
        name, given, call_id = _describe(request)
        return await self._find_hooks(request.state).tool_failed(name, given, call_id, text)

    # -- the end -------------------------------------------------------------------------------

    @hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]  # as above
    async def aafter_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Ask before the run ends; a hook may send the agent back to work."""
        message = state["messages"][-1] if state["messages"] else None
        text = str(message.text) if isinstance(message, AIMessage) else ""
        told = await self._find_hooks(state).stop(text)
        return {"messages": [HumanMessage(content=told)], "jump_to": "model"} if told else None

    @hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]  # as above
    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Do the same for `invoke`."""
        update: dict[str, Any] | None = _wait(self.aafter_agent(state, runtime))
        return update


def _wait(work: Coroutine[Any, Any, Any]) -> Any:
    """Return what a coroutine returns, on a thread of its own where an event loop runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, work).result()


def _replace_prompt(message: HumanMessage, text: str) -> HumanMessage:
    """Return a prompt with another text, and with the pictures and files that it has."""
    parts = [] if isinstance(message.content, str) else message.content
    others = [part for part in parts if isinstance(part, dict) and part.get("type") != "text"]
    new = [{"type": "text", "text": text}, *others] if others else text
    changed: HumanMessage = message.model_copy(update={"content": new})
    return changed


def _find_thread() -> str:
    return str(get_config().get("configurable", {}).get("thread_id") or "")


def _find_model(request: Any) -> str:
    model = request.model
    return str(getattr(model, "model_name", None) or getattr(model, "model", "") or "")


def _describe(request: Any) -> tuple[str, dict[str, Any], str]:
    call = request.tool_call
    return call["name"], call["args"], call["id"] or ""


def _refuse_call(request: Any, reason: str) -> ToolMessage:
    name, _, call_id = _describe(request)
    return ToolMessage(content=reason, name=name, tool_call_id=call_id, status="error")


def _make_question(name: str, given: Any, question: str) -> dict[str, Any]:
    """Return a question in the form of LangChain's human-in-the-loop middleware."""
    allowed = ["approve", "reject"]
    return {
        "action_requests": [{"name": name, "args": given, "description": question}],
        "review_configs": [{"action_name": name, "allowed_decisions": allowed}],
    }


def _read_decision(request: Any, answer: Any) -> ToolMessage | None:
    """Return the message of a refusal, for the value that a run was resumed with."""
    decisions = answer.get("decisions") if isinstance(answer, dict) else None
    decision = decisions[0] if decisions else {}
    if decision.get("type") == "approve":
        return None
    return _refuse_call(request, decision.get("message") or "the user did not allow it")


def _find_message(result: Any, call_id: Any) -> ToolMessage:
    """Return the message that answers a call, also inside a command to the graph."""
    for each in result if isinstance(result, list) else [result]:
        update = each.update if isinstance(each, Command) else None
        found = update.get("messages") or () if isinstance(update, dict) else [each]
        for message in found:
            if isinstance(message, ToolMessage) and message.tool_call_id == call_id:
                return message
    return ToolMessage(content="", tool_call_id=call_id)


def _replace_message(result: Any, old: ToolMessage, new: ToolMessage) -> Any:
    """Return a result with another message in the place of one."""
    if isinstance(result, list):
        return [_replace_message(each, old, new) for each in result]
    if isinstance(result, Command) and isinstance(result.update, dict):
        messages = [new if each is old else each for each in result.update.get("messages") or ()]
        update = result.update | ({"messages": messages} if messages else {})
        return replace(result, update=update)
    return new if result is old else result
