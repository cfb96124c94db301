"""Counts how often a stop gate sent an agent back, and caps it.

The cap is `redo_limit` of the host's table (`core.dialect.Table`), or a hook's own.
"""

from __future__ import annotations

from hookline.core.dialect import TURNS, EventRow, Table
from hookline.model.event import Event, Stop
from hookline.model.frozen import Frozen
from hookline.model.verdict import Decision, Lowered, Stance
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


# Kinds that begin a new turn or end the last one, and so reset the count, unless a host raises them
# within one too (`Table.repeats`).
NEW_TURN = frozenset(
    {"prompt.submit", "prompt.steer", "turn.start", "session.start", "session.end"}
)

# The agent's own stop. The stop of a sub-agent is no occasion to tell the agent anything.
STOPS = frozenset({"stop"})
# Kinds at which a refusal sends an agent back to work (`Kind.redo`, as a set for fast look-up).
GATES = STOPS | {"subagent.stop", "teammate.idle", "completion.claim"}
# Kinds at which hookline delivers, counts or forgets results of other events. A dialect may list
# more in `Table.delivers`; they take effect only here, so that tool calls never need the disk.
REMEMBERING = TURNS | NEW_TURN | GATES

# Kinds that are counted by the goal that the agent claims to have reached. A user's message does
# not reset this count.
CLAIMS = frozenset({"completion.claim"})
# Kinds that begin or end a session, and with it every count.
_SESSION = frozenset({"session.start", "session.end"})

_MOST_GATES = 256  # of one session, mostly of sub-agents
_GOAL = " goal:"  # separates the goal in the key of a gate
_LONGEST = 128  # characters of an agent's name

_UNKNOWN = "how often it was sent back before cannot be known"


