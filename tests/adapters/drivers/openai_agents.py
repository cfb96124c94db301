"""Plays in the OpenAI Agents SDK."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from agents import (
    Agent,
    ApplyPatchTool,
    ComputerTool,
    CustomTool,
    ShellActionRequest,
    ShellCallData,
    ShellCommandRequest,
    ShellTool,
    function_tool,
    set_tracing_disabled,
)
from agents.editor import ApplyPatchOperation
from agents.testing import ScriptedModel, assistant_message, function_call

import hookline
from hookline import ConfigError, Engine
from hookline.adapters.agent_hooks import AgentHooks
from hookline.adapters.openai_agents import HookedRunner, add_hooks
from hookline.adapters.openai_items import items_to_json
from hookline.adapters.openai_tools import copy_tool
from hookline.adapters.run_hooks import RUNNING
from tests.adapters.plays import PROMPT, Play, Played

if TYPE_CHECKING:
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


async def check() -> list[str]:
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
    try:
        copy_tool(ComputerTool(computer=object()))
    except ConfigError as error:
        said.append(error.name)
    wanted = ["no rm", "***", "no edit", "made", "new", "adapter.unsupported"]
    faults = [] if said == wanted else [f"the model read {said}, not {wanted}"]
    return faults + ([] if ran == ["ls", "create b", "new"] else [f"ran: {ran}"])
