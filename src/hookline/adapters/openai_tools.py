"""Tools of the OpenAI Agents SDK: copies that ask hooks before and after they run."""

from __future__ import annotations

import copy
import inspect
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from agents import (
    ApplyPatchTool,
    CodeInterpreterTool,
    CustomTool,
    FileSearchTool,
    FunctionTool,
    HostedMCPTool,
    ImageGenerationTool,
    ShellTool,
    ToolSearchTool,
    WebSearchTool,
)
from agents.editor import ApplyPatchResult
from agents.tool import (
    ProgrammaticToolCallingTool,
    maybe_invoke_function_tool_failure_error_function,
    set_function_tool_failure_error_function,
)

from hookline.adapters.agent_sessions import RUNNING
from hookline.adapters.answers import RunStoppedError
from hookline.adapters.frameworks import to_text
from hookline.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hookline.adapters.agent_hooks import AgentHooks

    Run = Callable[[dict[str, Any]], Awaitable[Any]]

# OpenAI runs them, or they only name other tools.
_HOSTED = (
    CodeInterpreterTool, FileSearchTool, HostedMCPTool, ImageGenerationTool,
    ProgrammaticToolCallingTool, ToolSearchTool, WebSearchTool,
)  # fmt: skip
# The ends that hooks asked for inside tools whose errors the SDK shows to the model.
STOPS: WeakKeyDictionary[AgentHooks, RunStoppedError] = WeakKeyDictionary()
# What hooks told the sub-agents that run inside tools.
CONTEXTS: WeakKeyDictionary[AgentHooks, tuple[str, ...]] = WeakKeyDictionary()


def copy_tool(tool: Any) -> Any:
    """Return a copy of a tool that asks before and after it runs.

    Raises:
        ConfigError: no hook can be asked about it.
    """
    if isinstance(tool, _HOSTED) or (isinstance(tool, ShellTool) and tool.executor is None):
        return tool
    made = copy.copy(tool)
    if isinstance(tool, FunctionTool):
        _check_agent(tool)
        made.on_invoke_tool = _hook_function(tool)
    elif isinstance(tool, CustomTool):
        made.on_invoke_tool = _hook_text(tool)
    elif isinstance(tool, ShellTool):
        made.executor = _hook_executor(tool.executor)
    elif isinstance(tool, ApplyPatchTool):
        made.editor = _HookedEditor(tool.editor)
    else:
        name = getattr(tool, "name", type(tool).__name__)
        raise ConfigError(
            f"no hook can be asked about the tool `{name}`",
            name="adapter.unsupported",
            hint="remove it, or make it a function tool",
        )
    return made


def _check_agent(tool: Any) -> None:
    """Refuse an agent that became a tool and asks no hooks."""
    agent = getattr(tool, "_agent_instance", None)
    if agent is not None and not getattr(agent, "has_hookline", False):
        raise ConfigError(
            f"the agent `{agent.name}` in the tool `{tool.name}` asks no hooks",
            name="adapter.unsupported",
            hint="make the tool from a copy: `add_hooks(agent).as_tool(...)`",
        )


# -- functions ---------------------------------------------------------------------------------


def _hook_function(tool: Any) -> Any:
    """Return what calls a function after its hooks; a failure is told as the tool says."""
    inner = copy.copy(tool)
    set_function_tool_failure_error_function(inner, None)  # so that its errors come out

    async def invoke(context: Any, arguments: str) -> Any:
        given = parse_input(arguments)

        async def run(new: dict[str, Any]) -> Any:
            return await _call(inner, context, arguments if new == given else json.dumps(new))

        async def recover(error: Exception) -> Any:
            text = await maybe_invoke_function_tool_failure_error_function(
                function_tool=tool, context=context, error=error
            )
            if text is None:
                raise error
            return text

        return await _ask_about(tool.name, given, context.tool_call_id, run, recover)

    return invoke


def _hook_text(tool: Any) -> Any:
    """Do the same for a tool whose input is one text."""

    async def invoke(context: Any, text: str) -> Any:
        async def run(given: dict[str, Any]) -> Any:
            return await _wait(tool.on_invoke_tool(context, str(given["input"])))

        return await _ask_about(tool.name, {"input": text}, context.tool_call_id, run)

    return invoke


async def _call(inner: Any, context: Any, arguments: str) -> Any:
    """Run a function; one that is an agent runs as a sub-agent."""
    if not getattr(inner, "_is_agent_tool", False):
        return await inner.on_invoke_tool(context, arguments)
    child = find_hooks().child(context.tool_call_id, inner.name)
    CONTEXTS[child] = await child.start_subagent(arguments)
    token = RUNNING.set(child)
    try:
        result = await inner.on_invoke_tool(context, arguments)
    finally:
        RUNNING.reset(token)
    told = await child.stop(str(result))
    return f"{result}\n\n{told}" if told else result


