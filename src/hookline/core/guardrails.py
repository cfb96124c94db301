"""Guardrails: counters that keep a stop gate from sending an agent back for ever."""

from __future__ import annotations

from hookline.core.dialect import TURNS
from hookline.model.event import Stop
from hookline.model.frozen import Frozen
from hookline.model.verdict import Lowered, Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow, Table
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

# Kinds that begin a new turn, or end the last one, and with it the count. A host whose `turn.start` is a mere model call
# (docker-agent) cannot send its agent back at all.
NEW_TURN = frozenset(
    {"prompt.submit", "prompt.steer", "turn.start", "session.start", "session.end"}
)

# The agent's own stop; a sub-agent's is not the moment to tell the agent anything.
STOPS = frozenset({"stop"})
# Kinds at which a refusal sends somebody back to work (`Kind.redo`, as a set that costs nothing to ask).
GATES = STOPS | {"subagent.stop", "teammate.idle", "completion.claim"}
# Kinds of event at which something is told, counted or forgotten that was not said about them. What a dialect delivers at
# others (`Table.delivers`) is delivered only here, so that the calls of tools never look at a disk.
REMEMBERING = TURNS | NEW_TURN | GATES

# Kinds that are counted by the goal that the agent claims to have reached. What the user says in between begins no new count.
CLAIMS = frozenset({"completion.claim"})
# Kinds that begin or end a session, and with it every count.
_SESSION = frozenset({"session.start", "session.end"})

_MOST_GATES = 256  # of one session: sub-agents, mostly
_GOAL = " goal:"  # what stands before a goal in the name of a gate
_LONGEST = 128  # characters of an agent's name
# Seconds. No agent is sent back, interrupted by its user, told something else and done with that so soon; and if it were, its stop
# would count as one more redo, and be let through no earlier than at the limit.
_AT_ONCE = 5.0

_UNKNOWN = "how often it was sent back before cannot be known"


