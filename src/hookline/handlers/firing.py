"""Firing: what this context is inside of, so that no hook is asked because of itself."""

from __future__ import annotations

from contextvars import ContextVar

# (engine, kind, session) of every event that this context is asking hooks about.
FIRING: ContextVar[tuple[tuple[int, str, str], ...]] = ContextVar("hookline_firing", default=())
# A language model is being asked for a hook: from in there no engine asks anybody.
JUDGING = (0, "", "")
