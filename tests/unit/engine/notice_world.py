"""Helpers for tests of notices."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any

from hookline.cli.answer import answer_main
from hookline.engine.approval_service import approve
from hookline.engine.engine import Engine
from hookline.model.verdict import Decision, Lowered, Verdict
from tests.unit.trust.support import World

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


DENIES = "#!/bin/sh\necho no >&2\nexit 2\n"


class Clone(World):
    """A project with two guards, whose host asks by `hookline answer`."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        super().__init__(folder)
        self.patch, self.capture = patch, capture
        self.file = self.project / ".claude/settings.json"
        (self.project / ".git").mkdir()
        self.file.parent.mkdir()
        for name in ("one.sh", "two.sh", "new.sh"):
            self.write_guard(name)
        for name in (
            "XDG_CONFIG_HOME",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_PROJECT_DIR",
            "HOOKLINE",
            "HOOKLINE_FIRING",
        ):
            patch.delenv(name, raising=False)
        for name in ("HOME", "XDG_STATE_HOME"):
            patch.setenv(name, self.environ[name])
        self.declare("./one.sh")

    def write_guard(self, name: str, more: str = "") -> None:
        """Write a script that denies."""
        self.script("x", path=self.project / name).write_text(DENIES + more, encoding="utf-8")

    def declare(
        self, *commands: str, matcher: str = "Bash", event: str = "PreToolUse", **fields: Any
    ) -> None:
        """Declare these commands, and no others."""
        hooks = [{"type": "command", "command": command, **fields} for command in commands]
        self.file.write_text(
            json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": hooks}]}}), encoding="utf-8"
        )

    def approve(self) -> None:
        """Approve all that is declared."""
        gate = self.gate()
        engine = Engine.discover(self.project, environ=self.environ, gate=gate)
        approve(gate, gate.find_states(engine.hooks))

    def answer(self, *words: str, session: str = "s", tool: str = "Bash") -> tuple[str, str]:
        """Return the notice that the host shows, and what is decided."""
        call = {
            "hook_event_name": "PreToolUse",
            "session_id": session,
            "cwd": str(self.project),
            "tool_name": tool,
            "tool_input": {"command": "ls"},
        }
        stdin = io.TextIOWrapper(io.BytesIO(json.dumps(call).encode()), encoding="utf-8")
        self.patch.setattr(sys, "stdin", stdin)
        assert answer_main(["claude-code", *words]) == 0
        out = self.capture.readouterr().out
        said = json.loads(out) if out else {}
        specific = said.get("hookSpecificOutput", {})
        return said.get("systemMessage", ""), specific.get("permissionDecision", "")


def decided(*verdicts: Verdict, lowered: tuple[Lowered, ...] = ()) -> Decision:
    """A decision that some hooks led to."""
    return Decision(
        kind="tool.after",
        dialect="kimi",
        native_event="PostToolUse",
        verdicts=verdicts,
        lowered=lowered,
    )
