"""The guard `budget_alert`: tells the user when a turn, or a session, costs more than a limit."""

from __future__ import annotations

from hookline.guards.finding import Answer
from hookline.guards.usage import format_dollars, read_usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.guards.world import World
    from hookline.model.event import Event

_LIMIT = 1.0  # US dollars a turn, where no limit is given


def judge(event: Event, options: Mapping[str, Any], world: World) -> Answer | None:
    """Return a note for each limit that the turn crosses; None if the host reports no cost."""
    cost = read_usage(event).cost
    if not cost:
        return None
    of_turn, of_session = options.get("limit_usd"), options.get("session_limit_usd")
    if of_turn is None and of_session is None:
        of_turn = _LIMIT
    before = float(world.state.get("cost", 0.0))
    after = before + cost
    notes = []
    if of_turn is not None and cost > of_turn:
        notes.append(_describe("turn", cost, of_turn))
    if of_session is not None and before <= of_session < after:
        notes.append(_describe("session", after, of_session))
    return Answer(for_user="\n".join(notes), state={"cost": after})


def _describe(what: str, cost: float, limit: float) -> str:
    return (
        f"[budget_alert] this {what} cost {format_dollars(cost)},"
        f" more than the limit of {format_dollars(limit)}"
    )