def agent_of(event: Event) -> str:
    """The agent that an event is about, where the host names it: a sub-agent, mostly. Empty where it does not."""
    named = event.body.value("agent_id") or event.raw.get("agent_id") or ""
    name = str(named)
    return name if len(name) <= _LONGEST else name[: _LONGEST // 2] + name[-_LONGEST // 2 :]


def gate_of(event: Event) -> str:
    """What a stop gate is counted by within its session: the kind of event and the agent; a claim also by its goal."""
    gate = f"{event.kind} {agent}" if (agent := agent_of(event)) else event.kind
    goal = event.body.value("goal") or event.raw.get("goal") if event.kind in CLAIMS else None
    if not goal:
        return gate
    from hashlib import sha256  # noqa: PLC0415 - few hosts have goals

    return f"{gate}{_GOAL}{sha256(str(goal).encode('utf-8', 'replace')).hexdigest()[:16]}"


def _agent_in(gate: str) -> str:
    return gate.partition(_GOAL)[0].partition(" ")[2]


def _is_claim(gate: str) -> bool:
    return gate.partition(_GOAL)[0].partition(" ")[0] in CLAIMS


class Redos(Frozen):
    """How often each stop gate of one session sent its agent back in the running row of redos, by `gate_of`.

    `rows`: until when (in seconds since 1970) a stop of which the host says that it follows none still belongs to that row.
    """

    counts: Mapping[str, int] = {}
    rows: Mapping[str, float] = {}

    def count(self, event: Event) -> int:
        return self.counts.get(gate_of(event), 0)

    def had(self, event: Event, *, follows: bool | None, began: float, now: float) -> int:
        """How many redos the row has had that this stop belongs to; `follows` as of `follows_redo`.

        Where the host says that the stop follows none, a new row begins: a row may have as many redos as the limit is, and there are
        as many rows as the host says that it began. But one stop may be asked about several times at once, and each of these then
        says that it follows none: who `began` before the last redo of the row was counted, or hardly later, belongs to that row. So
        the first of them does not begin the row anew while it is under way, and together they are within its limit.
        """
        return 0 if follows is False and self._is_over(event, began, now) else self.count(event)

    def _is_over(self, event: Event, began: float, now: float) -> bool:
        until = self.rows.get(gate_of(event), 0.0)
        return began >= until or until > now + _AT_ONCE  # the latter: the clock was set back

    def back(
        self, event: Event, had: int, *, follows: bool | None = None, now: float = 0.0
    ) -> Redos:
        """The counters after an event that sent the agent back, in a row that `had` so many redos before."""
        gate = gate_of(event)
        others = {known: count for known, count in self.counts.items() if known != gate}
        counts = dict(list(others.items())[1 - _MOST_GATES :]) | {gate: had + 1}
        rows = {
            known: until for known, until in self.rows.items() if known in counts and known != gate
        }
        # Whoever comes after a redo has run in between, so that the next one which follows none is certainly another.
        return Redos(
            counts=counts,
            rows=rows if follows is None else rows | {gate: now + (0.0 if follows else _AT_ONCE)},
        )

    def over(
        self, event: Event, *, follows: bool | None = None, began: float = 0.0, now: float = 0.0
    ) -> Redos:
        """The counters after an event that sent nobody back.

        A stop that nobody refused ends the turn, unless the host says that it comes after one that somebody refused: then
        others may send the agent back as well, and the count goes on. So it does after one that was asked about at once with others.
        """
        if event.kind in NEW_TURN:
            agent = "" if event.kind == "session.end" else agent_of(event)
            over = {
                known
                for known in self.counts
                if (not agent or _agent_in(known) == agent)
                and (event.kind in _SESSION or not _is_claim(known))
            }
        elif (
            event.kind not in GATES
            or follows
            or (follows is False and not self._is_over(event, began, now))
        ):
            over = set()
        else:
            over = {gate_of(event)}
        if not over & set(self.counts):
            return self
        counts = {known: count for known, count in self.counts.items() if known not in over}
        return Redos(
            counts=counts,
            rows={known: until for known, until in self.rows.items() if known in counts},
        )


def follows_redo(event: Event, table: Table) -> bool | None:
    """Whether the host says that this stop comes after one that was refused; None where it says nothing, or nothing reliable."""
    said = event.raw.get(table.redo_flag) if table.redo_flag and event.kind in GATES else None
    return None if said is None else bool(said)


def is_flagged(event: Event) -> bool:
    """Whether the host, or our own count, says that the agent was sent back already."""
    return isinstance(event.body, Stop) and bool(event.body.stop_hook_active)


def goes_on(decision: Decision, row: EventRow | None) -> bool:
    """Whether the agent goes on working because of a decision at its stop: refused, or told something where that has the same effect."""
    told = (
        row is not None
        and row.context_redoes
        and decision.stance < Stance.HALT
        and bool(decision.for_agent)
    )
    return decision.redo or told


def is_spent(decision: Decision) -> bool:
    """Whether a hook lets the agent stop only because it sent it back as often as it may."""
    return any(
        verdict.redo_limit is not None and verdict.stance < Stance.DENY and not verdict.shadow
        for verdict in decision.verdicts
    )


def redo_limit(decision: Decision, usual: int) -> int:
    """How often the hooks that send the agent back may do so: the most generous of what they say themselves, else `usual`."""
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
    """The decision, or, when the agent was already sent back `limit` times this turn, leave to stop, said aloud.

    `count`: how often, which is more than the limit where another hook may send it back more often; None where it was sent back, and nobody knows how often: that is once too often. A limit of 0 or less is no limit.
    (docs/architecture.md 4.12)
    """
    if limit <= 0 or not goes_on(decision, row) or (count is not None and count < limit):
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
        for hook in _asking(decision, effect)
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


def _asking(decision: Decision, effect: str) -> tuple[str, ...]:
    """The ids of the hooks that refused the stop, or that gave the agent a context; one empty id where no hook did."""
    asking = dict.fromkeys(
        verdict.hook_id
        for verdict in decision.verdicts
        if not verdict.shadow
        and (verdict.stance is Stance.DENY if effect == "deny" else bool(verdict.for_agent))
    )
    return tuple(asking) or ("",)
