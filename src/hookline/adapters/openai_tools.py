"""Tools of the OpenAI Agents SDK: copies that ask hooks before and after they run."""

from __future__ import annotations

import copy
import inspect
import json
import shlex
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from hookline.adapters.agent_hooks import AgentHooks
from hookline.adapters.answers import RunStoppedError
from hookline.adapters.frameworks import make_missing_error
from hookline.adapters.run_hooks import RUNNING
from hookline.errors import ConfigError
from hookline.installation import install_command

try:
    from agents import (
        ApplyPatchTool,
        CodeInterpreterTool,
        CustomTool,
        FileSearchTool,
        FunctionTool,
        HostedMCPTool,
        ImageGenerationTool,
        LocalShellTool,
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
except ImportError as error:
    command = install_command(extra="openai-agents")
    raise make_missing_error("OpenAI Agents SDK", command, error) from error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hookline.adapters.answers import ResultAnswer, ToolAnswer

# OpenAI runs them, or they only name other tools.
_HOSTED = (
    CodeInterpreterTool, FileSearchTool, HostedMCPTool, ImageGenerationTool,
    ProgrammaticToolCallingTool, ToolSearchTool, WebSearchTool,
)  # fmt: skip
# The ends that hooks asked for inside tools whose errors the SDK shows to the model.
STOPS: WeakKeyDictionary[AgentHooks, RunStoppedError] = WeakKeyDictionary()


def copy_tool(tool: Any) -> Any:
    """Return a copy of a tool that asks before and after it runs.

    Raises:
        ConfigError: no hook can be asked about it.
    """
    if isinstance(tool, _HOSTED) or (isinstance(tool, ShellTool) and tool.executor is None):
        return tool
    made = copy.copy(tool)
    if isinstance(tool, FunctionTool):
        inner = copy.copy(tool)
        set_function_tool_failure_error_function(inner, None)  # so that its errors come out

        async def invoke(context: Any, arguments: str) -> Any:
            return await _invoke(inner, tool, context, arguments)

        made.on_invoke_tool = invoke
    elif isinstance(tool, CustomTool):

        async def invoke_text(context: Any, text: str) -> Any:
            async def run(given: dict[str, Any]) -> Any:
                return await _wait(tool.on_invoke_tool(context, str(given["input"])))

            return await _ask_about(tool.name, {"input": text}, context.tool_call_id, run)

        made.on_invoke_tool = invoke_text
    elif isinstance(tool, ShellTool | LocalShellTool):
        made.executor = _hook_executor(tool.executor)
    elif isinstance(tool, ApplyPatchTool):
        made.editor = _HookedEditor(tool.editor)
    else:
        raise ConfigError(
            f"no hook can be asked about the tool `{getattr(tool, 'name', type(tool).__name__)}`",
            name="adapter.unsupported",
            hint="remove it, or make it a function tool",
        )
    return made


# -- functions ---------------------------------------------------------------------------------


async def _invoke(inner: Any, tool: Any, context: Any, arguments: str) -> Any:
    """Ask about a call of a function, and run it; a failure is told as the tool says."""
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


async def _call(inner: Any, context: Any, arguments: str) -> Any:
    """Run a function; one that is an agent runs as a sub-agent."""
    if not getattr(inner, "_is_agent_tool", False):
        return await inner.on_invoke_tool(context, arguments)
    child = find_hooks().child(context.tool_call_id, inner.name)
    start = await child.start_subagent(arguments)
    if start.refusal:
        return start.refusal
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
    """Return an executor of a shell tool that asks first; both kinds of request."""

    async def execute(request: Any) -> Any:
        data = request.data
        action = data.action
        is_modern = hasattr(action, "commands")
        given = {"command": "\n".join(action.commands) if is_modern else shlex.join(action.command)}

        async def run(new: dict[str, Any]) -> Any:
            if new == given:
                return await _wait(executor(request))
            line = str(new["command"])
            if is_modern:
                changed = replace(data, action=replace(action, commands=[line]))
            else:
                argv = {"command": ["bash", "-c", line]}
                changed = data.model_copy(update={"action": action.model_copy(update=argv)})
            return await _wait(executor(replace(request, data=changed)))

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


async def _ask_inside(
    name: str, given: dict[str, Any], call_id: str, run: Callable[[dict[str, Any]], Awaitable[Any]]
) -> Any:
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
    run: Callable[[dict[str, Any]], Awaitable[Any]],
    recover: Callable[[Exception], Awaitable[Any]] | None = None,
) -> Any:
    """Return what the model gets for a call: its result, or why it did not run."""
    hooks = find_hooks()
    answer = await hooks.before_tool(name, given, call_id)
    new, instead = await _decide(hooks, name, given, call_id, answer)
    if instead is not None:
        return instead
    began = time.monotonic()
    try:
        result = await run(new)
    except Exception as error:
        if (stopped := find_stop(error)) is not None:
            raise stopped from None
        after = await hooks.tool_failed(name, new, call_id, str(error) or type(error).__name__)
        refuse(after.ends, "tool.failure")
        if recover is None:
            raise
        return _add_texts(await recover(error), answer, after)
    seconds = time.monotonic() - began
    after = await hooks.after_tool(name, new, call_id, _show(result), seconds)
    refuse(after.ends, "tool.after")
    return _add_texts(after.result if after.changed else result, answer, after)


async def _decide(
    hooks: AgentHooks, name: str, given: dict[str, Any], call_id: str, answer: ToolAnswer
) -> tuple[Any, Any]:
    """Return the input to run a tool with, and what the model gets if it must not run."""
    refuse(answer.ends, "tool.before")
    if answer.refusal:
        return given, _Refusal(answer.refusal)
    new = answer.input
    if answer.question:
        approval = await hooks.approve(name, new, call_id, answer.question)
        if not approval.granted:
            return given, _Refusal(approval.reason)
        new = approval.input
    return new, (answer.result or "") if answer.has_result else None


def _add_texts(result: Any, before: ToolAnswer, after: ResultAnswer) -> Any:
    texts = (*before.context, *after.context)
    return "\n\n".join((_to_text(result), *texts)) if texts else result


def _show(result: Any) -> Any:
    """Return a result as hooks see it."""
    if isinstance(result, str | int | float | list | dict):
        return result
    return _to_text(result)


def _to_text(result: Any) -> str:
    """Return the text of a result; that of a shell is what its commands printed."""
    output = getattr(result, "output", result)
    if isinstance(output, list) and output and hasattr(output[0], "stdout"):
        return "".join(f"{each.stdout}{each.stderr}" for each in output)
    return str(output)


def find_hooks() -> AgentHooks:
    """Return the hooks of this run.

    Raises:
        RunStoppedError: there are none.
    """
    hooks = RUNNING.get()
    if not isinstance(hooks, AgentHooks):
        raise RunStoppedError("an agent with hooks must be run by a `HookedRunner`")
    return hooks


def find_stop(error: BaseException) -> RunStoppedError | None:
    """Return the end that a hook asked for, inside an error of the SDK."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, RunStoppedError):
        found = found.__cause__
    return found


def refuse(reason: str, kind: str) -> None:
    """Stop the run if there is a reason.

    Raises:
        RunStoppedError: there is.
    """
    if reason:
        raise RunStoppedError(reason, kind)


async def _wait(answer: Any) -> Any:
    return await answer if inspect.isawaitable(answer) else answer