def find_agent(event: Event) -> str:
    """Return the agent that an event is about, mostly a sub-agent.

    Empty if the host does not name it.
    """
    named = event.body.value("agent_id") or event.raw.get("agent_id") or ""
    name = str(named)
    return name if len(name) <= _LONGEST else name[: _LONGEST // 2] + name[-_LONGEST // 2 :]


def gate_key(event: Event) -> str:
    """Return the key that a stop gate is counted by within its session: kind and agent.

    For a claim also the goal.
    """
    gate = f"{event.kind} {agent}" if (agent := find_agent(event)) else event.kind
    goal = event.body.value("goal") or event.raw.get("goal") if event.kind in CLAIMS else None
    if not goal:
        return gate
    return f"{gate}{_GOAL}{sha256(str(goal).encode('utf-8', 'replace'))[:16]}"


def _agent_in(gate: str) -> str:
    return gate.partition(_GOAL)[0].partition(" ")[2]


def _is_claim(gate: str) -> bool:
    return gate.partition(_GOAL)[0].partition(" ")[0] in CLAIMS


class RedoCounts(Frozen):
    """How often each stop gate of one session sent its agent back in a row, by `gate_key`."""

    counts: Mapping[str, int] = {}

    def count(self, event: Event) -> int:
        return self.counts.get(gate_key(event), 0)

    def count_before(self, event: Event, *, follows: bool | None) -> int:
        """Return how many redos the series of this stop has had; `follows` as from `follows_redo`.

        If the host says that a stop follows no refusal, a new series begins.
        """
        return 0 if follows is False else self.count(event)

    def with_redo(self, event: Event, had: int) -> RedoCounts:
        """Return the counters after an event that sent the agent back again, after `had` redos."""
        gate = gate_key(event)
        others = [(known, count) for known, count in self.counts.items() if known != gate]
        return RedoCounts(counts=dict(others[1 - _MOST_GATES :]) | {gate: had + 1})

    def with_stop(self, event: Event, *, follows: bool | None = None) -> RedoCounts:
        """Return the counters after an event that sent no agent back.

        A stop without a refusal ends the turn, unless the host says that it follows a refused one:
        other hooks may then send the agent back too, and the count continues.
        """
        over: set[str] = set()
        if event.kind in NEW_TURN:
            agent = "" if event.kind == "session.end" else find_agent(event)
            over = {
                known
                for known in self.counts
                if (not agent or _agent_in(known) == agent)
                and (event.kind in _SESSION or not _is_claim(known))
            }
        elif event.kind in GATES and not follows:
            over = {gate_key(event)}
        counts = {known: count for known, count in self.counts.items() if known not in over}
        return self if counts == self.counts else RedoCounts(counts=counts)


def follows_redo(event: Event, table: Table) -> bool | None:
    """Return whether the host says that this stop follows a refused one.

    None if it says nothing reliable.
    """
    said = event.raw.get(table.redo_flag) if table.redo_flag and event.kind in GATES else None
    return None if said is None else bool(said)


def is_flagged(event: Event) -> bool:
    """Return whether the host, or hookline's own count, says that the agent was sent back."""
    return isinstance(event.body, Stop) and bool(event.body.stop_hook_active)


def is_sent_back(decision: Decision, row: EventRow | None) -> bool:
    """Return whether a decision makes a stopping agent continue, by a refusal or by a context."""
    told = (
        row is not None
        and row.context_redoes
        and decision.stance < Stance.HALT
        and bool(decision.for_agent)
    )
    return decision.redo or told


def is_spent(decision: Decision) -> bool:
    """Return whether a hook lets the agent stop only because it has used up its redos."""
    return any(
        verdict.redo_limit is not None and verdict.stance < Stance.DENY and not verdict.shadow
        for verdict in decision.verdicts
    )


def redo_limit(decision: Decision, usual: int) -> int:
    """Return how often the refusing hooks may send the agent back; `usual` if they do not say."""
    verdicts = [
        verdict
        for verdict in decision.verdicts
        if verdict.stance is Stance.DENY and not verdict.shadow
    ]
    limits = [usual if verdict.redo_limit is None else verdict.redo_limit for verdict in verdicts]
    return 0 if any(limit <= 0 for limit in limits) else max(limits, default=usual)


def cap_redo(
    decision: Decision, count: int | None, limit: int, row: EventRow | None = None
) -> Decision:
    """Return the decision, or let the agent stop if it was sent back `limit` times this turn.

    `count`: how often so far. It exceeds the limit if another hook has a higher one. None: the
    agent was sent back, but the number is unknown, which counts as over the limit. A limit of 0 or
    less means no limit (docs/architecture.md 4.12).
    """
    if limit <= 0 or not is_sent_back(decision, row) or (count is not None and count < limit):
        return decision
    which = "which is the limit" if count == limit else f"and the limit is {limit}"
    span = "for this goal" if decision.kind in CLAIMS else "in this turn"
    often = f"{count} times {span}, {which}" if count is not None else f"again, and {_UNKNOWN}"
    unit = "for a goal" if decision.kind in CLAIMS else "in a turn"
    why = f"the limit of {limit} redos {unit} is reached" if count is not None else _UNKNOWN
    heard = row is not None and row.context_redoes and decision.for_agent
    lost = [
        Lowered(effect=effect, reason=why, hook=hook)
        for effect, is_lost in (("deny", decision.redo), ("context", bool(heard)))
        if is_lost
        for hook in _find_refusing_hooks(decision, effect)
    ]
    return decision.replace(
        stance=Stance.SILENT if decision.redo else decision.stance,
        decider="" if decision.redo else decision.decider,
        reason="" if decision.redo else decision.reason,
        redo=False,
        for_agent=() if heard else decision.for_agent,
        for_user=(*decision.for_user, f"a hook sent the agent back {often}; it may stop now"),
        lowered=(*decision.lowered, *lost),
    )


def _find_refusing_hooks(decision: Decision, effect: str) -> tuple[str, ...]:
    """Return the ids of the hooks that refused the stop or gave a context.

    One empty id if no hook did.
    """
    asking = dict.fromkeys(
        verdict.hook_id
        for verdict in decision.verdicts
        if not verdict.shadow
        and (verdict.stance is Stance.DENY if effect == "deny" else bool(verdict.for_agent))
    )
    return tuple(asking) or ("",)
