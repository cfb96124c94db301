"""Guardrails: counters that keep a stop gate from sending an agent back for ever."""

from __future__ import annotations

from hookline.core.dialect import TURNS
from hookline.model.frozen import Frozen
from hookline.model.verdict import Lowered, Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.verdict import Decision

# Kinds that begin a new turn, or end the last one, and with it the count. A host whose `turn.start` is a mere model call
# (docker-agent) cannot send its agent back at all.
NEW_TURN = frozenset({"prompt.submit", "prompt.steer", "turn.start", "session.start", "session.end"})


# The agent's own stop; a sub-agent's is not the moment to tell the agent anything.
STOPS = frozenset({"stop"})
# Kinds of event at which something is told, counted or forgotten that was not said about them. What a dialect delivers at
# others (`Table.delivers`) is delivered only here, so that the calls of tools never look at a disk.
REMEMBERING = TURNS | NEW_TURN | STOPS


class Redos(Frozen):
    """How often each stop gate of each session sent its agent back in the running turn."""

    counts: Mapping[tuple[str, str], int] = {}

    def count(self, session: str, kind: str) -> int:
        return self.counts.get((session, kind), 0)

    def after(self, session: str, decision: Decision) -> Redos:
        """The counters after this decision."""
        if decision.redo:
            key = (session, decision.kind)
            return Redos(counts={**self.counts, key: self.counts.get(key, 0) + 1})
        if decision.kind in NEW_TURN and any(known == session for known, _ in self.counts):
            return Redos(counts={key: count for key, count in self.counts.items() if key[0] != session})
        return self


def redo_limit(decision: Decision, usual: int) -> int:
    """How often the hooks that send the agent back may do so: the most generous of what they say themselves, else `usual`."""
    verdicts = [verdict for verdict in decision.verdicts if verdict.stance is Stance.DENY and not verdict.shadow]
    limits = [usual if verdict.redo_limit is None else verdict.redo_limit for verdict in verdicts]
    return 0 if any(limit <= 0 for limit in limits) else max(limits, default=usual)


def cap_redo(decision: Decision, count: int, limit: int) -> Decision:
    """The decision, or, when the agent was already sent back `limit` times this turn, leave to stop, said aloud.

    A limit of 0 or less is no limit. (architecture, decision 12)
    """
    if not decision.redo or limit <= 0 or count < limit:
        return decision
    note = f"a hook sent the agent back {count} times in this turn, which is the limit; it may stop now"
    return decision.replace(
        stance=Stance.SILENT,
        reason="",
        redo=False,
        for_user=(*decision.for_user, note),
        lowered=(*decision.lowered, Lowered(effect="deny", reason=f"the limit of {limit} redos in a turn is reached")),
    )
