"""Plays in LangChain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain.tools import ToolRuntime  # noqa: TC002 - the framework reads the annotation
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import hookline
from hookline import Engine
from hookline.adapters.langchain import HooksMiddleware
from tests.adapters.plays import PROMPT, Play, Played

if TYPE_CHECKING:
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
            name, key = ("run", "command") if turn[0] == "shell" else ("delegate", "task")
            call = {"name": name, "args": {key: turn[1]}, "id": f"call_{name}"}
            message = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


async def play(
    engine: Engine, script: Play, ask: Ask | None, played: Played, *, waits: bool = False
) -> None:
    """Run an agent with one tool through a play; `waits`: by `invoke`."""

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

    model = ScriptedModel(turns=list(script.turns), played=played)

    def make_agent(*more: Any) -> Any:
        hooks = HooksMiddleware(
            engine,
            ask=ask_person if ask else None,
            notify=lambda _: None,
            tools={"run": "shell"},
            defers=script.later,
        )
        keeper = InMemorySaver() if script.later else None
        return create_agent(model, [run, *more], middleware=[hooks], checkpointer=keeper)

    @tool
    def delegate(task: str) -> str:
        """Let another agent do it."""
        state = make_agent().invoke({"messages": [{"role": "user", "content": task}]})
        return str(state["messages"][-1].text)

    agent = make_agent(delegate)
    given: Any = {"messages": [{"role": "user", "content": PROMPT}]}
    thread = {"configurable": {"thread_id": "1"}}

    async def go(given: Any) -> Any:
        return agent.invoke(given, thread) if waits else await agent.ainvoke(given, thread)

    state = await go(given)
    if script.later:
        (question,) = state["__interrupt__"]
        assert question.value["action_requests"][0]["description"] == "may it?"
        state = await go(Command(resume={"decisions": [{"type": "approve"}]}))
    played.output = str(state["messages"][-1].text)


async def check() -> list[str]:
    """The message inside a command to the graph is a result, too."""
    engine, played = Engine(), Played()
    engine.on("tool.after")(lambda _: hookline.rewrite(output="***"))

    @tool
    def run(command: str, runtime: ToolRuntime) -> Command[Any]:
        """Run a command."""
        message = ToolMessage(f"secret of {command}", tool_call_id=runtime.tool_call_id)
        return Command(update={"messages": [message]})

    model = ScriptedModel(turns=[("shell", "ls"), "done"], played=played)
    agent = create_agent(model, [run], middleware=[HooksMiddleware(engine)])
    await agent.ainvoke({"messages": [{"role": "user", "content": PROMPT}]})
    last = played.read[-1]
    return [] if last.endswith("***") and "secret" not in last else [f"the model read {last!r}"]
