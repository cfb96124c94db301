"""Helpers of the docker-agent tests: a hook and an event of each row, and fitting decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookline.core.dialect import Source
from hookline.dialects.docker_agent import DockerAgent

if TYPE_CHECKING:
    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

_DEFAULT = DockerAgent()
EVENTS = tuple(_DEFAULT.table.rows)
TOOL = {"tool_name": "shell", "tool_input": {"cmd": "ls", "cwd": "/"}, "tool_response": "secret"}


def row_of(dialect: DockerAgent, event: str) -> EventRow:
    """The row of an event."""
    return dialect.table.rows[event]


def config(event: str, *hooks: dict[str, Any]) -> dict[str, Any]:
    """A drop-in with these hooks on one event, or on the preempt lane."""
    public, _, lane = event.partition(":")
    if not row_of(_DEFAULT, event).grouped:
        return {public: list(hooks)}
    return {public: [{"hooks": list(hooks)} | ({"preempt_yolo": True} if lane else {})]}


def one_hook(dialect: DockerAgent, event: str, **keys: Any) -> HookSpec:
    """A command hook on an event."""
    loaded = dialect.load(
        Source(tree=config(event, {"type": "command", "command": "true", **keys}))
    )
    assert loaded.problems == ()
    return loaded.specs[0]


def one_event(dialect: DockerAgent, event: str) -> Event:
    """An event as its host raises it."""
    payload = {
        "session_id": "d-9",
        "cwd": "/srv/shop",
        "messages": [{"role": "user", "content": "x"}],
    }
    return dialect.decode_event(payload | (TOOL if row_of(dialect, event).subject else {}), event)
