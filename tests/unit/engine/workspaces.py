"""A workspace of shell hooks: a folder of scripts, a file that declares them, and a user's home."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from hookline.engine.engine import Engine
from hookline.engine.lazy_gate import LazyGate, note_approvals
from hookline.journal.journal import Journal
from hookline.journal.log_files import LogFiles

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.verdict import Decision

BLOCKS = """#!/bin/sh
grep -q 'rm -rf' && echo '{{"decision": "block", "reason": "{0}"}}'
exit 0
"""
URL = "https://policy.example/hook"


class Workspace:
    """A project with `hooks/guard.sh`, declared on two events, and an address on a third."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "ws"
        for each in (self.home, self.root / "hooks", self.root / "config"):
            each.mkdir(parents=True, mode=0o755)
        self.guard = self.write("guard.sh", "no")
        self.yaml = self.root / "config/shell_hooks.yaml"
        self.declare(
            {"event": "pre_tool_call", "command": str(self.guard)},
            {"event": "on_user_message", "command": str(self.guard)},
            {"event": "on_stop", "type": "http", "url": URL},
        )
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(self.home), "USER": "ada"}
        self.journal = Journal(LogFiles(str(folder / "journal")))

    def write(self, name: str, says: str) -> Path:
        """A script that blocks what it should, with this reason."""
        path = self.root / "hooks" / name
        path.write_text(BLOCKS.format(says), encoding="utf-8")
        path.chmod(0o755)
        return path

    def declare(self, *hooks: dict[str, Any]) -> None:
        self.yaml.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
        self.yaml.chmod(0o644)

    def engine(self) -> Engine:
        """The hooks of this workspace, as they are found, each asked about at the gate."""
        late = LazyGate(str(self.root), self.environ, write_record=note_approvals(self.journal))
        return Engine.discover(self.root, environ=self.environ, gate=late, journal=self.journal)

    def call(self, engine: Engine) -> Decision:
        """What the hooks say of a destructive command."""
        payload = {
            "event": "pre_tool_call",
            "session_id": "s",
            "cwd": str(self.root),
            "tool_name": "bash",
            "tool_input": {"command": "rm -rf /"},
        }
        return engine.fire("pre_tool_call", payload, dialect="starchild")

    def note_approvals(self) -> list[dict[str, Any]]:
        """What the journal has of approvals, in its order."""
        assert self.journal.files is not None
        if not os.path.isdir(self.journal.files.folder):
            return []
        lines = [
            line
            for path in sorted(os.scandir(self.journal.files.folder), key=lambda each: each.name)
            for line in _lines(path.path)
        ]
        return [line for line in lines if line.get("native_event") == "approval"]


def _lines(path: str) -> list[dict[str, Any]]:
    if not path.endswith(".jsonl"):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]
