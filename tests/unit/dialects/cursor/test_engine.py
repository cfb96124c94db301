"""Cursor in an engine: other dialects' hooks run once, and each sender has its follow-up count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline import Engine
from hookline.model.verdict import Stance, Verdict

if TYPE_CHECKING:
    from hookline.model.event import Event

BASE: dict[str, Any] = {
    "conversation_id": "c1",
    "workspace_roots": ["/"],
    "cursor_version": "2.4.1",
}
SHELL = {**BASE, "tool_name": "Shell", "tool_input": {"command": "rm -rf x"}, "tool_use_id": "t1"}


def test_a_call_that_raises_two_events_asks_each_hook_once() -> None:
    """The tool event speaks for the call.

    Hooks on commands have an event of their own (docs/formats/vocabulary.md 4).
    """
    asked: list[tuple[str, str]] = []
    engine = Engine()

    @engine.on("tool.before", command="rm ")
    def on_tool(event: Event) -> None:
        asked.append(("tool", event.native_name))

    @engine.on("shell.before", command="rm ")
    def on_shell(event: Event) -> None:
        asked.append(("shell", event.native_name))

    engine.fire("preToolUse", SHELL, dialect="cursor")
    engine.fire(
        "beforeShellExecution", {**BASE, "command": "rm -rf x", "cwd": "/"}, dialect="cursor"
    )

    assert asked == [("tool", "preToolUse"), ("shell", "beforeShellExecution")]


def test_a_guard_on_paths_reads_a_file_event() -> None:
    """Whatever the host calls the field."""
    engine = Engine()

    @engine.on("file.read.before", path="**/.env")
    def guard(event: Event) -> Verdict:
        return hookline.deny(f"{event.tool} of secrets")

    said = engine.answer(
        "cursor",
        {**BASE, "hook_event_name": "beforeTabFileRead", "file_path": "/srv/.env", "content": ""},
    )

    assert said.stdout == '{"permission": "deny"}\n'


def stops(limit: Any, times: int) -> list[bool]:
    """Whether each of so many stops in one turn sends the agent back."""
    tree = {
        "version": 1,
        "hooks": {
            "stop": [{"command": 'printf \'{"followup_message": "go on"}\'', "loop_limit": limit}]
        },
    }
    with Engine.from_config(tree, dialect="cursor") as engine:
        return [engine.fire("stop", BASE, dialect="cursor").redo for _ in range(times)]


@pytest.mark.process
@pytest.mark.parametrize(("limit", "back"), [(2, 2), (None, 7), (6, 6)])
def test_a_hook_has_its_own_limit_of_follow_ups(limit: int | None, back: int) -> None:
    """Also beyond the host's usual five; null is no limit (docs/formats/cursor.md: loop_limit)."""
    assert stops(limit, 7) == [True] * back + [False] * (7 - back)


def test_hooks_without_a_limit_of_their_own_have_the_hosts() -> None:
    """Five follow-ups a turn, and a notice at the sixth stop."""
    engine = Engine()

    @engine.on("stop")
    def again(event: Event) -> Verdict:
        return Verdict(stance=Stance.DENY, reason=event.native_name)

    decisions = [engine.fire("stop", BASE, dialect="cursor") for _ in range(6)]

    assert [decision.redo for decision in decisions] == [True] * 5 + [False]
    assert decisions[-1].lowered[-1].effect == "deny"


@pytest.mark.process
def test_a_hook_is_told_the_version_in_its_environment() -> None:
    """As the payload has it (docs/formats/cursor.md 4)."""
    tree = {
        "version": 1,
        "hooks": {
            "preToolUse": [
                {
                    "command": 'printf \'{"permission": "deny", "agent_message": "%s"}\' '
                    "$CURSOR_VERSION"
                }
            ]
        },
    }

    assert (
        Engine.from_config(tree, dialect="cursor")
        .fire("preToolUse", SHELL, dialect="cursor")
        .reason
        == "2.4.1"
    )
