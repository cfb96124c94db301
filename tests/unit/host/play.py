"""What the tests of the host share: an agent file with a script, played through the real loop."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import TYPE_CHECKING, Any

from hookline import Engine
from hookline.host.agent_file import load_agent_file
from hookline.host.hook_sources import add_hooks
from hookline.host.host import Host
from hookline.host.worktree import make_worktree
from tests.unit.handlers.support import pid_in, until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping
    from pathlib import Path

    from hookline.host.loop import Run, RunResult
    from hookline.host.updates import Question, Update
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

USAGE = {"input_tokens": 10, "output_tokens": 2}
_BASE = ("session_id", "cwd", "hook_event_name", "agent_name")


class Face:
    """A person: `answers` to questions in order, and whether more iterations are allowed."""

    def __init__(self, *answers: str, extends: bool = False, interactive: bool = False) -> None:
        self.is_interactive = interactive or bool(answers)
        self.answers = list(answers)
        self.extends = extends
        self.updates: list[Update] = []
        self.questions: list[Question] = []

    def show(self, update: Update) -> None:
        self.updates.append(update)

    async def approve(self, question: Question) -> tuple[str, str]:
        self.questions.append(question)
        return self.answers.pop(0), ""

    async def may_extend(self, _: int) -> bool:
        return self.extends


class Play:
    """An agent file with a script in a folder, and what happened when it was played."""

    def __init__(self, folder: Path, agents: Mapping[str, Any], **rest: Any) -> None:
        self.folder = folder
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.raised: list[Event] = []
        self.decisions: list[Decision] = []
        self.on_event: Callable[[str], None] = lambda _: None
        self.path = folder / "agent.yaml"
        self.home = folder / "home"
        self.home.mkdir(exist_ok=True)
        self.work = folder / "work"
        self.work.mkdir(exist_ok=True)
        self.path.write_text(json.dumps({"agents": agents, **rest}), encoding="utf-8")
        self.environ = {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        self.face = Face()
        self.engine = Engine(cwd=str(self.work), environ=self.environ, observe=self._observe)
        self.host: Host

    def _observe(self, event: Event, decision: Decision) -> None:
        payload = {key: value for key, value in event.raw.items() if key not in _BASE}
        self.events.append((event.native_name, payload))
        self.raised.append(event)
        self.on_event(event.native_name)
        self.decisions.append(decision)

    @property
    def names(self) -> list[str]:
        """The events in their order."""
        return [name for name, _ in self.events]

    def payloads(self, name: str) -> list[dict[str, Any]]:
        """The payloads of one event."""
        return [payload for event, payload in self.events if event == name]

    def shown(self, kind: str) -> list[Mapping[str, Any]]:
        """The facts of the updates of one kind."""
        return [update.facts for update in self.face.updates if update.kind == kind]

    def run(
        self,
        prompt: str = "go",
        *,
        face: Face | None = None,
        resume: str = "",
        worktree: str = "",
        during: Callable[[Run], Awaitable[None]] | None = None,
    ) -> RunResult:
        """Play the file with a prompt; `during` acts beside it."""
        return asyncio.run(self._run(prompt, face, resume, worktree, during))

    async def _run(
        self, prompt: str, face: Any, resume: str, worktree: str, during: Any
    ) -> RunResult:
        loaded = load_agent_file(str(self.path))
        assert loaded.agent_file is not None, loaded.problems
        self.face = face or Face()
        add_hooks(self.engine, loaded.agent_file)
        async with Host(
            loaded.agent_file, self.engine, self.face, cwd=str(self.work), environ=self.environ,
            new_id=_name_sessions().__next__,
        ) as host:  # fmt: skip
            self.host = host
            run = host.open_session(resumed=resume)
            self.session = run.session
            if worktree:
                await make_worktree(host, run, worktree)
            self.task = asyncio.ensure_future(run.run(prompt))
            if during is not None:
                await during(run)
            return await self.task

    async def wait_for(self, event: str, count: int = 1) -> None:
        """Wait until an event was fired so often."""
        assert await asyncio.to_thread(until, lambda: self.names.count(event) >= count)

    async def wait_for_pid(self, name: str) -> int:
        """Wait until a program has written its process id to a file of the working folder."""
        assert await asyncio.to_thread(until, lambda: pid_in(self.work / name))
        return pid_in(self.work / name)


def _name_sessions() -> Iterator[str]:
    """Yield `a` to `z`, and then numbers."""
    yield from "abcdefghijklmnopqrstuvwxyz"
    yield from (f"s{number}" for number in itertools.count())


def agent(*steps: Mapping[str, Any], **rest: Any) -> dict[str, Any]:
    """Return an agent with a shell; the test writes its script with `write_script`."""
    return {
        "model": "scripted/script.yaml",
        "instruction": "Help.",
        "description": "For a test.",
        "toolsets": [{"type": "shell"}, {"type": "filesystem"}],
        "redact_secrets": False,
        **rest,
    }


def write_script(folder: Path, *steps: Any, scripts: Any = None) -> None:
    """Write a script: each step is a text, calls (`tool`, input), or a whole step."""
    document: dict[str, Any] = {"steps": [_make_step(step) for step in steps]}
    if scripts:
        document = {
            "scripts": [
                {"agent": name, "steps": [_make_step(step) for step in listed]}
                for name, listed in scripts.items()
            ]
        }
    (folder / "script.yaml").write_text(json.dumps(document), encoding="utf-8")


def _make_step(step: Any) -> dict[str, Any]:
    if isinstance(step, dict):
        return step
    if isinstance(step, str):
        return {"text": step, "usage": USAGE}
    calls = step if isinstance(step, list) else [step]
    named = [{"name": name, "arguments": given} for name, given in calls]
    return {"tool_calls": named, "usage": USAGE}


def shell(command: str) -> tuple[str, dict[str, str]]:
    """Return a call of the shell."""
    return "shell", {"cmd": command}


def command_hook(script: str, **rest: Any) -> dict[str, Any]:
    """Return a command hook."""
    return {"type": "command", "command": script, **rest}
