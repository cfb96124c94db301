"""A decision in a3s's words: what `fire` returns, as a value and as JSON."""

from __future__ import annotations

from hookline.dialects.a3s.response import BLOCK, CONTINUE, RETRY
from hookline.dialects.a3s.table import DEFAULT_REASON, TABLE
from hookline.model.frozen import Frozen
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event


class HookResult(Frozen):
    """The result of one event's hooks: Continue, Block or Retry.

    A Skip is a Continue that kept earlier rewrites.

    `hook_id`: the hook that blocked or asked for a Retry; `max_retries`: what that hook allows.
    `faults`: the failed hooks by id, each with the reason. `notes` are for the user. `decision`
    holds every verdict.
    """

    action: str = CONTINUE
    modified: Any = None
    reason: str | None = None
    retry_delay_ms: float | None = None
    hook_id: str | None = None
    max_retries: int = 0
    notes: tuple[str, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()
    decision: Decision | None = None

    def is_continue(self) -> bool:
        return self.action == CONTINUE

    def is_block(self) -> bool:
        return self.action == BLOCK

    def is_retry(self) -> bool:
        return self.action == RETRY

    def __repr__(self) -> str:
        """Return one short line; `decision` would fill a screen."""
        return f"HookResult({self.to_dict()})"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON, without what has no value."""
        fields = self.as_dict(*type(self).__fields__[:5])
        document = {field: value for field, value in fields.items() if value is not None}
        if self.max_retries:
            document["max_retries"] = self.max_retries
        if self.notes:
            document["notes"] = list(self.notes)
        return document


def to_result(decision: Decision) -> HookResult:
    """Return a decision as the result for an a3s host; its hooks may be of any dialect."""
    counted = [verdict for verdict in decision.verdicts if not verdict.shadow]
    retries = [verdict for verdict in counted if verdict.retry_after is not None]
    # A Retry is itself a denial where it holds something up; any other denial is stronger than it.
    denials = [each for each in counted if each.stance >= Stance.DENY and each.retry_after is None]
    result = HookResult(
        faults=tuple((verdict.hook_id, verdict.fault) for verdict in counted if verdict.fault),
        notes=decision.for_user,
        decision=decision,
    )
    if decision.stance >= Stance.DENY and (denials or not retries):
        reason, hook_id = decision.reason or DEFAULT_REASON, None
        for denial in denials[:1]:
            hook_id = denial.hook_id
            if denial.stance is decision.stance:
                reason = denial.reason  # its own counts, an empty one too
        return result.replace(action=BLOCK, reason=reason, hook_id=hook_id)
    if retries and decision.retry_after is not None:
        retry = retries[0]
        delay = round((retry.retry_after or 0) * TABLE.ticks_per_second, 6)
        return result.replace(
            action=RETRY,
            reason=retry.reason or None,
            retry_delay_ms=int(delay) if delay == int(delay) else delay,
            max_retries=decision.effects.get("max_retries", 0),
            hook_id=retry.hook_id,
        )
    rewrite = decision.rewrite
    modified = decision.effects.get("modified") if rewrite is None else rewrite.value
    return result.replace(modified=modified)


def encode_decision(decision: Decision, _event: Event, _row: EventRow | None) -> Reply:
    """Return the result as JSON; nothing for a bare Continue."""
    result = to_result(decision).to_dict()
    return Reply(stdout=to_json_line(result) if result != {"action": CONTINUE} else "")
