"""Adds to an event the time and the number of refused stops, which only the engine knows."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event


def add_time(event: Event, seconds: float) -> Event:
    """Return the event with `timestamp` in UTC, if it has none; `seconds` since 1970."""
    facts = event.body.facts
    if "timestamp" in facts:
        return event
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    return event.replace(body=event.body.replace(facts={**facts, "timestamp": now}))


def add_redo_count(event: Event, count: int, limit: int) -> Event:
    """Return a stop event with how often the agent was sent back in this turn, and the limit of that."""
    facts = {**event.body.facts, "stop_block_count": count, "stop_block_limit": limit}
    is_active = event.body.value("stop_hook_active") or count > 0
    return event.replace(body=event.body.replace(stop_hook_active=is_active, facts=facts))
