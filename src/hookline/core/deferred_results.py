"""Deferred results: answers of detached hooks, and the later decision that delivers them."""

from __future__ import annotations

from hookline.core.dispatch import conclude
from hookline.core.guardrails import STOPS
from hookline.model.frozen import Frozen
from hookline.model.verdict import Decision, Lowered, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.core.dialect import Table
    from hookline.core.plan import Plan
    from hookline.model.event import Event

# Limit of one answer, so that it cannot flood the agent.
MOST_CHARACTERS = 16_384
# Limits of its failure text and of each lost effect, and of the number of lost effects shown.
_LONGEST = 1024
_MOST_LOST = 32

# The fields of a verdict that stay as they are.
_KEPT = ("hook_id", "exit_code", "seconds", "identity", "content")
_OVER = "the hook ran in the background, and its moment was over"


class DeferredResult(Frozen):
    """The part of a detached hook's verdict that waits for delivery to the agent.

    `wake`: a text that makes a stopping agent continue. `lost`: effects that came too late, as in
    `Verdict.unsupported`. `identity`, `content`: as in an outcome.
    """

    hook_id: str
    for_agent: str = ""
    for_user: str = ""
    wake: str = ""
    lost: tuple[str, ...] = ()
    fault: str | None = None
    exit_code: int | None = None
    seconds: float = 0.0
    identity: str = ""
    content: str = ""

    @property
    def has_content(self) -> bool:
        """Return whether there is anything to deliver."""
        return bool(
            self.for_agent or self.for_user or self.wake or self.lost or self.fault is not None
        )

    def to_dict(self) -> dict[str, Any]:
        return self.as_dict() | {"lost": list(self.lost)}


def parse_deferred(given: Any) -> DeferredResult:
    """Parse what `to_dict` made.

    Raises:
        ValueError: it is something else.
    """
    try:
        found = DeferredResult(**{**given, "lost": tuple(given["lost"])})
    except (KeyError, TypeError) as error:
        raise ValueError(f"no answer of a hook: {error}") from None
    texts = (found.hook_id, found.for_agent, found.for_user, found.wake, *found.lost)
    if not (
        all(isinstance(text, str) for text in texts) and isinstance(found.seconds, int | float)
    ):
        raise ValueError("no answer of a hook: a value has another type")
    return found


# -- storing ---------------------------------------------------------------------------------------


def make_deferred(verdict: Verdict, table: Table) -> DeferredResult | None:
    """Return the part of a detached hook's verdict that its dialect still accepts (`Table.late`).

    None if nothing.
    """
    if verdict.shadow or not table.late:
        return None
    wake = verdict.effects.get("wake", {}) if "wake" in table.late else {}
    failed = (
        describe_background_failure(verdict.hook_id, verdict.fault)
        if verdict.fault and not verdict.for_user
        else ""
    )
    notes = (verdict.for_user, wake.get("summary", ""), failed)
    late = DeferredResult(
        for_agent=_cut(verdict.for_agent if "context" in table.late else ""),
        for_user=_cut(
            "\n".join(dict.fromkeys(filter(None, notes))) if "note" in table.late else ""
        ),
        wake=_cut(wake.get("message", "")),
        lost=tuple(
            map(
                _short,
                (
                    *verdict.unsupported,
                    *(f"{effect}: {_OVER}" for effect in _list_moot_effects(verdict)),
                ),
            )
        )[:_MOST_LOST],
        fault=None if verdict.fault is None else _short(verdict.fault),
        **verdict.as_dict(*_KEPT),
    )
    return late if late.has_content else None


def describe_background_failure(hook_id: str, fault: str) -> str:
    """Return the message for the user about a background hook that failed."""
    return f"hook `{hook_id}` failed in the background: {_short(fault)}"


def _list_moot_effects(verdict: Verdict) -> Iterator[str]:
    """Yield the effects that count only while the host waits."""
    if verdict.stance and verdict.fault is None:
        yield verdict.stance.word
    if verdict.rewrite is not None:
        yield verdict.rewrite.target
    if verdict.retry_after is not None:
        yield "retry"
    yield from (effect for effect in verdict.effects if effect != "wake")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _cut(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    return (
        f"{text[:MOST_CHARACTERS]}\n(cut by hookline: {MOST_CHARACTERS} of {len(text)} characters)"
    )


# -- delivering ------------------------------------------------------------------------------------


def can_deliver_all(event: Event, decision: Decision, plan: Plan, table: Table) -> bool:
    """Return whether this decision can deliver all: a turn begins, and no hook refuses it."""
    return (
        event.kind in table.delivers and "context" in plan.powers and decision.stance < Stance.DENY
    )


def can_deliver_wakes(event: Event, decision: Decision, plan: Plan) -> bool:
    """Return whether this decision can deliver a wake: the agent stops, or is sent back anyway."""
    if event.kind not in STOPS or not plan.redoes or "deny" not in plan.powers:
        return False
    return "context" in plan.powers if decision.redo else decision.stance < Stance.DENY


def add_deferred(
    decision: Decision, event: Event, plan: Plan, lates: Sequence[DeferredResult]
) -> Decision:
    """Return the decision with the deferred results.

    A late stance never counts; a wake at a stop counts as a redo.
    """
    back = event.kind in STOPS and not decision.redo
    verdicts = [_to_verdict(late.replace(wake="") if back else late) for late in lates]
    wakes = "\n".join(late.wake for late in lates if late.wake)
    if back and wakes:
        verdicts[0] = verdicts[0].replace(stance=Stance.DENY, reason=wakes)
    return conclude(plan, event, [*decision.verdicts, *verdicts], decision.seconds)


def _to_verdict(late: DeferredResult) -> Verdict:
    return Verdict(
        for_agent="\n".join(filter(None, (late.wake, late.for_agent))),
        unsupported=late.lost,
        late=True,
        **late.as_dict("for_user", "fault", *_KEPT),
    )


def report_dropped(decision: Decision, dropped: Mapping[str, int]) -> Decision:
    """Return the decision with a notice about results that were dropped, by hook."""
    if not dropped:
        return decision
    lost = tuple(
        Lowered(effect="context", reason=_describe_dropped(count), hook=hook)
        for hook, count in dropped.items()
    )
    note = "; ".join(
        f"hook `{hook}`: {_describe_dropped(count)}" for hook, count in dropped.items()
    )
    return decision.replace(for_user=(*decision.for_user, note), lowered=(*decision.lowered, *lost))


def _describe_dropped(count: int) -> str:
    return (
        f"{count} of its answers from the background fell out, because too many were waiting"
        " (HKL2006)"
    )


def count_characters(lates: Iterable[DeferredResult]) -> int:
    """Return how many characters the results have together."""
    return sum(len(late.for_agent) + len(late.for_user) + len(late.wake) for late in lates)
