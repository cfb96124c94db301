"""The guard `commitments`: a promise to tell the user something later needs what keeps it."""

from __future__ import annotations

from hookline.guards.claims.acts import AGENT, BACKGROUND
from hookline.guards.claims.guard import (
    REDOS,
    count_redos,
    gather_evidence,
    read_reply,
    record_call,
)
from hookline.guards.finding import Answer, Finding
from hookline.model.event import Stop
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.guards.claims.judgement import Evidence
    from hookline.guards.world import World
    from hookline.model.event import Event

_FRESH = 15 * 60.0  # seconds in which a job, or the start of an agent, backs a promise
_SOON = 120.0  # seconds by which clocks may differ
_KEEPERS = frozenset({"schedule", AGENT, BACKGROUND})
_LONGEST = 160  # characters of a sentence in a finding
_INSTEAD = (
    "for a time, schedule a task; for the end of a job, start an agent or a background job that "
    "waits for it; or say that the user has to ask again"
)


def judge(event: Event, options: Mapping[str, Any], world: World) -> Answer | None:
    """Record a tool call, or judge what a reply promises."""
    if event.kind.startswith("tool."):
        return record_call(event, world)
    reply = read_reply(event)
    if not reply:
        return None
    from hookline.guards.claims.promises import find_promises  # noqa: PLC0415 - for replies only

    promises = find_promises(reply)
    evidence = gather_evidence(event, options, world)
    if not promises or _is_kept(evidence):
        return None
    redos, limit = count_redos(world.state, world.now), options.get("redos", REDOS)
    is_again = isinstance(event.body, Stop) and event.body.stop_hook_active
    is_unknown = bool(evidence.jobs.problem) or not evidence.is_recorded
    can_redo = redos < limit and not is_again and not is_unknown
    why = evidence.jobs.problem or "no scheduled task and no waiting agent was started"
    finding = Finding(
        rule="promise.unkept",
        reason=f"the reply promises to tell the user something later, but {why}",
        evidence=" ".join(promises[0].sentence.split()).rstrip(".")[:_LONGEST],
        instead=_INSTEAD,
        stance=Stance.DENY if can_redo else Stance.SILENT,
    )
    state = {**world.state, "redos": redos + 1, "redone_at": world.now} if can_redo else None
    return Answer(findings=(finding,), state=state)


def _is_kept(evidence: Evidence) -> bool:
    """Return whether something runs on after the turn that can keep a promise."""
    started = any(
        _KEEPERS & set(step.acts) and step.is_ok is not False and evidence.now - step.at <= _FRESH
        for step in evidence.steps
    )
    return started or any(
        job.is_on and -_SOON <= evidence.now - job.at <= _FRESH for job in evidence.jobs.entries
    )
