"""Reentrancy: which hooks are asked about the events of an agent that a hook started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hookline.core.dispatch import Run
from hookline.engine.firing import skip_active_hooks
from hookline.handlers.recursion_guard import hook_mark
from hookline.model.event import Event
from hookline.model.spec import Command, HookSpec
from hookline.model.verdict import Failure, Outcome

if TYPE_CHECKING:
    from hookline.core.dispatch import Dispatch

SOURCE = str(Path(__file__).parents[3] / "src")
CALL = {
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}
# An agent that a hook starts: its host asks hookline about the same kind of event, and what it is
# told is kept.
AGENT = """#!/bin/sh
n=$(ls {folder}/inner.* 2>/dev/null | wc -l)
[ "$n" -lt 20 ] &&
  {python} -m hookline answer claude-code < {folder}/call.json > {folder}/inner.{name}.$$ 2>&1
exit 0
"""


def spec(name: str) -> HookSpec:
    """A hook of its own."""
    return HookSpec(
        id=name, dialect="kimi", kind="stop", native_event="Stop", handler=Command(argv=(name,))
    )


@pytest.mark.parametrize("inside", ["", "a", "b", "ab", "c"])
def test_a_hook_that_raised_the_event_is_left_out(inside: str) -> None:
    """In each batch, and the outcomes of the others come back in their order."""
    event = Event(kind="stop", dialect="kimi", native_name="Stop")
    came: list[tuple[Outcome, ...]] = []

    def asking() -> Dispatch:
        for batch in ("ab", "c", "ca"):
            outcomes = yield tuple(Run(spec=spec(name), event=event) for name in batch)
            came.append(outcomes)
        return None  # type: ignore[return-value]

    asked, names = (
        skip_active_hooks(asking(), frozenset(hook_mark(spec(name)) for name in inside)),
        [],
    )
    try:
        runs = next(asked)
        while True:
            names.append("".join(run.spec.id for run in runs))
            runs = asked.send(tuple(Outcome(stdout=run.spec.id) for run in runs))
    except StopIteration:
        pass

    assert names == [
        left
        for batch in ("ab", "c", "ca")
        if (left := "".join(name for name in batch if name not in inside))
    ]
    told = [
        "".join("-" if each.failure is Failure.REENTERED else each.stdout for each in outcomes)
        for outcomes in came
    ]
    assert told == [
        "".join("-" if name in inside else name for name in batch) for batch in ("ab", "c", "ca")
    ]


class Nest:
    """A user whose hooks start agents, and the replies to these."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        self.home.mkdir()
        (folder / "call.json").write_text(
            json.dumps({**CALL, "cwd": str(folder)}), encoding="utf-8"
        )
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONPATH": SOURCE,
            "HOOKLINE_JOURNAL": "off",
        }

    def agent(self, name: str) -> str:
        """A hook that starts an agent."""
        path = self.folder / f"{name}.sh"
        path.write_text(
            AGENT.format(folder=self.folder, python=sys.executable, name=name), encoding="utf-8"
        )
        path.chmod(0o755)
        return str(path)

    def declare(self, *commands: str) -> None:
        hooks = [{"hooks": [{"type": "command", "command": command}]} for command in commands]
        settings = self.home / ".claude/settings.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps({"hooks": {"PreToolUse": hooks}}), encoding="utf-8")

    def answer(self) -> dict[str, Any]:
        command = [sys.executable, "-m", "hookline", "answer", "claude-code"]
        done = subprocess.run(
            command, input=(self.folder / "call.json").read_bytes(), env=self.environ,
            cwd=self.folder, capture_output=True, check=True
        )  # fmt: skip
        said: dict[str, Any] = json.loads(done.stdout or "{}")
        return said

    def inner(self) -> list[tuple[str, str]]:
        """The reply to each agent, by the hook that started it."""
        return sorted(
            (path.name.split(".")[1], path.read_text(encoding="utf-8"))
            for path in self.folder.glob("inner.*")
        )


@pytest.mark.process
def test_a_guard_is_asked_about_an_agent_that_a_hook_started(tmp_path: Path) -> None:
    """The hook that started it is not asked again, and a notice says so."""
    nest = Nest(tmp_path)
    nest.declare(nest.agent("one"), "echo guarded >&2; exit 2")
    nest.answer()

    ((_, told),) = nest.inner()
    said = json.loads(told)
    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "guarded" in said["hookSpecificOutput"]["permissionDecisionReason"]
    assert "failed: called again from inside itself" in said["systemMessage"]


@pytest.mark.process
def test_hooks_that_start_agents_come_to_an_end(tmp_path: Path) -> None:
    """Each is asked at most once on the way down."""
    nest = Nest(tmp_path)
    nest.declare(nest.agent("one"), nest.agent("two"))
    nest.answer()

    assert [name for name, _ in nest.inner()] == ["one", "one", "two", "two"]
