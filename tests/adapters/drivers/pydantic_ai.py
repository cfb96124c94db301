"""Plays in Pydantic AI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from hookline.adapters.pydantic_ai import HooksCapability, messages_to_json
from tests.adapters.plays import Play, Played

if TYPE_CHECKING:
    from hookline import Engine
    from tests.adapters.plays import Ask

PACKAGE = "pydantic-ai-slim"
SKIPS: dict[str, str] = {}


async def play(engine: Engine, script: Play, ask: Ask | None) -> Played:
    """Run an agent with one tool through a play."""
    played, turns = Played(), list(script.turns)

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        read = (str(entry["content"]) for entry in messages_to_json(messages))
        played.read.append("\n".join(read))
        turn = turns.pop(0)
        if isinstance(turn, str):
            return ModelResponse(parts=[TextPart(turn)])
        return ModelResponse(parts=[ToolCallPart("run", {"command": turn[1]}, "call_1")])

    def run(command: str) -> str:
        word = command.removeprefix("echo ")
        if word == command:
            raise ModelRetry(command)
        played.ran.append(word)
        return word

    async def ask_person(question: str, _: Any) -> bool:
        return ask is not None and await ask(question)

    hooks = HooksCapability(
        engine,
        ask=ask_person if ask else None,
        notify=lambda _: None,
        tools={"run": "shell"},
    )
    agent = Agent(FunctionModel(answer), capabilities=[hooks], tools=[run])
    played.output = (await agent.run("go")).output
    return played
