"""Helpers for tests of hooks in the background: an engine with one, and the events around it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import hookline
from hookline import Engine, Stance

if TYPE_CHECKING:
    from typing import Any


def said(event: str, **answer: object) -> str:
    """A command that prints an answer of Claude Code."""
    specific = (
        {"hookSpecificOutput": {"hookEventName": event, "additionalContext": answer.pop("context")}}
        if "context" in answer
        else {}
    )
    return f"printf %s '{json.dumps({**answer, **specific})}'"


def an_engine(
    *hooks: dict[str, Any],
    event: str = "PostToolUse",
    dialect: str = "claude-code",
    **settings: Any,
) -> Engine:
    """An engine with some command hooks on one event."""
    tree = {"hooks": {event: [{"hooks": [{"type": "command", **hook} for hook in hooks]}]}}
    return Engine.from_config(
        tree, dialect=dialect, environ={"PATH": os.environ["PATH"]}, **settings
    )


def fired(native: str, session: str = "s1", **fields: object) -> tuple[str, dict[str, object]]:
    """An event of Claude Code."""
    return native, {"session_id": session, "cwd": "/", "hook_event_name": native, **fields}


def tool(engine: Engine, session: str = "s1") -> None:
    """A tool has run, and the detached hooks come to their end."""
    decision = engine.fire(
        *fired("PostToolUse", session, tool_name="Bash", tool_input={}, tool_response="x"),
        dialect="claude-code",
    )
    assert (decision.stance, decision.for_agent, decision.for_user) == (Stance.SILENT, (), ())
    engine.close(seconds=60)


def prompt(engine: Engine, session: str = "s1") -> Any:
    """A turn begins."""
    return engine.fire(*fired("UserPromptSubmit", session, prompt="go"), dialect="claude-code")


def stop(engine: Engine, native: str = "Stop", **fields: object) -> Any:
    """The agent is about to stop."""
    return engine.fire(*fired(native, agent_type="a", **fields), dialect="claude-code")


def denied() -> Any:
    """A verdict that refuses."""
    return hookline.deny("not now")


REWAKE = {
    "command": "echo 3 tests fail >&2; exit 2",
    "asyncRewake": True,
    "rewakeMessage": "The tests are done:",
    "rewakeSummary": "tests failed",
}


MESSAGE = "The tests are done:\n3 tests fail"
