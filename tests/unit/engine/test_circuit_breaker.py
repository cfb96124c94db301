"""Circuit breaker: suspends a hook that keeps failing, and asks it again after a pause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.chat import command
from hookline.engine.doctor.checkup import run_checkup
from hookline.engine.engine import Engine
from hookline.engine.session_limits import PAUSE
from hookline.sessions.store import Sessions

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.verdict import Decision

pytestmark = pytest.mark.process
LIMIT = 5


class Workspace:
    """A Starchild hook that appends to a file, and answers what a second file holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 1_000_000.0
        self.ran, self.output = folder / "ran", folder / "output"
        self.output.write_text("no JSON")
        self.script = folder / "guard.sh"
        self.script.write_text(f"#!/bin/sh\necho x >> {self.ran}\ncat {self.output}\n")
        self.script.chmod(0o755)
        self.config = folder / "shell_hooks.yaml"
        self.declare()

    def declare(self, more: str = "") -> None:
        """Write the file of hooks."""
        entry = f"  - event: pre_tool_call\n    command: {self.script}\n{more}"
        self.config.write_text(f"hooks:\n{entry}")

    def engine(self) -> Engine:
        """A new engine, as each process of `answer` has one."""
        sessions = Sessions(self.folder / "sessions", clock=lambda: self.now)
        engine = Engine(cwd=self.folder, sessions=sessions, clock=lambda: self.now)
        engine.add_source(self.config)
        return engine

    def fire(self, session: str = "s") -> Decision:
        """One call of a tool."""
        payload = {"session_id": session, "tool_name": "bash", "tool_input": {}}
        with self.engine() as engine:
            return engine.fire("pre_tool_call", payload, dialect="starchild")

    @property
    def runs(self) -> int:
        """How often the hook ran."""
        return len(self.ran.read_text().splitlines())


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """Where the hook is declared."""
    return Workspace(tmp_path)


def test_a_hook_that_keeps_failing_is_suspended(place: Workspace) -> None:
    """Each session gets one notice.

    The hook is asked again after the pause, and a failure begins the next one.
    """
    for _ in range(LIMIT):
        assert "failed: " in place.fire().for_user[0]
    assert place.runs == LIMIT

    first, second, other = place.fire(), place.fire(), place.fire("other")
    assert place.runs == LIMIT
    assert first.verdicts[0].fault == "switched off: suspended after 5 failures in a row"
    assert [len(each.for_user) for each in (first, second, other)] == [1, 0, 1]
    assert "hookline doctor" in first.for_user[0]

    place.now += PAUSE
    place.fire()
    place.fire()
    assert place.runs == LIMIT + 1

    place.now += PAUSE
    place.output.write_text('{"decision": "block", "reason": "no"}')
    assert [place.fire().reason, place.fire().reason] == ["no", "no"]


def test_a_success_ends_the_row(place: Workspace) -> None:
    """Only failures in a row count."""
    for _ in range(2):
        place.output.write_text("no JSON")
        for _ in range(LIMIT - 1):
            place.fire()
        place.output.write_text("{}")
        place.fire()

    assert place.runs == 2 * LIMIT


@pytest.mark.parametrize("more", ["    role: guard\n", "    on_error: closed\n"])
def test_a_hook_that_fails_closed_keeps_blocking(place: Workspace, more: str) -> None:
    """However often it fails."""
    place.declare(more)

    assert {place.fire().stance.name for _ in range(LIMIT + 2)} == {"DENY"}
    assert place.runs == LIMIT + 2


def test_another_hook_in_its_place_has_no_failures(place: Workspace) -> None:
    """The count belongs to what runs, not to its place in the file."""
    for _ in range(LIMIT):
        place.fire()
    place.declare("    timeout: 7\n    matcher: x\n")
    place.script = place.script.rename(place.folder / "mended.sh")
    place.declare()
    place.output.write_text('{"decision": "block", "reason": "no"}')

    assert place.fire().reason == "no"


def test_doctor_and_chat_show_the_failures(place: Workspace) -> None:
    """A successful run by doctor clears them, and the hook is asked again."""
    for _ in range(LIMIT):
        place.fire()

    def found() -> list[str]:
        with place.engine() as engine:
            return [
                each.message for each in run_checkup(engine).all_findings if each.code == "HKL7034"
            ]

    with place.engine() as engine:
        assert (
            "! it failed 5 times in a row, and is suspended for 10 more min (/hooks doctor)"
            in command("/hooks list", engine=engine, environ={"HOME": str(place.folder)})
        )
    assert found() == ["it failed 5 times in a row, and is suspended for 10 more min"]
    place.output.write_text('{"decision": "block", "reason": "no"}')
    assert "it answers now, so its failures are forgotten" in found()[0]
    assert found() == []
    assert place.fire().reason == "no"
