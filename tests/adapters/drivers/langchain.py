"""Plays in LangChain."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain.tools import ToolRuntime  # noqa: TC002 - the framework reads the annotation
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool, ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import hookline
from hookline import Engine
from hookline.adapters.langchain import HooksMiddleware
from tests.adapters.plays import PROMPT, Play, Played

if TYPE_CHECKING:
    from tests.adapters.plays import Ask

PACKAGE = "langchain"


def make_call(name: str, argument: str) -> Any:
    """A call of a tool as LangChain has it."""
    tool, key = ("run", "command") if name == "shell" else ("delegate", "task")
    return {"name": tool, "args": {key: argument}, "id": f"call_{uuid4().hex}"}


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
        if isinstance(turn, Exception):
            raise turn
        if isinstance(turn, AIMessage):
            message = turn
        elif isinstance(turn, str):
            message = AIMessage(turn)
        else:
            message = AIMessage("", tool_calls=[make_call(*each) for each in turn])
        return ChatResult(generations=[ChatGeneration(message=message)])


async def play(
    engine: Engine, script: Play, ask: Ask | None, played: Played, way: str = "ainvoke"
) -> None:
    """Run an agent with one tool through a play."""

    def run_command(command: str) -> str:
        """Run a command."""
        word = command.removeprefix("echo ")
        if word == command:
            raise ToolException(command)
        played.ran.append(word)
        return word

    async def run_async(command: str) -> str:
        return await played.wait() if command == "cancel" else run_command(command)

    run = StructuredTool.from_function(run_command, run_async, name="run", handle_tool_error=True)

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

    state = await run_agent(agent, way, given, thread)
    if script.later:
        (question,) = state["__interrupt__"]
        assert question.value["action_requests"][0]["description"] == "may it?"
        approved: Any = Command(resume={"decisions": [{"type": "approve"}]})
        state = await run_agent(agent, way, approved, thread)
    played.output = str(state["messages"][-1].text)


async def run_agent(agent: Any, way: str, given: Any, thread: Any) -> Any:
    """Return the state at the end of a run."""
    match way:
        case "invoke":
            return agent.invoke(given, thread)  # inside an event loop, as a careless caller does
        case "stream":
            parts = partial(agent.stream, given, thread, stream_mode="values")
            return await asyncio.to_thread(lambda: [*parts()][-1])
        case "astream":
            both = agent.astream(given, thread, stream_mode=["values", "messages"])
            return [part async for mode, part in both if mode == "values"][-1]
        case _:
            return await agent.ainvoke(given, thread)


async def check() -> list[str]:
    """What only this framework has."""
    return [*await check_command(), *await check_picture(), *await check_structured()]


async def check_structured() -> list[str]:
    """A rewritten response keeps its structured response, and the model is called once."""
    engine, faults = Engine(), []
    engine.on("model.response")(lambda _: hookline.rewrite(text="***"))
    schema = {
        "title": "Out",
        "description": "An answer.",
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
    }
    call = {"name": "Out", "args": {"answer": "x"}, "id": "1"}
    for strategy, message in (
        (ProviderStrategy(schema), AIMessage('{"answer": "x"}')),
        (ToolStrategy(schema), AIMessage("text", tool_calls=[call])),
    ):
        played = Played()
        model = ScriptedModel(turns=[message, "again"], played=played)
        agent = create_agent(model, middleware=[HooksMiddleware(engine)], response_format=strategy)
        state = await agent.ainvoke({"messages": [{"role": "user", "content": PROMPT}]})
        got = (state.get("structured_response"), state["messages"][1].text, len(played.read))
        if got != ({"answer": "x"}, "***", 1):
            faults.append(f"{type(strategy).__name__}: {got}")
    return faults


async def check_picture() -> list[str]:
    """A prompt that a hook rewrites keeps its picture."""
    engine, played = Engine(), Played()
    engine.on("prompt.submit")(lambda _: hookline.rewrite(text="new"))
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    content: Any = [{"type": "text", "text": PROMPT}, picture]
    model = ScriptedModel(turns=["done"], played=played)
    agent = create_agent(model, middleware=[HooksMiddleware(engine)])
    state = await agent.ainvoke({"messages": [{"role": "user", "content": content}]})
    got = state["messages"][0].content
    return [] if got == [{"type": "text", "text": "new"}, picture] else [f"the prompt is {got}"]


async def check_command() -> list[str]:
    """The message inside a command to the graph is a result, too."""
    engine, played = Engine(), Played()
    engine.on("tool.after")(lambda _: hookline.rewrite(output="***"))

    @tool
    def run(command: str, runtime: ToolRuntime) -> Command[Any]:
        """Run a command."""
        message = ToolMessage(f"secret of {command}", tool_call_id=runtime.tool_call_id)
        return Command(update={"messages": [message]})

    model = ScriptedModel(turns=[[("shell", "ls")], "done"], played=played)
    agent = create_agent(model, [run], middleware=[HooksMiddleware(engine)])
    await agent.ainvoke({"messages": [{"role": "user", "content": PROMPT}]})
    last = played.read[-1]
    return [] if last.endswith("***") and "secret" not in last else [f"the model read {last!r}"]
