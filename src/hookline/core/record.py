"""Record: an account of one dispatch without any payload text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Event
    from hookline.model.verdict import Decision

SCHEMA = "hookline.record/1"


def make_record(event: Event, decision: Decision, *, event_id: str, at: str) -> dict[str, Any]:
    """Return an account of a dispatch that is safe to store: ids, stances, faults and times, no payload text.

    `at` is an ISO 8601 time. Reasons, contexts and rewritten values are left out, because a hook
    may quote the payload in them. Of a rewrite, only its target and the changed keys are kept.
    """
    return {
        "schema": SCHEMA,
        "id": event_id,
        "at": at,
        "kind": decision.kind,
        "dialect": decision.dialect,
        "native_event": decision.native_event,
        "session": event.session_id,
        "tool": event.tool,
        "stance": decision.stance.name.lower(),
        "rewritten": _rewritten(decision),
        "redo": decision.redo,
        "lowered": [entry.effect for entry in decision.lowered],
        "seconds": decision.seconds,
        "hooks": [
            {
                "hook": verdict.hook_id,
                "stance": verdict.stance.name.lower(),
                "failed": verdict.fault is not None,
                "exit_code": verdict.exit_code,
                "seconds": verdict.seconds,
                "shadow": verdict.shadow,
            }
            for verdict in decision.verdicts
        ],
    }


def _rewritten(decision: Decision) -> dict[str, Any] | None:
    if decision.rewrite is None:
        return None
    patch = decision.rewrite.patch
    return {
        "target": decision.rewrite.target,
        "keys": sorted(patch) if isinstance(patch, dict) else [],
    }
