"""Hooks that run once in a session, across all of its processes."""

from __future__ import annotations

from zlib import crc32

from hookline.core.dispatch import intercept
from hookline.model.handler import InProcess
from hookline.model.outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.core.dispatch import Dispatch, Run
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.sessions.store import Sessions


def make_mark(spec: HookSpec) -> str:
    """Return the key of a hook in other processes: its id and a checksum of what it does."""
    does = spec.name if isinstance(spec.handler, InProcess) else spec.identity or repr(spec.handler)
    return f"{spec.id} {crc32(does.encode('utf-8', 'surrogatepass')):08x}"


def find_spent(sessions: Sessions, event: Event, specs: Iterable[HookSpec]) -> frozenset[str]:
    """Return the ids of hooks that run once and ran already in the event's session."""
    marks = sessions.spent(event)
    if not marks:
        return frozenset()
    return frozenset(spec.id for spec in specs if spec.once and make_mark(spec) in marks)


def claim_hooks(asked: Dispatch, sessions: Sessions, event: Event) -> Dispatch:
    """Return the dispatch that claims a hook which runs once before it runs; a failed or cancelled hook is released.

    Where another process was faster, its outcome is `spent`.
    """
    claimed: dict[str, str] = {}

    def claim(run: Run) -> Outcome | None:
        if not run.spec.once or run.spec.id in claimed:
            return None
        mark = make_mark(run.spec)
        if not sessions.claim(event, mark):
            return Outcome(spent=True)
        claimed[run.spec.id] = mark
        return None

    try:
        decision = yield from intercept(asked, claim)
    except BaseException:
        _release(claimed.values(), sessions, event)
        raise
    faults = {verdict.hook_id for verdict in decision.verdicts if verdict.fault is not None}
    _release((mark for hook, mark in claimed.items() if hook in faults), sessions, event)
    return decision


def _release(marks: Iterable[str], sessions: Sessions, event: Event) -> None:
    for mark in marks:
        sessions.release(event, mark)
