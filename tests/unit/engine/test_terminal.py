"""Whether a person sits at the host's terminal: by real processes with the name of a host."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import hookline

if TYPE_CHECKING:
    from pathlib import Path

PAYLOAD = {
    "hook_event_name": "BeforeTool",
    "session_id": "s",
    "cwd": "/",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "git push"},
}
CONFIG = {
    "hooks": {
        "BeforeTool": [
            {
                "hooks": [
                    {"type": "command", "command": """echo '{"decision":"ask","reason":"sure?"}'"""}
                ]
            }
        ]
    }
}
# A stand-in for the host: it starts what the last argument says, as a hook with pipes, and keeps
# its answer in a file.
HOST = """
import subprocess, sys
sent = open(sys.argv[-2]).read()
answer = subprocess.run(sys.argv[-1], shell=True, input=sent, capture_output=True, text=True)
open(sys.argv[-2] + ".answer", "w").write(answer.stdout)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The host's program, under its own name."""
    path = tmp_path / "gemini"
    path.write_text(HOST, "utf-8")
    (tmp_path / "payload").write_text(json.dumps(PAYLOAD), "utf-8")
    (tmp_path / "hooks.json").write_text(json.dumps(CONFIG), "utf-8")
    return path


def answered(script: Path, *options: str, terminal: bool) -> Any:
    """What hookline answers below the host, with or without a terminal."""
    config = script.with_name("hooks.json")
    line = f"{sys.executable} -m hookline answer gemini --dialect gemini --config {config}"
    command = [sys.executable, str(script), *options, str(script.with_name("payload")), line]
    if terminal:
        leader, follower = pty.openpty()
        subprocess.run(command, stdin=follower, stdout=follower, stderr=follower, check=True)
        os.close(leader)
        os.close(follower)
    else:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return json.loads(script.with_name("payload.answer").read_text("utf-8"))


@pytest.mark.skipif(
    not os.path.exists("/proc/self/fd"), reason="no /proc here, so every host counts as headless"
)
@pytest.mark.parametrize(
    ("options", "terminal", "decision"),
    [
        ((), True, "ask"),
        (("--model", "x"), True, "ask"),
        (("--prompt-interactive", "go on"), True, "ask"),
        (("-p", "do it"), True, "deny"),
        (("-yp", "do it"), True, "deny"),
        (("--prompt=do it",), True, "deny"),
        ((), False, "deny"),
    ],
)
def test_gemini_asks_at_its_terminal_only(
    script: Path, options: tuple[str, ...], terminal: bool, decision: str
) -> None:
    """At a terminal `ask` stays an ask; without one it becomes a denial."""
    assert answered(script, *options, terminal=terminal) == {
        "decision": decision,
        "reason": "sure?",
    }


def test_what_cannot_be_found_counts_as_headless() -> None:
    """This process has no Gemini above it, so hookline denies.

    A program that knows better says so.
    """
    for interactive, stance in ((None, "DENY"), (False, "DENY"), (True, "ASK")):
        engine = hookline.Engine(interactive=interactive)
        engine.on("tool.before")(lambda _: hookline.ask("sure?"))
        decision = engine.fire("BeforeTool", PAYLOAD, dialect="gemini")

        assert decision.stance.name == stance
        assert [each.effect for each in decision.lowered] == ["ask"] * (stance == "DENY")
