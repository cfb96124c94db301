"""`hookline run AGENT.yaml PROMPT`: run the reference agent, with hooks of any dialect."""

from __future__ import annotations

import asyncio
import sys

from hookline.cli.options import Selection, option, usage_error
from hookline.cli.output import FINDINGS, INTERRUPTED, OK, print_message, print_text
from hookline.errors import ConfigError
from hookline.installation import install_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The exit code for how a run ended; any other way is a hook's or a limit's.
_EXIT_CODES = {"normal": OK, "error": 4, "canceled": INTERRUPTED}
# Hooks of the command line, each by its option and its event.
_HOOK_OPTIONS = {
    "hook_pre_tool_use": "pre_tool_use",
    "hook_post_tool_use": "post_tool_use",
    "hook_session_start": "session_start",
    "hook_session_end": "session_end",
    "hook_on_user_input": "on_user_input",
    "hook_stop": "stop",
}


def _hook_option(event: str) -> list[str]:
    name = event.replace("_", "-")
    made: list[str] = option(f"--hook-{name} COMMAND...", f"run it at {event}", is_rare=True)
    return made


def run(
    selection: Selection,
    *,
    file: str = option("AGENT.yaml", "the agent file, as docker-agent writes it"),
    prompt: list[str] = option("[PROMPT...]", "what the agent has to do; - reads standard input"),
    agent: str = option("--agent NAME", "the agent that begins; default: root"),
    model: str = option("--model NAME", "another model for it: provider/model"),
    approve: str = option(
        "--approve MODE",
        "which calls run without a question, if no rule names them",
        default="",
        choices=("strict", "balanced", "restricted", "autonomous"),
    ),
    yolo: bool = option("--yolo", "the same as --approve autonomous; hooks that deny still deny"),
    resume: str = option("--resume ID", "go on with a saved session; `last` is this folder's"),
    output: str = option(
        "--output-format FORM", default="text", choices=("text", "json", "stream-json")
    ),
    headless: bool = option("--print", "print the answer, and never ask"),
    worktree: str = option("--worktree NAME", "work in a new git worktree of this name"),
    hook_pre_tool_use: list[str] = _hook_option("pre_tool_use"),  # noqa: B008
    hook_post_tool_use: list[str] = _hook_option("post_tool_use"),  # noqa: B008
    hook_session_start: list[str] = _hook_option("session_start"),  # noqa: B008
    hook_session_end: list[str] = _hook_option("session_end"),  # noqa: B008
    hook_on_user_input: list[str] = _hook_option("on_user_input"),  # noqa: B008
    hook_stop: list[str] = _hook_option("stop"),  # noqa: B008
) -> int:
    """Run an agent until it has done what the prompt asks."""
    given = locals()
    commands = [(event, text) for name, event in _HOOK_OPTIONS.items() for text in given[name]]
    start, request_class = _load_host()
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    request = request_class(
        path=file,
        prompt=_read_prompt(prompt),
        agent=agent,
        model=model,
        mode="autonomous" if yolo else approve,
        resume=resume,
        form=output,
        is_interactive=is_terminal and not headless and output == "text",
        worktree=worktree,
        commands=tuple(commands),
    )
    if not request.prompt and not request.is_interactive:
        raise usage_error("there is no prompt", f"hookline run {file} 'what to do'")
    with selection.open() as engine:
        for problem in engine.problems:
            print_message(str(problem))
        try:
            result = asyncio.run(start(request, engine, print_text, print_message))
        except asyncio.CancelledError:
            return INTERRUPTED
    return _EXIT_CODES.get(result.reason, FINDINGS)


def _load_host() -> Any:
    """Return what starts the host, which needs the extra `agent`."""
    try:
        from hookline.host import start  # noqa: PLC0415 - it loads a framework
    except ModuleNotFoundError as error:
        command = install_command(extra="agent")
        raise ConfigError(
            f"`hookline run` needs `{error.name}`, which is not installed",
            name="config.option",
            hint=command,
        ) from None
    return start.start, start.Request


def _read_prompt(words: list[str]) -> str:
    """Return the prompt of the command line; `-`, or a pipe without one, is standard input."""
    if words == ["-"] or (not words and not sys.stdin.isatty()):
        return sys.stdin.read().strip()
    return " ".join(words)
