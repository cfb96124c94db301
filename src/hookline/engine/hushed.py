"""Hushed: what is said of hooks that a file switched off, at an event that they stood at, so that no guard vanishes in silence."""

from __future__ import annotations

from hookline.engine.unsaid import NOT_ASKED
from hookline.model.verdict import Lowered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.problem import Problem
    from hookline.model.verdict import Decision

_MOST = 256  # of what was told, by names that are a host's or a file's to choose


def hushed(engine: Engine, event: Event, decision: Decision) -> Decision:
    """The decision; where a file's switch took hooks of this event away, with a word on which file it was: each is told once in a session.

    So is a problem of the file of such a hook that `tells_user`. In a note for the user, where the event has room for one; else in `lowered`.
    """
    off = [problem for problem in engine.problems if problem.hooks or problem.tells_user]
    if not off:
        return decision
    row = engine.host(event.dialect).table.row(event.native_name)
    noted = row is None or "note" in row.powers_on(event.tool)
    here = {
        spec.id: spec.origin.file
        for shelved in engine.shelf.sources
        for spec in shelved.loaded.specs
        if spec.kind == event.kind
    }
    for problem in off:
        if not _concerns(problem, here) or was_told(engine, event, f"{problem.message} {noted}"):
            continue
        if noted:
            decision = decision.replace(for_user=(*decision.for_user, f"hookline: {problem}"))
        else:
            decision = decision.replace(
                lowered=(*decision.lowered, Lowered(effect=NOT_ASKED, reason=str(problem)))
            )
    return decision


def _concerns(problem: Problem, here: Mapping[str, str]) -> bool:
    """Whether a problem is about one of these hooks, which are given with their files."""
    if problem.tells_user:
        return problem.origin.file in here.values()
    return any(hook in here for hook in problem.hooks)


def was_told(engine: Engine, event: Event, what: str) -> bool:
    """Whether the user was told that in this session, or by this process; from now on they were."""
    if engine._lasting is not None and event.session_id:
        return not engine._lasting.spend(event, what, 1)
    if what in engine._told:
        return True
    engine._told = (
        {what} if len(engine._told) >= _MOST else {*engine._told, what}
    )  # who cannot remember all says it again
    return False
