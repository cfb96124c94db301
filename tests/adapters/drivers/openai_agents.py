"""Plays in the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from agents import (
    Agent,
    ApplyPatchTool,
    ComputerTool,
    CustomTool,
    ShellActionRequest,
    ShellCallData,
    ShellCommandRequest,
    ShellTool,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from agents.editor import ApplyPatchOperation
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

import hookline
from hookline import ConfigError, Engine
from hookline.adapters.agent_hooks import AgentHooks
from hookline.adapters.agent_sessions import RUNNING
from hookline.adapters.openai_agents import HookedRunner, add_hooks
from hookline.adapters.openai_models import (
    items_from_json,
    items_to_json,
    read_text,
    replace_prompt,
)
from hookline.adapters.openai_tools import copy_tool
from tests.adapters.plays import AGAIN, PROMPT, Play, Played, send_back_once

if TYPE_CHECKING:
    from tests.adapters.plays import Ask, Turn

PACKAGE = "openai-agents"
PICTURE = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}


async def play(
    engine: Engine, script: Play, ask: Ask | None, played: Played, way: str = "run"
) -> None:
    """Run an agent with one tool through a play."""
    set_tracing_disabled(True)

    @function_tool
    async def run(command: str) -> str:
        """Run a command."""
        if command == "cancel":
            return await played.wait()
        word = command.removeprefix("echo ")
        if word == command:
            raise ValueError(command)
        played.ran.append(word)
        return word

    async def ask_person(question: str, _: Any) -> bool:
        return ask is not None and await ask(question)

    model = ScriptedModel([make_step(turn) for turn in script.turns])
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
        played.output = str((await run_agent(runner, agent, way)).final_output)
    finally:
        for call in model.calls:
            read = (str(entry.get("content", "")) for entry in items_to_json(call.input))
            played.read.append("\n".join(read))


def make_step(turn: Turn) -> Any:
    """What the model does in a turn."""
    if isinstance(turn, Exception):
        return ModelStep(error=turn)
    if isinstance(turn, str):
        return [assistant_message(turn)]
    return [
        function_call(
            "run" if tool == "shell" else "delegate",
            {"command" if tool == "shell" else "input": argument},
            call_id=f"call_{uuid4().hex}",
        )
        for tool, argument in turn
    ]


async def run_agent(runner: HookedRunner, agent: Any, way: str) -> Any:
    """Return the result of a run."""
    if way == "run_sync":
        return await asyncio.to_thread(runner.run_sync, agent, PROMPT)
    if way == "run":
        return await runner.run(agent, PROMPT)
    stream = runner.run_streamed(agent, PROMPT)
    async for _ in stream.stream_events():
        pass
    return stream


async def check() -> list[str]:
    """What only this framework has."""
    set_tracing_disabled(True)
    return [
        *await check_tools(),
        *await check_approval(),
        *await check_model(),
        *await check_cancel(),
        *await check_loop(),
        *check_items(),
    ]


async def check_loop() -> list[str]:
    """Each `run_sync` in a thread uses the same event loop, which stays open."""
    loops: list[asyncio.AbstractEventLoop] = []

    def run_twice() -> None:
        for _ in range(2):
            model = LoopModel([[assistant_message("done")]])
            HookedRunner(Engine()).run_sync(Agent(name="agent", model=model), PROMPT)
            loops.append(model.loop)

    await asyncio.to_thread(run_twice)
    faults = []
    if loops[0] is not loops[1]:
        faults.append("`run_sync` used two event loops")
    if loops[0].is_closed():
        faults.append("`run_sync` closed its event loop")
    return faults


class LoopModel(ScriptedModel):
    """A model that keeps the event loop of its last request."""

    loop: Any = None

    async def get_response(self, *given: Any, **options: Any) -> Any:
        self.loop = asyncio.get_running_loop()
        return await super().get_response(*given, **options)


async def check_cancel() -> list[str]:
    """A stream that is cancelled before or while hooks run sends no further request."""
    faults = []
    for moment, requests in (("", 0), ("prompt.submit", 0), ("stop", 1)):
        engine, events = Engine(), []
        streams: list[Any] = []
        engine.on("prompt.submit")(lambda _, events=events: events.append("prompt.submit"))
        if moment:
            engine.on(moment)(lambda _, streams=streams: streams[0].cancel())
        engine.on("stop")(send_back_once)
        model = ScriptedModel([[assistant_message("half")], [assistant_message("done")]])
        streams.append(HookedRunner(engine).run_streamed(Agent(name="agent", model=model), PROMPT))
        if not moment:
            streams[0].cancel()
        async for _ in streams[0].stream_events():
            pass
        output = streams[0].final_output
        if (len(model.calls), output) != (requests, "half" if requests else None):
            faults.append(f"cancelled at {moment!r}: {len(model.calls)} requests, {output!r}")
        if not moment and events:
            faults.append(f"cancelled before the first event, hooks ran on {events}")
    return faults


async def check_model() -> list[str]:
    """The model itself is told that its run has ended; what a session keeps is not sent twice."""
    ended: list[object] = []

    class Ending(ScriptedModel):
        async def _cleanup_on_run_end(self, owner: object) -> None:
            ended.append(owner)

    engine, session = Engine(), SQLiteSession("s")
    engine.on("stop")(send_back_once)
    model = Ending([[assistant_message("half")], [assistant_message("done")]])
    await HookedRunner(engine).run(Agent(name="agent", model=model), PROMPT, session=session)
    kept = items_to_json(await session.get_items())
    said = [entry["content"] for entry in kept]
    faults = [] if len(ended) == 2 else [f"the model was told {len(ended)} times of the end"]
    return faults + ([] if said == [PROMPT, "half", AGAIN, "done"] else [f"the session has {said}"])


async def check_approval() -> list[str]:
    """A tool that requires an approval interrupts the run, and the state of that resumes it."""
    ran: list[str] = []

    @function_tool(needs_approval=True)
    def run(command: str) -> str:
        """Run a command."""
        ran.append(command)
        return "ran"

    turns: list[Turn] = [[("shell", "ls")], "done"]
    agent = Agent(name="agent", tools=[run], model=ScriptedModel([*map(make_step, turns)]))
    runner = HookedRunner(Engine())
    first = await runner.run(agent, PROMPT)
    if ran or not first.interruptions:
        return ["the tool ran without an approval"]
    state = first.to_state()
    state.approve(first.interruptions[0])
    second = await runner.run(agent, state)
    return [] if (second.final_output, ran) == ("done", ["ls"]) else [f"resumed: {ran}"]


def check_items() -> list[str]:
    """Hooks see items as messages; what they leave stays the item itself."""
    items: list[Any] = [
        {"role": "user", "content": [{"type": "input_text", "text": "list"}]},
        {"type": "reasoning", "id": "r1", "summary": []},
        {"type": "function_call", "call_id": "1", "name": "ls", "arguments": '{"a": 1}', "id": "f"},
        {"type": "function_call_output", "call_id": "1", "output": "x"},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "done"}]},
    ]
    call = {"id": "1", "name": "ls", "input": {"a": 1}}
    shown = [
        {"role": "user", "content": "list"},
        items[1],
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "x"},
        {"role": "assistant", "content": "done"},
    ]
    changed = [
        *shown[:3],
        shown[3] | {"content": "***"},
        shown[4],
        {"role": "user", "content": "y"},
    ]
    output = {"type": "function_call_output", "call_id": "1", "output": "***"}
    pairs = (
        (items_to_json(items), shown),
        (items_from_json(changed, items), [*items[:3], output, items[4], changed[-1]]),
        (items_to_json(items_from_json(shown)), shown),
        (read_text(items[1:]), "done"),
        (replace_prompt(items[0], "new"), {"role": "user", "content": "new"}),
        (
            replace_prompt({"role": "user", "content": [*items[0]["content"], PICTURE]}, "new"),
            {"role": "user", "content": [{"type": "input_text", "text": "new"}, PICTURE]},
        ),
    )
    return [f"{got!r}, not {wanted!r}" for got, wanted in pairs if got != wanted]


async def check_tools() -> list[str]:
    """Shells, editors and raw tools of this process are asked about; what cannot be is refused."""
    ran: list[str] = []

    class Editor:
        def create_file(self, operation: ApplyPatchOperation) -> str:
            ran.append(f"create {operation.path}")
            return "made"

        update_file = delete_file = create_file

    engine = Engine()
    engine.on("tool.before", command="rm")(lambda _: hookline.deny("no rm"))
    engine.on("tool.before", tool="edit")(lambda _: hookline.deny("no edit"))
    engine.on("tool.before", tool="raw")(lambda _: hookline.rewrite({"input": "new"}))
    engine.on("tool.after", tool="shell")(lambda _: hookline.rewrite(output="***"))
    shell = copy_tool(ShellTool(executor=lambda each: ran.append(each.data.action.commands[0])))
    editor = copy_tool(ApplyPatchTool(editor=Editor())).editor
    raw = copy_tool(CustomTool("raw", "", lambda _, text: ran.append(text) or text))

    def request(line: str) -> Any:
        return ShellCommandRequest(None, ShellCallData("1", ShellActionRequest([line])))

    token = RUNNING.set(AgentHooks(engine))
    try:
        said = [
            await shell.executor(request("rm -rf x")),
            await shell.executor(request("ls")),
            (await editor.update_file(ApplyPatchOperation("update_file", "a"))).output,
            await editor.create_file(ApplyPatchOperation("create_file", "b", "+x")),
            await raw.on_invoke_tool(SimpleNamespace(tool_call_id="2"), "old"),
        ]
    finally:
        RUNNING.reset(token)
    unhooked = Agent(name="helper").as_tool("delegate", "help")
    for tool in (ComputerTool(computer=object()), unhooked):
        try:
            copy_tool(tool)
        except ConfigError as error:
            said.append(error.name)
    wanted = ["no rm", "***", "no edit", "made", "new", *["adapter.unsupported"] * 2]
    faults = [] if said == wanted else [f"the model read {said}, not {wanted}"]
    return faults + ([] if ran == ["ls", "create b", "new"] else [f"ran: {ran}"])
