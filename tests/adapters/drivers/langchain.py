"""Plays in LangChain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import ToolException, tool

from hookline.adapters.langchain import HooksMiddleware
from tests.adapters.plays import Play, Played

if TYPE_CHECKING:
    from hookline import Engine
    from tests.adapters.plays import Ask

PACKAGE = "langchain"
SKIPS: dict[str, str] = {}


class ScriptedModel(BaseChatModel):
    """A model that plays turns, and writes down what it reads."""

    turns: list[Any]
    played: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, *_: Any, **__: Any) -> ScriptedModel:
        return self

    def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
        self.played.read.append("\n".join(str(each.text) for each in messages))
        turn = self.turns.pop(0)
        if isinstance(turn, str):
            message = AIMessage(turn)
        else:
            call = {"name": "run", "args": {"command": turn[1]}, "id": "call_1"}
            message = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


async def play(engine: Engine, script: Play, ask: Ask | None, *, waits: bool = False) -> Played:
    """Run an agent with one tool through a play; `waits`: by `invoke`."""
    played = Played()

    @tool
    def run(command: str) -> str:
        """Run a command."""
        word = command.removeprefix("echo ")
        if word == command:
            raise ToolException(command)
        played.ran.append(word)
        return word

    run.handle_tool_error = True

    async def ask_person(question: str, _: Any) -> bool:
        return ask is not None and await ask(question)

    hooks = HooksMiddleware(
        engine,
        ask=ask_person if ask else None,
        notify=lambda _: None,
        tools={"run": "shell"},
    )
    model = ScriptedModel(turns=list(script.turns), played=played)
    agent = create_agent(model, [run], middleware=[hooks])
    given = {"messages": [{"role": "user", "content": "go"}]}
    state = agent.invoke(given) if waits else await agent.ainvoke(given)
    played.output = str(state["messages"][-1].text)
    return played
