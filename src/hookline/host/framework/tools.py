"""Tools: the toolsets of an agent file, on those of pydantic-ai and its harness."""

from __future__ import annotations

import asyncio
import os
import shlex
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import escape
from typing import TYPE_CHECKING, Any

from pydantic_ai.capabilities import AbstractCapability, LocalWorkspace
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import RunContext
from pydantic_ai.toolsets import FunctionToolset, WrapperToolset
from pydantic_ai.usage import RunUsage
from pydantic_ai.workspaces import (
    LocalWorkspaceBackend,
    Workspace,
    WorkspaceUnavailableError,
)
from pydantic_ai_harness.bubblewrap_sandbox import BubblewrapSandbox, BubblewrapWorkspace
from pydantic_ai_harness.filesystem import READ_ONLY_TOOL_NAMES, FileSystem
from pydantic_ai_harness.planning import InMemoryPlanStore, Planning
from pydantic_ai_harness.shell import LLM_API_KEY_ENV_PATTERNS, ShellToolset

from hookline.handlers.process_tree import COOKIE, end_marked
from hookline.host.job_files import remove_job_files
from hookline.host.turns import Gate  # noqa: TC001 - the framework reads the signatures

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pydantic_ai.models import Model
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset

    from hookline.host.agent_spec import SandboxSettings, Toolset

_LONGEST_OUTPUT = 200_000  # characters; `limit_large_tool_results` shortens earlier
_LONGEST_COMMAND = 600.0  # seconds
_SANDBOX_START = 10.0  # seconds
# Names of docker-agent for tools of the harness, so that its matchers select them.
_RENAMED = {"search_files_content": "search_files"}
_READ_ONLY = {*READ_ONLY_TOOL_NAMES, "search_files_content"}
# How the harness ends the output of a program that failed, or took too long.
_FAILED, _TIMED_OUT = "[exit code: ", "[Command timed out"


def make_workspace(
    folder: str, environ: Mapping[str, str], sandbox: SandboxSettings, keys: Collection[str]
) -> AbstractCapability[Any]:
    """Return the workspace of a session: its folder, and the environment of its commands.

    `keys`: names of variables that hold the keys of providers, which are left out. With a sandbox,
    commands run under bubblewrap.
    """
    patterns = (*LLM_API_KEY_ENV_PATTERNS, *keys)
    kept = {
        name: value
        for name, value in environ.items()
        if not any(fnmatchcase(name, pattern) for pattern in patterns)
    }
    workspace: LocalWorkspace[Any] = LocalWorkspace(folder, env=kept)
    if not sandbox.kind:
        return workspace
    more = _list_flags(sandbox)
    return BubblewrapSandbox(workspace, network=sandbox.network, bwrap_args=more)


def _list_flags(sandbox: SandboxSettings) -> list[str]:
    """Return what hookline adds to the arguments with which the harness calls bubblewrap."""
    # Without a process namespace of its own a command could end the programs of this machine.
    flags = ["--unshare-pid", "--proc", "/proc"]
    return flags + [word for path in sandbox.writable for word in ("--bind", path, path)]


async def try_sandbox(folder: str, sandbox: SandboxSettings) -> str:
    """Run a command as the shell of a session does; return why that fails, or nothing."""
    local = Workspace(LocalWorkspaceBackend(folder))
    flags = _list_flags(sandbox)
    workspace = BubblewrapWorkspace(local, network=sandbox.network, bwrap_args=flags)
    try:
        async with asyncio.timeout(_SANDBOX_START):
            await workspace.run(["true"])
    except TimeoutError:
        return f"`bwrap` does not start a command within {_SANDBOX_START:g} seconds"
    except (OSError, WorkspaceUnavailableError) as error:
        return str(error)
    return ""


