"""Files that change: hooks as text, a home and a project, and the ways in which editors save."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from hookline import Engine, Event, ToolCall

if TYPE_CHECKING:
    from pathlib import Path

CALL = Event(kind="tool.before", session_id="s1", body=ToolCall(tool="shell", input={"cmd": "ls"}))
BROKEN = '{"hooks": '


def claude(*commands: str, **extra: Any) -> str:
    """Settings of Claude Code whose hooks on a tool's call run these commands."""
    hooks = [{"type": "command", "command": command, **extra} for command in commands]
    return json.dumps({"hooks": {"PreToolUse": [{"hooks": hooks}]}})


def docker(*commands: str) -> str:
    """The same as a file of docker-agent."""
    entries = "".join(
        f"        - type: command\n          command: '{command}'\n" for command in commands
    )
    return f"hooks:\n  pre_tool_use:\n    - hooks:\n{entries}"


def write(path: Path, text: str) -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def renamed_over(path: Path, text: str) -> Path:
    """A file as careful editors save it: a new file renamed over the old one."""
    other = write(path.with_name(f".{path.name}.swp"), text)
    os.replace(other, path)
    return path


def commands(engine: Engine) -> list[str]:
    """What an engine's hooks run, in their order."""
    return [str(getattr(spec.handler, "script", "")) for spec in engine.hooks]


def codes(engine: Engine) -> list[str]:
    """What is wrong with an engine's files, by the names of it."""
    return [problem.name for problem in engine.problems]


class Machine:
    """A home and a project, in which everything is discovered."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.user = self.home / ".claude/settings.json"
        self.own = self.project / ".claude/settings.json"

    def engine(self, trust: str = "all", **settings: Any) -> Engine:
        """An engine with whatever lies there."""
        environ = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        return Engine.discover(self.project, environ=environ, trust=trust, **settings)
