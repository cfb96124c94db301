"""Plays in the OpenAI Agents SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents import Agent, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from hookline.adapters.openai_agents import HookedRunner
from hookline.adapters.openai_items import items_to_json
from tests.adapters.plays import Play, Played

if TYPE_CHECKING:
    from hookline import Engine
    from tests.adapters.plays import Ask

PACKAGE = "openai-agents"
SKIPS: dict[str, str] = {}


async def play(engine: Engine, script: Play, ask: Ask | None) -> Played:
    """Run an agent with one tool through a play."""
    set_tracing_disabled(True)
    played = Played()

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

    model = ScriptedModel(
        [
            [assistant_message(turn)]
            if isinstance(turn, str)
            else [function_call("run", {"command": turn[1]}, call_id="call_1")]
            for turn in script.turns
        ]
    )
    runner = HookedRunner(
        engine,
        ask=ask_person if ask else None,
        notify=lambda _: None,
        tools={"run": "shell"},
    )
    result = await runner.run(Agent(name="agent", tools=[run], model=model), "go")
    played.output = str(result.final_output)
    for call in model.calls:
        read = (str(entry.get("content", "")) for entry in items_to_json(call.input))
        played.read.append("\n".join(read))
    return played
