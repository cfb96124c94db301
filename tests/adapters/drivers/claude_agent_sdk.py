"""Plays in the Claude Agent SDK, with its own program and a scripted model service."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    ToolResultBlock,
    UserMessage,
)

from hookline.adapters.claude_agent_sdk import add_hooks
from tests.adapters.plays import PROMPT, Play, Played
from tests.hosts.model_server import Script, serve_model
from tests.hosts.wires import Call, Turn

if TYPE_CHECKING:
    from hookline import Engine
    from tests.adapters.plays import Ask

PRINTED = ("one", "two", "first-word", "***")
PACKAGE = "claude-agent-sdk"
SKIPS = {
    "ask later": "the program waits for the answer",
    "rewrite prompt": "Claude Code cannot replace a prompt",
    "refuse request": "Claude Code has no event before a request",
    "rewrite messages": "Claude Code has no event before a request",
    "rewrite response": "Claude Code has no event after a response",
    "sub-agent": "the agents of the program itself, see `make hosts`",
}


async def play(engine: Engine, script: Play, ask: Ask | None, played: Played) -> None:
    """Run the program of the SDK through a play."""
    turns = [
        Turn(text=turn)
        if isinstance(turn, str)
        else Turn(calls=(Call(tool="Bash", input={"command": turn[1], "description": "run it"}),))
        for turn in script.turns
    ]
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
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "PATH": os.environ["PATH"],
        }
        options = ClaudeAgentOptions(
            env=environ,
            cwd=home,
            setting_sources=[],
            allowed_tools=[] if ask else ["Bash"],  # else no person is asked
            max_turns=8,
            can_use_tool=ask_person if ask else None,
        )
        async with ClaudeSDKClient(add_hooks(engine, options, notify=lambda _: None)) as client:
            await client.query(PROMPT)
            results: list[str] = []
            async for message in client.receive_response():
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
