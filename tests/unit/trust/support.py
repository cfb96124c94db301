"""A user with a home and a project, hooks that leave traces of what ran, and a gate between."""

from __future__ import annotations

import os

from hookline.core.dispatch import Run
from hookline.engine.trust_gate import make_gate
from hookline.handlers.table import perform_all
from hookline.model.event import Event, ToolCall
from hookline.model.spec import Command, HookSpec, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from hookline.model.verdict import Outcome
    from hookline.trust.gate import Gate
    from hookline.trust.state import HookState

SAYS = '#!/bin/sh\necho "{0}" >> "$TRACE"\n'


class World:
    """A folder with `home` and `project`, and an environment in which hooks find both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.project, self.trace = folder / "home", folder / "project", folder / "trace"
        for each in (self.home, self.project):
            each.mkdir(mode=0o755)
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(folder / "state"),
            "TRACE": str(self.trace),
            "USER": "ada",
        }

    @property
    def store(self) -> Path:
        """The folder of the store."""
        return self.folder / "state/hookline"

    def gate(self, **options: Any) -> Gate:
        """Return the user's gate of the project."""
        gate = make_gate(self.project, self.environ, **options)
        told: set[str] = set()

        def was_told(_: object, what: str) -> bool:
            """Tell whether a notice was recorded before, and record it."""
            if what in told:
                return True
            told.add(what)
            return False

        gate.was_told = was_told
        return gate

    def state(self, spec: HookSpec, gate: Gate | None = None) -> HookState:
        """Return the state of a hook."""
        return (gate or self.gate()).find_states([spec])[0]

    def script(self, says: str, *, path: Path | None = None, mode: int = 0o755) -> Path:
        """Write a script that leaves a line in the trace."""
        path = path or self.project / "guard.sh"
        path.write_text(SAYS.format(says), encoding="utf-8")
        path.chmod(mode)
        return path

    def run(self, spec: HookSpec) -> Run:
        """Return a run of a hook before a tool."""
        event = Event(
            kind=spec.kind,
            dialect=spec.dialect,
            native_name=spec.native_event,
            session_id="s",
            cwd=str(self.project),
            body=ToolCall(tool="Bash"),
        )
        return Run(spec=spec, event=event, payload="{}\n")

    def perform(self, run: Run) -> Outcome:
        """Run a hook."""
        (outcome,) = perform_all([run], environ=self.environ)
        return outcome

    def ran(self) -> list[str]:
        """Return what left a trace, in its order."""
        return self.trace.read_text(encoding="utf-8").splitlines() if self.trace.exists() else []


def hook(*argv: str, scope: str = "project", file: str = "", **fields: Any) -> HookSpec:
    """Return a command hook before a tool, declared by a file of this scope."""
    handler = fields.pop("handler", None) or Command(argv=argv)
    return HookSpec(
        **{
            "id": "h", "dialect": "claude-code", "kind": "tool.before",
            "native_event": "PreToolUse",
            "handler": handler, "origin": Origin(file=file, scope=scope), **fields,
        }
    )  # fmt: skip
