"""Agent sessions: which hooks a run has, and which run this code is inside."""

from __future__ import annotations

from collections import OrderedDict
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from hookline.adapters.agent_hooks import AgentHooks

if TYPE_CHECKING:
    from hookline.engine.engine import Engine

_MOST_SESSIONS = 256

# The hooks of the run that this code runs inside; an agent that starts here is its sub-agent.
RUNNING: ContextVar[AgentHooks | None] = ContextVar("hookline_running", default=None)


class AgentSessions:
    """The hooks of each session that an adapter began; `options` are those of `AgentHooks`."""

    def __init__(self, engine: Engine, **options: Any) -> None:
        self._engine = engine
        self._options = options
        self._known: OrderedDict[str, AgentHooks] = OrderedDict()

    def find(self, session_id: str, agent: str = "", agent_type: str = "") -> AgentHooks:
        """Return the hooks of a session, or of a sub-agent in it; made when first asked for."""
        key = f"{session_id}\n{agent}" if agent else session_id
        if key not in self._known:
            about: dict[str, Any] = {
                "session_id": session_id,
                "agent": agent,
                "agent_type": agent_type,
            }
            self._known[key] = AgentHooks(self._engine, **about, **self._options)
            while len(self._known) > _MOST_SESSIONS:
                self._known.popitem(last=False)
        return self._known[key]

    async def end(self, reason: str = "") -> None:
        """Report the end of every session."""
        while self._known:
            _, hooks = self._known.popitem(last=False)
            if not hooks.agent:
                await hooks.end_session(reason)
