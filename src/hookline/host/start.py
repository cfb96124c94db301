"""Start: reads an agent file, opens the host that it describes, and runs a prompt or a terminal."""

from __future__ import annotations

import asyncio
import shlex
import shutil

from hookline.errors import ConfigError
from hookline.host.agent_file import load_agent_file
from hookline.host.agent_spec import SCRIPTED, ModelSpec
from hookline.host.framework.tools import try_sandbox
from hookline.host.headless import HeadlessFace, run_headless
from hookline.host.hook_sources import add_hooks
from hookline.host.host import Host
from hookline.host.script_file import find_script, read_script
from hookline.host.signals import cancel_on_signals
from hookline.host.text_files import read_text_file
from hookline.host.turns import RunResult
from hookline.host.worktree import make_worktree
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.engine.engine import Engine
    from hookline.host.agent_spec import AgentFile, SandboxSettings
    from hookline.host.script_file import Script
    from hookline.host.tui import HostApp

_LAST = "last"  # instead of the id of a session


class Request(Frozen):
    """What a person asks the host for.

    `mode`: of approval; empty for the file's. `resume`: the id of a session, or `last`. `form`: one
    of `headless.FORMATS`. `worktree`: the name of a new git worktree to work in. `commands`: hooks
    of the command line, each with its event.
    """

    path: str
    prompt: str = ""
    agent: str = ""
    model: str = ""
    mode: str = ""
    resume: str = ""
    form: str = "text"
    is_interactive: bool = False
    worktree: str = ""
    commands: tuple[tuple[str, str], ...] = ()


def read_agent_file(path: str, tell: Callable[[str], object]) -> AgentFile:
    """Return what an agent file describes; tell all its warnings.

    Raises:
        ConfigError: it has errors; all but the last are told.
    """
    loaded = load_agent_file(path)
    for problem in loaded.problems:
        tell(str(problem))
    if loaded.agent_file is None:
        count = len(loaded.errors)
        raise ConfigError(
            f"the agent file has {count} error{'s' * (count > 1)}, so nothing was started",
            name="config.option",
            hint="mend what is listed above",
            place=path,
        )
    return loaded.agent_file


async def start(
    request: Request,
    engine: Engine,
    write: Callable[[str], object],
    tell: Callable[[str], object],
) -> RunResult:
    """Run what a person asks for, and return how it ended. A signal to end cancels it.

    Raises:
        ConfigError: the file has errors, no model can be called, an MCP server does not start, or
            there is no such sandbox, agent or session. Nothing has run then.
    """
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - it runs in one
    cancel_on_signals(task.cancel)
    if request.resume and request.worktree:
        raise ConfigError(
            "`--resume` goes on in the folder of its session, and `--worktree` begins in a new one",
            name="config.option",
            hint="leave one of them out",
        )
    file = read_agent_file(request.path, tell)
    if request.model:
        file = set_model(file, request.agent, request.model)
    await check_sandbox(file.host.sandbox, engine.cwd)
    add_hooks(engine, file, request.commands)
    environ, folder = dict(engine.environ), engine.cwd
    face: HeadlessFace | HostApp
    if request.is_interactive:
        from hookline.host.tui import HostApp  # noqa: PLC0415 - only people need it

        face = HostApp(request.prompt)
    else:
        face = HeadlessFace(request.form, write, tell)
    async with Host(file, engine, face, cwd=folder, environ=environ) as host:
        host.check_models()
        resumed = _find_last(host) if request.resume == _LAST else request.resume
        run = host.open_session(request.agent, resumed=resumed)
        run.session.approvals.option = request.mode
        if request.worktree:
            await make_worktree(host, run, request.worktree)
        await host.open_agent(run.session.agent)
        try:
            if isinstance(face, HeadlessFace):
                return await run_headless(run, face, request.prompt, write)
            face.connect(host, run)
            cancel_on_signals(face.leave, "SIGINT")
            await face.run_async()
        finally:
            if request.form == "text" and run.session.is_saved:
                path = shlex.quote(request.path)
                tell(f"to go on: hookline run {path} --resume {run.session.id}")
    return RunResult(reason="canceled" if face.is_canceled else "normal")


def _find_last(host: Host) -> str:
    """Return the id of the session that was saved last in the folder of a host.

    Raises:
        ConfigError: there is none.
    """
    found = host.files.find_last(host.cwd)
    if not found:
        raise ConfigError(
            "no session was saved in this folder",
            name="config.option",
            hint="begin one without --resume",
            place=host.cwd,
        )
    return found


def set_model(file: AgentFile, agent: str, name: str) -> AgentFile:
    """Return a file in which one agent has another model: one of the file, or `provider/model`.

    Raises:
        ConfigError: there is no such agent or model, or its script is wrong.
    """
    spec = file.choose_agent(agent)
    provider, slash, own = name.partition("/")
    model = file.models.get(name)
    if model is None and not (slash and own):
        raise ConfigError(
            f"`--model {name:.80}` is no model of the file, and names no provider",
            name="config.option",
            hint="write `provider/model`, as in `openai/gpt-4o-mini`",
        )
    if model is None:
        script = _read_script(own) if provider == SCRIPTED else None
        model = ModelSpec(name=name, provider=provider, model=own, script=script)
    agents = {**file.agents, spec.name: spec.replace(model=model)}
    return file.replace(agents=agents)


def _read_script(name: str) -> Script:
    path = find_script(name)
    script, problems = read_script(read_text_file(path), path)
    if script is None:
        raise ConfigError(str(problems[0]), name="config.option", hint="mend the script")
    return script


async def check_sandbox(sandbox: SandboxSettings, folder: str) -> None:
    """Check that the sandbox of a file works on this machine, for commands in a folder.

    Raises:
        ConfigError: it does not; commands would run without it.
    """
    if not sandbox.kind:
        return
    if shutil.which("bwrap") is None:
        raise ConfigError(
            "the agent file asks for the sandbox `bubblewrap`, and `bwrap` is not installed",
            name="config.option",
            hint="apt-get install bubblewrap, or remove `sandbox` from the file",
        )
    if why := await try_sandbox(folder, sandbox):
        raise ConfigError(
            f"the sandbox `bubblewrap` does not start: {why:.300}",
            name="config.option",
            hint="the kernel must allow user namespaces, and folders under `writable` must exist;"
            " or remove `sandbox` from the file",
        )
