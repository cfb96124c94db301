"""Plays in Pydantic AI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, DeferredToolRequests, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from hookline.adapters.pydantic_ai import HooksCapability, messages_to_json
from tests.adapters.plays import PROMPT, Play, Played

if TYPE_CHECKING:
    from hookline import Engine
    from tests.adapters.plays import Ask

PACKAGE = "pydantic-ai-slim"
SKIPS: dict[str, str] = {}


async def play(engine: Engine, script: Play, ask: Ask | None, played: Played) -> None:
    """Run an agent with one tool through a play."""
    turns = list(script.turns)

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        read = (str(entry["content"]) for entry in messages_to_json(messages))
        played.read.append("\n".join(read))
        turn = turns.pop(0)
        if isinstance(turn, str):
            return ModelResponse(parts=[TextPart(turn)])
        tool, argument = turn
        if tool == "delegate":
            return ModelResponse(parts=[ToolCallPart("delegate", {"task": argument}, "call_0")])
        return ModelResponse(parts=[ToolCallPart("run", {"command": argument}, "call_1")])

    def run(command: str) -> str:
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
            FunctionModel(answer), output_type=output, capabilities=[hooks], tools=[run, *more]
        )

    async def delegate(task: str) -> str:
        return str((await make_agent().run(task)).output)

    agent = make_agent(delegate)
    result = await agent.run(PROMPT)
    if script.later:
        approved = result.output.build_results(approve_all=True)
        history = result.all_messages()
        result = await agent.run(message_history=history, deferred_tool_results=approved)
    played.output = result.output
