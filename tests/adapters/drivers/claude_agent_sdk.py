"""Plays in the Claude Agent SDK, with its own program and a scripted model service."""

from __future__ import annotations

import os
from itertools import count
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    ToolResultBlock,
    UserMessage,
    query,
)

from hookline import Engine
from hookline.adapters.claude_agent_sdk import add_hooks
from tests.adapters.plays import PLAYS, PROMPT, Play, Played
from tests.hosts.model_server import Script, serve_model
from tests.hosts.wires import Call, Turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.adapters.plays import Ask

PRINTED = ("one", "two", "first-word", "***")
PACKAGE = "claude-agent-sdk"


async def play(
    engine: Engine, script: Play, ask: Ask | None, played: Played, way: str = "ClaudeSDKClient"
) -> None:
    """Run the program of the SDK through a play."""
    calls = count()

    def make_call(tool: str, argument: str) -> Call:
        at = f"call_{next(calls)}"
        if tool == "shell":
            given = {"command": argument, "description": "run it"}
            return Call(tool="Bash", input=given, id=at)
        given = {"prompt": argument, "description": "help", "subagent_type": "general-purpose"}
        return Call(tool="Agent", input=given, id=at)

    turns = [
        Turn(text=str(turn))
        if isinstance(turn, str | Exception)
        else Turn(calls=tuple(make_call(*each) for each in turn))
        for turn in script.turns
    ]
    if script.name == "cancelled run":
        engine.on("tool.before")(lambda _: played.cancel() and None)
    model = Script(turns)

    async def ask_person(*_: Any) -> Any:
        if ask is not None and await ask("may it?"):
            return PermissionResultAllow()
        return PermissionResultDeny(message="the user did not allow it")

    with TemporaryDirectory() as home, serve_model(model) as port:
        environ = {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
            "ANTHROPIC_API_KEY": "test",
            "HOME": home,
            "CLAUDE_CONFIG_DIR": f"{home}/.claude",
            "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",  # the agent waits for its sub-agents
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "PATH": os.environ["PATH"],
        }
        options = ClaudeAgentOptions(
            env=environ,
            cwd=home,
            setting_sources=[],
            allowed_tools=[] if ask else ["Bash", "Agent"],  # else no person is asked
            max_turns=8,
            can_use_tool=ask_person if ask else None,
        )
        hooked = add_hooks(engine, options, notify=lambda _: None)
        results: list[str] = []
        async for message in read_messages(hooked, way):
            if isinstance(message, ResultMessage):
                text = message.result or ""
                # The program has no error for a run that a hook ends.
                ended = bool(script.stopped) and (not text or script.stopped in text)
                played.output = "" if ended else text
                played.stopped = script.stopped if ended else ""
            elif isinstance(message, UserMessage) and isinstance(message.content, list):
                blocks = message.content
                results += [
                    str(each.content) for each in blocks if isinstance(each, ToolResultBlock)
                ]
    played.read = model.requests
    # Where its output was replaced, the program ran, too.
    played.ran = ["first-word" if each == "***" else each for each in results if each in PRINTED]


async def read_messages(options: ClaudeAgentOptions, way: str) -> AsyncIterator[Any]:
    """Yield the messages of a run."""
    if way == "ClaudeSDKClient":
        async with ClaudeSDKClient(options) as client:
            await client.query(PROMPT)
            async for message in client.receive_response():
                yield message
        return

    async def prompts() -> AsyncIterator[dict[str, Any]]:
        yield {"type": "user", "message": {"role": "user", "content": PROMPT}}

    # A person can be asked about a stream of prompts only.
    prompt: Any = prompts() if options.can_use_tool else PROMPT
    async for message in query(prompt=prompt, options=options):
        yield message


async def check() -> list[str]:
    """Each callback of the SDK asks, beside those of the options; a batch is an event, too."""

    async def own(*_: Any) -> Any:
        return {}

    hooks: Any = {"PreToolUse": [HookMatcher(hooks=[own])]}
    made: Any = add_hooks(Engine(), ClaudeAgentOptions(hooks=hooks)).hooks
    counts = {name: len(matchers) for name, matchers in made.items()}
    wanted = {"PostToolBatch", "StopFailure", "PreCompact", "Notification", "PermissionRequest"}
    faults = [f"there is no callback for {name}" for name in wanted - {*counts}]
    faults += [] if counts["PreToolUse"] == 2 else ["the callback of the options is gone"]
    engine, seen, played = Engine(), [], Played()
    engine.on("tool.batch.after")(lambda event: seen.append(event.native_name))
    await play(engine, next(each for each in PLAYS if each.name == "observe"), None, played)
    return faults + ([] if seen == ["PostToolBatch"] else [f"batches: {seen}"])
