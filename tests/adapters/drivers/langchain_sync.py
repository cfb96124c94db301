"""Plays in LangChain, without an event loop of the agent's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.adapters.drivers import langchain

if TYPE_CHECKING:
    from hookline import Engine
    from tests.adapters.plays import Ask, Play, Played

PACKAGE = langchain.PACKAGE
SKIPS: dict[str, str] = {}


async def play(engine: Engine, script: Play, ask: Ask | None, played: Played) -> None:
    """Run an agent with one tool through a play, by `invoke`."""
    await langchain.play(engine, script, ask, played, waits=True)