def make_shell(env: Mapping[str, str]) -> AbstractToolset[Any]:
    """Return the tool `shell`."""
    programs = _make_programs(env)
    tools: FunctionToolset[Any] = FunctionToolset()

    @tools.tool
    async def shell(
        ctx: RunContext[Any],
        cmd: str,
        cwd: str = ".",
        timeout: float = 30,  # noqa: ASYNC109
    ) -> str:
        """Run a command with the shell, and return its output.

        Args:
            ctx: The run.
            cmd: The command line.
            cwd: The folder to run it in.
            timeout: Seconds after which it is stopped.
        """
        line = cmd if cwd in ("", ".") else f"cd -- {shlex.quote(cwd)} && {{ {cmd}\n}}"
        seconds = min(max(timeout, 1.0), _LONGEST_COMMAND)
        # The harness ends the process group of a command. By the cookie hookline finds the rest.
        cookie = os.urandom(12).hex()
        mark = f'export {COOKIE}="${{{COOKIE}:+${COOKIE},}}{cookie}"; '
        is_over = False
        try:
            output = await programs.run_command(ctx, mark + line, timeout_seconds=seconds)
            end = output.rstrip().rpartition("\n")[2]
            is_over = not end.startswith(_TIMED_OUT)
        finally:
            if not is_over:
                end_marked(cookie)
        if end.startswith((_FAILED, _TIMED_OUT)):
            raise ToolFailed(output)
        return output

    return tools.with_metadata(category="shell")


def make_background_jobs(env: Mapping[str, str], folder: str) -> AbstractToolset[Any]:
    """Return the tools for commands that go on in the background.

    When they are left, the files of jobs that have ended are removed from the session's folder.
    """
    programs = _make_programs(env)
    tools: FunctionToolset[Any] = FunctionToolset()
    jobs: list[str] = []

    @tools.tool
    async def run_background_job(ctx: RunContext[Any], cmd: str) -> str:
        """Start a command that goes on in the background, such as a server; returns its id.

        Args:
            ctx: The run.
            cmd: The command line.
        """
        started = await programs.start_command(ctx, cmd)
        jobs.append(started.rpartition("ID: ")[2].strip())
        return started

    @tools.tool
    async def view_background_job(ctx: RunContext[Any], job_id: str) -> str:
        """Show the state and the last output of a background job.

        Args:
            ctx: The run.
            job_id: The id of the job.
        """
        return await programs.check_command(ctx, job_id)

    @tools.tool
    async def stop_background_job(ctx: RunContext[Any], job_id: str) -> str:
        """Stop a background job, and return its last output.

        Args:
            ctx: The run.
            job_id: The id of the job.
        """
        return await programs.stop_command(ctx, job_id)

    return _Jobs(tools.with_metadata(category="shell"), jobs, folder)


@dataclass
class _Jobs(WrapperToolset[Any]):
    """Background jobs: the ids of those that were started, and the folder of the session."""

    jobs: list[str]
    folder: str

    async def __aexit__(self, *args: object) -> bool | None:
        done = await super().__aexit__(*args)
        if self.jobs:
            await asyncio.to_thread(remove_job_files, self.folder, self.jobs)
        return done


def _make_programs(env: Mapping[str, str]) -> ShellToolset[Any]:
    return ShellToolset(
        allowed_commands=(),
        denied_commands=(),
        denied_operators=(),
        default_timeout=30.0,
        max_output_chars=_LONGEST_OUTPUT,
        persist_cwd=False,
        allow_interactive=True,
        env=env,
    )


class _FileTools(FileSystem[Any]):
    """File tools, as few of them as an agent file selects.

    The framework takes them from a capability only, because they report what they do.
    """

    names: Sequence[str] = ()
    only_read = False

    def get_toolset(self) -> Any:
        """Return the tools."""
        toolset = super().get_toolset().renamed(_RENAMED).with_metadata(category="filesystem")
        return select_tools(toolset, self.names, read_only=self.only_read)


