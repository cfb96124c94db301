"""Guardrails: counters that keep a stop gate from sending an agent back for ever."""

from __future__ import annotations

from hookline.core.dialect import TURNS
from hookline.model.event import Stop
from hookline.model.frozen import Frozen
from hookline.model.verdict import Lowered, Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import Row, Table
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

# Kinds that begin a new turn, or end the last one, and with it the count. A host whose `turn.start` is a mere model call
# (docker-agent) cannot send its agent back at all.
NEW_TURN = frozenset({"prompt.submit", "prompt.steer", "turn.start", "session.start", "session.end"})

# The agent's own stop; a sub-agent's is not the moment to tell the agent anything.
STOPS = frozenset({"stop"})
# Kinds at which a refusal sends somebody back to work (`Kind.redo`, as a set that costs nothing to ask).
GATES = STOPS | {"subagent.stop", "teammate.idle", "completion.claim"}
# Kinds of event at which something is told, counted or forgotten that was not said about them. What a dialect delivers at
# others (`Table.delivers`) is delivered only here, so that the calls of tools never look at a disk.
REMEMBERING = TURNS | NEW_TURN | GATES

_MOST_GATES = 256  # of one session: sub-agents, mostly
_LONGEST = 128  # characters of an agent's name

_UNKNOWN = "how often it was sent back before cannot be known"


def agent_of(event: Event) -> str:
    """The agent that an event is about, where the host names it: a sub-agent, mostly. Empty where it does not."""
    named = event.body.value("agent_id") or event.raw.get("agent_id") or ""
    name = str(named)
    return name if len(name) <= _LONGEST else name[: _LONGEST // 2] + name[-_LONGEST // 2 :]


def gate_of(event: Event) -> str:
    """What a stop gate is counted by within its session: the kind of event, and the agent."""
    return f"{event.kind} {agent}" if (agent := agent_of(event)) else event.kind


class Redos(Frozen):
    """How often each stop gate of one session sent its agent back in the running turn, by `gate_of`."""

    counts: Mapping[str, int] = {}

    def count(self, event: Event) -> int:
        return self.counts.get(gate_of(event), 0)

    def after(self, event: Event, *, back: bool, follows: bool | None = None) -> Redos:
        """The counters after an event. `back`: it sent the agent back; `follows` as of `follows_redo`.

        A stop that nothing refused ends the turn, unless the host says that it comes after one that somebody refused: then
        others may send the agent back as well, and the count goes on.
        """
        gate = gate_of(event)
        if back:
            others = {known: count for known, count in self.counts.items() if known != gate}
            newest = list(others.items())[1 - _MOST_GATES :]
            return Redos(counts=dict(newest) | {gate: (0 if follows is False else self.counts.get(gate, 0)) + 1})
        if event.kind in NEW_TURN:
            agent = "" if event.kind == "session.end" else agent_of(event)
            over = {known for known in self.counts if not agent or known.partition(" ")[2] == agent}
        else:
            over = {gate} if event.kind in GATES and not follows else set()
        return Redos(counts={known: count for known, count in self.counts.items() if known not in over}) if over else self


def follows_redo(event: Event, table: Table) -> bool | None:
    """Whether the host says that this stop comes after one that was refused; None where it says nothing, or nothing reliable."""
    said = event.raw.get(table.redo_flag) if table.redo_flag and event.kind in GATES else None
    return None if said is None else bool(said)


def is_flagged(event: Event) -> bool:
    """Whether the host, or our own count, says that the agent was sent back already."""
    return isinstance(event.body, Stop) and bool(event.body.stop_hook_active)


def goes_on(decision: Decision, row: Row | None) -> bool:
    """Whether the agent goes on working because of a decision at its stop: refused, or told something where that has the same effect."""
    told = row is not None and row.context_redoes and decision.stance < Stance.HALT and bool(decision.for_agent)
    return decision.redo or told


def is_spent(decision: Decision) -> bool:
    """Whether a hook lets the agent stop only because it sent it back as often as it may."""
    return any(verdict.redo_limit is not None and verdict.stance < Stance.DENY and not verdict.shadow for verdict in decision.verdicts)


def redo_limit(decision: Decision, usual: int) -> int:
    """How often the hooks that send the agent back may do so: the most generous of what they say themselves, else `usual`."""
    verdicts = [verdict for verdict in decision.verdicts if verdict.stance is Stance.DENY and not verdict.shadow]
    limits = [usual if verdict.redo_limit is None else verdict.redo_limit for verdict in verdicts]
    return 0 if any(limit <= 0 for limit in limits) else max(limits, default=usual)


def cap_redo(decision: Decision, count: int | None, limit: int, row: Row | None = None) -> Decision:
    """The decision, or, when the agent was already sent back `limit` times this turn, leave to stop, said aloud.

    `count`: None where it was sent back, and nobody knows how often: that is once too often. A limit of 0 or less is no limit.
    (architecture, decision 12)
    """
    if limit <= 0 or not goes_on(decision, row) or (count is not None and count < limit):
        return decision
    often = f"{count} times in this turn, which is the limit" if count is not None else f"again, and {_UNKNOWN}"
    why = f"the limit of {limit} redos in a turn is reached" if count is not None else _UNKNOWN
    heard = row is not None and row.context_redoes and decision.for_agent
    lost = [effect for effect, is_lost in (("deny", decision.redo), ("context", heard)) if is_lost]
    return decision.replace(
        stance=Stance.SILENT if decision.redo else decision.stance,
        reason="" if decision.redo else decision.reason,
        redo=False,
        for_agent=() if heard else decision.for_agent,
        for_user=(*decision.for_user, f"a hook sent the agent back {often}; it may stop now"),
        lowered=(*decision.lowered, *(Lowered(effect=effect, reason=why) for effect in lost)),
    )
