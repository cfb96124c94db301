"""A decision in a3s's words: what `fire` returns, as a value and as JSON."""

from __future__ import annotations

from hookline.dialects.a3s.decode_outcome import DEFAULT_REASON
from hookline.dialects.a3s.response import BLOCK, CONTINUE, RETRY
from hookline.dialects.a3s.table import TICKS_PER_SECOND
from hookline.model.frozen import Frozen
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.verdict import Decision, Verdict


class HookResult(Frozen):
    """What the hooks of one event came to: Continue, Block or Retry. A Skip is a Continue that kept earlier rewrites.

    `hook_id` is whose Block or Retry it is, `max_retries` what that hook allows. `faults` tells which hooks failed, by id;
    `notes` are for a person. `decision` is the whole account.
    """

    action: str = CONTINUE
    modified: Any = None
    reason: str | None = None
    retry_delay_ms: float | None = None
    max_retries: int = 0
    hook_id: str | None = None
    faults: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    decision: Decision | None = None

    def is_continue(self) -> bool:
        return self.action == CONTINUE

    def is_block(self) -> bool:
        return self.action == BLOCK

    def is_retry(self) -> bool:
        return self.action == RETRY

    def __repr__(self) -> str:
        """Return one short line; the whole account is `decision`."""
        fields = ("modified", "reason", "retry_delay_ms", "max_retries", "hook_id", "faults")
        given = [
            f"{field}={getattr(self, field)!r}"
            for field in fields
            if getattr(self, field) != type(self).__defaults__[field]
        ]
        return f"HookResult({', '.join([self.action, *given])})"

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON, without what is not there."""
        document: dict[str, Any] = {"action": self.action}
        for key in ("modified", "reason", "retry_delay_ms", "hook_id"):
            if getattr(self, key) is not None:
                document[key] = getattr(self, key)
        if self.max_retries:
            document["max_retries"] = self.max_retries
        if self.notes:
            document["notes"] = list(self.notes)
        return document


def result_of(decision: Decision) -> HookResult:
    """The result that a decision is to an a3s host, whichever dialects its hooks were of."""
    counted = [verdict for verdict in decision.verdicts if not verdict.shadow]
    account: dict[str, Any] = {
        "faults": tuple((verdict.hook_id, verdict.fault) for verdict in counted if verdict.fault),
        "notes": decision.for_user,
        "decision": decision,
    }
    retry = next((verdict for verdict in counted if verdict.retry_after is not None), None)
    # A Retry is itself a denial where it holds something up; any other denial is stronger than it.
    denial = next(
        (
            verdict
            for verdict in counted
            if verdict.stance >= Stance.DENY and verdict.retry_after is None
        ),
        None,
    )
    if decision.stance >= Stance.DENY and (denial is not None or retry is None):
        return HookResult(
            action=BLOCK,
            reason=_reason(decision, denial),
            hook_id=denial.hook_id if denial else None,
            **account,
        )
    if retry is not None and decision.retry_after is not None:
        return _retry(decision, retry, account)
    return HookResult(action=CONTINUE, modified=_modified(decision), **account)


def _reason(decision: Decision, denial: Verdict | None) -> str:
    """The denial's own words. An empty reason is one, if an a3s hook gave it."""
    if denial is not None and denial.stance is decision.stance:
        return denial.reason
    return decision.reason or DEFAULT_REASON


def _retry(decision: Decision, verdict: Verdict, account: dict[str, Any]) -> HookResult:
    delay = round((verdict.retry_after or 0.0) * TICKS_PER_SECOND, 6)
    return HookResult(
        action=RETRY,
        reason=verdict.reason or None,
        retry_delay_ms=int(delay) if delay == int(delay) else delay,
        max_retries=decision.effects.get("max_retries", 0),
        hook_id=verdict.hook_id,
        **account,
    )


def _modified(decision: Decision) -> Any:
    """The arguments after every rewrite; else the last value that has no target of its own."""
    if decision.rewrite is not None:
        return decision.rewrite.value
    return decision.effects.get("modified")