def make_filesystem(spec: Toolset, folder: str, *, read_only: bool) -> AbstractCapability[Any]:
    """Return the file tools; they stay below the session's folder, or in the allowed folders."""
    allowed = [os.path.join(folder, path) for path in spec.allow_list]
    denied = [os.path.join(folder, path) for path in spec.deny_list]
    files = _FileTools(
        root_dir="/" if allowed or denied else None,
        allowed_patterns=_list_patterns(allowed or [folder]) if allowed or denied else (),
        denied_patterns=_list_patterns(denied),
        content_hashes=False,
    )
    files.names, files.only_read = spec.tools, read_only
    return files


def _list_patterns(folders: Sequence[str]) -> list[str]:
    """Return globs that select folders and what is in them; their names are no globs."""
    paths = [os.path.realpath(os.path.expanduser(folder)).strip("/") for folder in folders]
    return [pattern for path in map(escape, paths) for pattern in (path, f"{path}/**")]


def make_think() -> AbstractToolset[Any]:
    """Return the tool `think`, which does nothing but hold a thought."""
    tools: FunctionToolset[Any] = FunctionToolset()

    @tools.tool_plain
    def think(thought: str) -> str:
        """Write a thought down, to reason before the next step; it changes nothing.

        Args:
            thought: The thought.
        """
        return thought

    return tools.with_metadata(category="think", read_only=True)


class _Plan(Planning[Any]):
    """The plan tools; they change nothing but the plan, so they count as read-only."""

    def get_toolset(self) -> Any:
        """Return the tools."""
        toolset: Any = super().get_toolset()
        return toolset.with_metadata(category="todo", read_only=True)


def make_todo() -> AbstractCapability[Any]:
    """Return the plan tools; the plan lasts as long as the agent."""
    return _Plan(store=InMemoryPlanStore(), inject=False)


def select_tools(
    toolset: AbstractToolset[Any], names: Collection[str], *, read_only: bool
) -> AbstractToolset[Any]:
    """Return the tools of a toolset with these names, or all; with `read_only` no others."""

    def is_left(_: RunContext[Any], tool: ToolDefinition) -> bool:
        return (not names or tool.name in names) and (not read_only or is_read_only(tool))

    return toolset.filtered(is_left) if names or read_only else toolset


def is_capability(tools: Any) -> bool:
    """Return whether the framework takes tools as a capability, and not as a toolset."""
    return isinstance(tools, AbstractCapability)


async def list_tool_names(tools: Any, model: Model) -> list[str]:
    """Return the names of the tools of a toolset, or of a capability."""
    toolset = tools.get_toolset() if is_capability(tools) else tools
    return list(await toolset.get_tools(RunContext(deps=None, model=model, usage=RunUsage())))


def is_read_only(tool: ToolDefinition) -> bool:
    """Return whether a tool says that it changes nothing."""
    facts = tool.metadata or {}
    if "read_only" in facts:
        return bool(facts["read_only"])
    if facts.get("category") == "filesystem":
        return tool.name in _READ_ONLY
    return bool((facts.get("annotations") or {}).get("readOnlyHint", False))


def make_team(*, transfers: bool, hands_over: bool) -> AbstractToolset[Any]:
    """Return the tools that give work to other agents, which the host runs itself."""
    tools: FunctionToolset[Gate] = FunctionToolset()

    async def transfer_task(
        ctx: RunContext[Gate], agent: str, task: str, expected_output: str = ""
    ) -> str:
        """Give a task to another agent, wait for it, and return its answer.

        Args:
            ctx: The run.
            agent: The name of the agent.
            task: What it has to do, with all that it must know.
            expected_output: What its answer must hold.
        """
        return await ctx.deps.transfer_task(agent, task, expected_output)

    def handoff(ctx: RunContext[Gate], agent: str) -> str:
        """Let another agent take over this conversation.

        Args:
            ctx: The run.
            agent: The name of the agent.
        """
        return ctx.deps.hand_over(agent)

    if transfers:
        tools.add_function(transfer_task)
    if hands_over:
        tools.add_function(handoff)
    return tools.with_metadata(category="host", managed=True)
