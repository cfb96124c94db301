"""Slash commands: what a person can type instead of a message."""

from __future__ import annotations

import asyncio

from hookline.errors import ConfigError, did_you_mean
from hookline.handlers.builtins import snapshot as snapshots
from hookline.host.agent_spec import ModelSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import TypeAlias

    from hookline.host.host import Host
    from hookline.host.loop import Run
    from hookline.model.spec import Problem

    Action: TypeAlias = Callable[[Host, Run, str], Awaitable[str]]


QUIT = "/quit"  # the interface itself does it


async def run_command(host: Host, run: Run, text: str, *, is_running: bool) -> tuple[str, str]:
    """Run what a person typed; return what to show, and a prompt for the agent if it is one.

    Raises:
        ConfigError: there is no such command, or it must wait for the agent's end.
    """
    name, _, rest = text.strip().partition(" ")
    own = {f"/{each.name}": each for each in run.spec.commands}
    if name in own:
        prompt = own[name].instruction or rest
        return "", f"{prompt}\n\n{rest}".strip() if own[name].instruction and rest else prompt
    if name not in COMMANDS:
        known = (*COMMANDS, *own, QUIT)
        hint = did_you_mean(name, known) or f"one of {', '.join(known)}"
        raise ConfigError(f"there is no command `{name:.40}`", name="config.option", hint=hint)
    if is_running and name in _CHANGING:
        raise ConfigError(
            f"`{name}` has to wait until the agent is done",
            name="config.option",
            hint="escape stops it",
        )
    if name == _LATER and not is_running:
        return "", rest.strip()
    return await COMMANDS[name][1](host, run, rest.strip()), ""


async def _show_help(_host: Host, run: Run, _rest: str) -> str:
    own = {f"/{each.name}": each.description for each in run.spec.commands}
    known = {name: does for name, (does, _) in COMMANDS.items()} | own
    known[QUIT] = "stop the agent, and leave; so does ctrl+d"
    return "\n".join(f"{name:12} {does}" for name, does in known.items())


async def _list_hooks(host: Host, run: Run, _rest: str) -> str:
    """Return each hook that may take part, and whether commands run in a sandbox."""
    engine, sandbox = host.engine, host.file.host.sandbox
    lines = [f"{hook.kind:24} {hook.id}" for hook in engine.hooks]
    if not any(hook.origin.file for hook in engine.hooks):  # those of flags stand in no file
        agent = f"`agents.{run.session.agent}.hooks` of {host.file.path}"
        lines.append(
            f"there are no hooks of yours; write one under {agent}, or in the file that"
            " `hookline init` makes for this project"
        )
    lines += [str(each) for each in engine.problems if not _is_without_hooks(each, host)]
    place = f"in the sandbox {sandbox.kind}" if sandbox.kind else (
        "without a sandbox: they can do whatever you can"
    )  # fmt: skip
    lines.append(f"commands of the shell run {place}")
    return "\n".join(lines)


def _is_without_hooks(problem: Problem, host: Host) -> bool:
    """Return whether a problem says that the agent file has no hooks, which is no fault of it."""
    return problem.name == "key.missing" and problem.origin.file == host.file.path


async def _follow_up(_host: Host, run: Run, rest: str) -> str:
    if rest:
        run.session.follow_ups.append(rest)
    return f"{len(run.session.follow_ups)} to follow when the agent is done"


async def _compact(_host: Host, run: Run, rest: str) -> str:
    done = await run.compact(source="manual", reason="manual", focus=rest)
    return "" if done else "the conversation stays as it is"


async def _set_model(host: Host, run: Run, rest: str) -> str:
    if not rest:
        return host.model_id(run.session.agent)
    provider, slash, own = rest.partition("/")
    model = host.file.models.get(rest)
    if model is None and not (slash and own):
        raise ConfigError(
            f"`{rest:.80}` names no provider",
            name="config.option",
            hint="write `provider/model`, as in `openai/gpt-4o-mini`",
        )
    chosen = model or ModelSpec(name=rest, provider=provider, model=own)
    await host.set_model(run.session.agent, chosen)
    return f"the next turn asks {host.model_id(run.session.agent)}"


async def _list_snapshots(host: Host, _run: Run, _rest: str) -> str:
    listed = await asyncio.to_thread(snapshots.list_snapshots, host.cwd, host.environ)
    lines = [f"{each.number:4} {count_files(each.count)}, {each.cause}" for each in listed]
    return "\n".join(lines) or "no turn has changed a file"


async def _undo(host: Host, _run: Run, _rest: str) -> str:
    return _describe(await asyncio.to_thread(snapshots.undo, host.cwd, host.environ))


async def _reset(host: Host, _run: Run, rest: str) -> str:
    if not rest.isdecimal():
        raise ConfigError(
            "`/reset` needs the number of a snapshot",
            name="config.option",
            hint="/snapshots lists them",
        )
    return _describe(await asyncio.to_thread(snapshots.reset, host.cwd, host.environ, int(rest)))


def _describe(restored: snapshots.Restored) -> str:
    lines = [f"{count_files(len(restored.files))} as before", *restored.files]
    lines += [f"not restored: {path}" for path in restored.failed]
    return "\n".join(lines)


def count_files(number: int) -> str:
    """Return a number of files in words."""
    return f"{number} file{'s' * (number != 1)}"


_LATER = "/later"
COMMANDS: Mapping[str, tuple[str, Action]] = {
    "/help": ("show this", _show_help),
    "/hooks": ("show the hooks, and whether there is a sandbox", _list_hooks),
    _LATER: ("send what follows when the agent is done with its work", _follow_up),
    "/compact": ("shorten the conversation; what follows tells what to keep", _compact),
    "/snapshots": ("list the turns that changed files", _list_snapshots),
    "/undo": ("bring the files back that the last turn changed", _undo),
    "/reset": ("bring back the files of a snapshot and all later ones: /reset NUMBER", _reset),
    "/model": ("show the model, or take another: /model provider/model", _set_model),
}
_CHANGING = frozenset({"/compact", "/undo", "/reset", "/model"})
