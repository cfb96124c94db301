"""Plays in the OpenAI Agents SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents import Agent, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from hookline.adapters.openai_agents import HookedRunner, add_hooks
from hookline.adapters.openai_items import items_to_json
from tests.adapters.plays import PROMPT, Play, Played

if TYPE_CHECKING:
    from hookline import Engine
    from tests.adapters.plays import Ask, Turn

PACKAGE = "openai-agents"
SKIPS = {"ask later": "a question that is not answered refuses the call"}


async def play(engine: Engine, script: Play, ask: Ask | None, played: Played) -> None:
    """Run an agent with one tool through a play."""
    set_tracing_disabled(True)

    @function_tool
    def run(command: str) -> str:
        """Run a command."""
        word = command.removeprefix("echo ")
        if word == command:
            raise ValueError(command)
        played.ran.append(word)
        return word

    async def ask_person(question: str, _: Any) -> bool:
        return ask is not None and await ask(question)

    def write(turn: Turn) -> list[Any]:
        if isinstance(turn, str):
            return [assistant_message(turn)]
        if turn[0] == "delegate":
            return [function_call("delegate", {"input": turn[1]}, call_id="call_0")]
        return [function_call("run", {"command": turn[1]}, call_id="call_1")]

    model = ScriptedModel([write(turn) for turn in script.turns])
    helper = add_hooks(Agent(name="helper", tools=[run], model=model))
    delegate = helper.as_tool("delegate", "Let another agent do it.")
    runner = HookedRunner(
        engine,
        ask=ask_person if ask else None,
        notify=lambda _: None,
        tools={"run": "shell"},
    )
    agent = Agent(name="agent", tools=[run, delegate], model=model)
    try:
        played.output = str((await runner.run(agent, PROMPT)).final_output)
    finally:
        for call in model.calls:
            read = (str(entry.get("content", "")) for entry in items_to_json(call.input))
            played.read.append("\n".join(read))