def parse_input(arguments: str) -> dict[str, Any]:
    """Return the input of a call; text that is no object as the only key of one."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        given = None
    return given if isinstance(given, dict) else {"arguments": arguments}


# -- shells and editors ------------------------------------------------------------------------


def _hook_executor(executor: Any) -> Any:
    """Return an executor of a shell tool that asks first."""

    async def execute(request: Any) -> Any:
        data = request.data
        given = {"command": "\n".join(data.action.commands)}

        async def run(new: dict[str, Any]) -> Any:
            if new == given:
                return await _wait(executor(request))
            action = replace(data.action, commands=[str(new["command"])])
            return await _wait(executor(replace(request, data=replace(data, action=action))))

        return await _ask_inside("shell", given, data.call_id, run)

    return execute


class _HookedEditor:
    """An editor of the patch tool that asks first: a new file is `write`, a change `edit`."""

    def __init__(self, editor: Any) -> None:
        self._editor = editor

    async def create_file(self, operation: Any) -> Any:
        return await self._ask("write", {"content": operation.diff}, operation)

    async def update_file(self, operation: Any) -> Any:
        moved = {"move_to": operation.move_to} if operation.move_to else {}
        return await self._ask("edit", {"diff": operation.diff, **moved}, operation)

    async def delete_file(self, operation: Any) -> Any:
        return await self._ask("edit", {"delete": True}, operation)

    async def _ask(self, tool: str, given: dict[str, Any], operation: Any) -> Any:
        async def run(new: dict[str, Any]) -> Any:
            diff = new.get("content", new.get("diff", operation.diff))
            changed = replace(operation, path=new["path"], diff=diff)
            return await _wait(getattr(self._editor, operation.type)(changed))

        answer = await _ask_inside(tool, {"path": operation.path, **given}, "", run)
        if isinstance(answer, _Refusal):
            return ApplyPatchResult(status="failed", output=str(answer))
        return answer


class _Refusal(str):
    """Why a call must not run."""

    __slots__ = ()


async def _ask_inside(name: str, given: dict[str, Any], call_id: str, run: Run) -> Any:
    """Ask about a call where the SDK shows every error to the model, an end of the run too."""
    try:
        return await _ask_about(name, given, call_id, run)
    except RunStoppedError as stopped:
        STOPS[find_hooks()] = stopped
        raise


# -- asking ------------------------------------------------------------------------------------


async def _ask_about(
    name: str,
    given: dict[str, Any],
    call_id: str,
    run: Run,
    recover: Callable[[Exception], Awaitable[Any]] | None = None,
) -> Any:
    """Return what the model gets for a call: its result, or why it did not run."""
    hooks = find_hooks()
    answer = await hooks.before_tool(name, given, call_id)
    if answer.refusal:
        return _Refusal(answer.refusal)
    if answer.has_result:
        return _add_texts(answer.result or "", answer.context)
    new = answer.input
    began = time.monotonic()
    try:
        result = await run(new)
    except Exception as error:
        stopped = RunStoppedError.find(error)
        if stopped is not None and stopped.kind != "subagent.start":
            raise stopped from None
        after = await hooks.tool_failed(name, new, call_id, str(error) or type(error).__name__)
        if stopped is not None:
            return _Refusal(stopped.reason)
        if recover is None:
            raise
        return _add_texts(await recover(error), after.context)
    seconds = time.monotonic() - began
    after = await hooks.after_tool(name, new, call_id, _show(result), seconds)
    return _add_texts(after.result if after.changed else result, after.context)


def _add_texts(result: Any, texts: tuple[str, ...]) -> Any:
    return "\n\n".join((_read_output(result), *texts)) if texts else result


def _show(result: Any) -> Any:
    """Return a result as hooks see it."""
    is_plain = isinstance(result, str | int | float | list | dict)
    return result if is_plain else _read_output(result)


def _read_output(result: Any) -> str:
    """Return the text of a result; that of a shell is what its commands printed."""
    output = getattr(result, "output", result)
    if isinstance(output, list) and output and hasattr(output[0], "stdout"):
        return "".join(f"{each.stdout}{each.stderr}" for each in output)
    return to_text(output)


def find_hooks() -> AgentHooks:
    """Return the hooks of this run.

    Raises:
        RunStoppedError: there are none.
    """
    hooks = RUNNING.get()
    if hooks is None:
        raise RunStoppedError("an agent with hooks must be run by a `HookedRunner`")
    return hooks


async def _wait(answer: Any) -> Any:
    return await answer if inspect.isawaitable(answer) else answer
