"""Every example that the demonstration runs decides as it says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hookline import Engine, Stance
from hookline.engine.catalog import make_dialect
from hookline.engine.convert import convert

if TYPE_CHECKING:
    from tests.fork_server import ForkServer

ROOT = Path(__file__).parents[1]


def run_example(name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "examples" / name)],
        env={
            "PYTHONPATH": str(ROOT / "src"),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": "/nonexistent",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.process
def test_the_agent_of_the_demonstration_does_as_expected() -> None:
    """The sample file of docker-agent runs unchanged, and its four prompts end as it says."""
    done = run_example("agent_demo.py")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("deny    🚫 HOOK BLOCKED") == 2


@pytest.mark.process
def test_the_demonstration_is_as_expected() -> None:
    """All of its verdicts, on the real engine."""
    done = run_example("demo.py")

    assert done.returncode == 0, done.stderr
    count = done.stdout.strip().splitlines()[-1].split()
    assert count[0] == count[2]


SEVERAL = ROOT / "examples" / "several"
# Dialect -> its guard there, what that refuses, and the event, tool and input key of a shell call
# in its host.
GUARDS = {
    "claude-code": ("home/.claude/settings.json", "rm -rf x", "PreToolUse", "Bash", "command"),
    "codex": ("home/.codex/hooks.json", "git push --force", "PreToolUse", "shell", "command"),
    "kimi": ("home/.kimi/config.toml", "npm publish", "PreToolUse", "Shell", "command"),
    "cursor": ("home/.cursor/hooks.json", "curl x", "preToolUse", "Shell", "command"),
    "copilot": ("home/.copilot/hooks/chmod.json", "chmod 777 x", "preToolUse", "bash", "command"),
    "gemini": (
        "home/.gemini/settings.json",
        "dd if=x",
        "BeforeTool",
        "run_shell_command",
        "command",
    ),
    "qwen": (
        "home/.qwen/settings.json",
        "crontab -r",
        "PreToolUse",
        "run_shell_command",
        "command",
    ),
    "openhands": (
        "home/.openhands/hooks.json",
        "terraform destroy",
        "PreToolUse",
        "terminal",
        "command",
    ),
    "cline": (
        "home/.cline/hooks",
        "git clean -fdx",
        "PreToolUse",
        "execute_command",
        "command",
    ),
    "docker-agent": (
        "home/.config/cagent/hooks.d/mkfs.yaml",
        "mkfs x",
        "pre_tool_use",
        "shell",
        "cmd",
    ),
    "hermes": (
        "home/.hermes/config.yaml",
        "docker system prune",
        "pre_tool_call",
        "terminal",
        "command",
    ),
    "agenthooks": (
        "home/.config/agents/hooks/no-shutdown",
        "shutdown now",
        "pre-tool-call",
        "Shell",
        "command",
    ),
    "starchild": (
        "project/config/shell_hooks.yaml",
        "kubectl delete x",
        "pre_tool_call",
        "bash",
        "command",
    ),
}
_NAMES = list(GUARDS)
# Each dialect into the next one, and into the one before.
PAIRS = [
    (own, _NAMES[(at + step) % len(_NAMES)]) for at, own in enumerate(_NAMES) for step in (1, -1)
]


@pytest.fixture
def path(tmp_path: Path, fork_server: ForkServer) -> str:
    """A PATH on which the program is."""
    program = tmp_path / "bin" / "hookline"
    program.parent.mkdir()
    fork_server.write_program(program)
    return f"{program.parent}:/usr/local/bin:/usr/bin:/bin"


@pytest.mark.process
@pytest.mark.parametrize(("own", "target"), PAIRS)
def test_a_guard_refuses_the_same_in_another_dialect(
    own: str, target: str, tmp_path: Path, path: str
) -> None:
    """It is converted, loaded and run, as a person would; a harmless call still goes through."""
    source, refused, *_ = GUARDS[own]
    _, _, event, tool, key = GUARDS[target]
    conversion = convert(Engine.load(SEVERAL / source, dialect=own), make_dialect(target))
    for name, text in conversion.files.items():
        file = tmp_path / "out" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
    engine = Engine.load(
        tmp_path / "out", dialect=target, environ={"PATH": path, "HOME": str(tmp_path)}
    )

    for command, stance in ((refused, Stance.DENY), ("make test", Stance.SILENT)):
        given = {"tool_name": tool, "tool_input": {key: command}}
        if target == "copilot":
            given = {"toolName": tool, "toolArgs": json.dumps({key: command})}
        if target == "cline":
            given = {"preToolUse": {"toolName": tool, "parameters": {key: command}}}
        decision = engine.fire(
            event, {**given, "session_id": "s", "cwd": str(tmp_path)}, dialect=target
        )

        assert [verdict.fault for verdict in decision.verdicts if verdict.fault] == []
        assert decision.stance is stance, decision.reason
