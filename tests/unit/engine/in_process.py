"""Helpers for tests with Python hooks: an engine, and the events that it is asked about."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hookline import (
    Decision,
    Engine,
    Event,
    Prompt,
    Stop,
    ToolCall,
)

if TYPE_CHECKING:
    from typing import Any


CALL = Event(
    kind="tool.before", session_id="s1", body=ToolCall(tool="bash", input={"command": "ls"})
)


STOP = Event(kind="stop", session_id="s1", body=Stop())


PROMPT = Event(kind="prompt.submit", session_id="s1", body=Prompt(prompt="go"))


def an_engine(**settings: Any) -> Engine:
    """An engine that knows nothing of the environment of these tests."""
    return Engine(**{"environ": {}, **settings})


def guarded(answer: Any = None, kind: str = "tool.before", **settings: Any) -> Engine:
    """An engine with one hook that always answers the same."""
    engine = an_engine(**settings)
    engine.on(kind, name="guard")(lambda _: answer)
    return engine


def fired(engine: Engine, through: str) -> Decision:
    """The decision on the call, by one of the ways to ask."""
    if through == "fire":
        return engine.fire(CALL)

    async def inside() -> Decision:
        return await engine.fire_async(CALL) if through == "fire_async" else engine.fire(CALL)

    return asyncio.run(inside())
