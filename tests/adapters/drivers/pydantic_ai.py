"""Plays in Pydantic AI."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, DeferredToolRequests, ModelRetry, exceptions
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from hookline.adapters.pydantic_ai import HooksCapability, messages_to_json
from tests.adapters.plays import PROMPT, Play, Played

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hookline import Engine
    from tests.adapters.plays import Ask

PACKAGE = "pydantic-ai-slim"
LACKS = (
    {}
    if hasattr(exceptions, "RetryModelRequest")
    else {"repeat request": "Pydantic AI 2.64 is the first that can"}
)


class ScriptedModel:
    """A model that plays turns, and writes down what it reads."""

    def __init__(self, script: Play, played: Played) -> None:
        self.turns = list(script.turns)
        self.played = played

    def answer(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        read = (str(entry["content"]) for entry in messages_to_json(messages))
        self.played.read.append("\n".join(read))
        turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        if isinstance(turn, str):
            return ModelResponse(parts=[TextPart(turn)])
        return ModelResponse(parts=[make_call(*each) for each in turn])

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for number, part in enumerate(self.answer(messages, info).parts):
            if isinstance(part, ToolCallPart):
                yield {number: DeltaToolCall(part.tool_name, part.args_as_json_str())}
            elif isinstance(part, TextPart):
                yield part.content


def make_call(tool: str, argument: str) -> ToolCallPart:
    """A call of a tool as Pydantic AI has it."""
    if tool == "delegate":
        return ToolCallPart("delegate", {"task": argument})
    return ToolCallPart("run", {"command": argument})


async def play(
    engine: Engine, script: Play, ask: Ask | None, played: Played, way: str = "run"
) -> None:
    """Run an agent with one tool through a play."""
    model = ScriptedModel(script, played)

    async def run(command: str) -> str:
        if command == "cancel":
            return await played.wait()
        word = command.removeprefix("echo ")
        if word == command:
            raise ModelRetry(command)
        played.ran.append(word)
        return word

    async def ask_person(question: str, _: Any) -> bool:
        return ask is not None and await ask(question)

    def make_agent(*more: Any) -> Agent[None, Any]:
        hooks = HooksCapability(
            engine,
            ask=ask_person if ask else None,
            notify=lambda _: None,
            tools={"run": "shell"},
            defers=script.later,
        )
        output: Any = [str, DeferredToolRequests] if script.later else str
        return Agent(
            FunctionModel(model.answer, stream_function=model.stream),
            output_type=output,
            capabilities=[hooks],
            tools=[run, *more],
        )

    async def delegate(task: str) -> str:
        return str((await make_agent().run(task)).output)

    agent = make_agent(delegate)
    result = await run_agent(agent, way, PROMPT)
    if script.later:
        approved = result.output.build_results(approve_all=True)
        history = result.all_messages()
        result = await run_agent(
            agent, way, None, message_history=history, deferred_tool_results=approved
        )
    played.output = result.output


async def run_agent(agent: Agent[None, Any], way: str, prompt: Any, **options: Any) -> Any:
    """Return the result of a run."""
    match way:
        case "run_sync":
            return await asyncio.to_thread(run_outside, agent, prompt, **options)
        case "iter":
            async with agent.iter(prompt, **options) as nodes:
                async for _ in nodes:
                    pass
            return nodes.result
        case "run_stream_events":
            async with agent.run_stream_events(prompt, **options) as events:
                return [event async for event in events][-1].result
        case "run_stream":
            async with agent.run_stream(prompt, **options) as stream:
                output = await stream.get_output()
            return SimpleNamespace(output=output, all_messages=stream.all_messages)
        case _:
            return await agent.run(prompt, **options)


def run_outside(agent: Agent[None, Any], prompt: Any, **options: Any) -> Any:
    """Return the result of a run where no event loop runs."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return agent.run_sync(prompt, **options)
    finally:
        loop.close()
