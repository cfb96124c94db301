"""What an a3s handler meant: an answer, or a failure, as a verdict (docs/formats/a3s.md 5, 7)."""

from __future__ import annotations

from hookline.core.failure import describe_failure, label, make_failed_verdict
from hookline.dialects.a3s.response import response_of
from hookline.dialects.a3s.table import DEFAULT_RETRY_DELAY, TICKS_PER_SECOND, row_of
from hookline.dialects.kit.claims import to_verdict
from hookline.model.event import Rewrite
from hookline.model.outcome import Failure
from hookline.model.verdict import Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.dialects.a3s.response import HookResponse
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec

DEFAULT_REASON = "Blocked"
# What the handler of a definition answers that nobody gave a handler.
NO_HANDLER = object()


def nobody(event: object) -> object:  # noqa: ARG001 - every handler is given the event
    """The handler of a definition that has none."""
    return NO_HANDLER


def decode_outcome(outcome: Outcome, spec: HookSpec) -> Verdict:
    """The verdict of one hook. Never raises: an unusable answer is a failed hook."""
    if outcome.failure is not None or outcome.exit_code:
        return _failed(spec, outcome, _why(outcome, spec))
    if outcome.answer is NO_HANDLER:
        note = f"hook `{label(spec)}` has no handler and does nothing"
        return _said(spec, outcome, for_user=note)
    try:
        response = response_of(_answer(outcome))
    except UnreadableError as error:
        return _failed(spec, outcome, str(error))
    row = row_of(spec.native_event)
    return _meaning(response, spec, outcome, row) if row else _said(spec, outcome)


def _answer(outcome: Outcome) -> Any:
    """What a handler in this process returned, or what one elsewhere printed."""
    if outcome.answer is None and outcome.stdout.strip():
        return parse_object(outcome.stdout)
    return outcome.answer


def _meaning(response: HookResponse, spec: HookSpec, outcome: Outcome, row: EventRow) -> Verdict:
    match response.action:
        case "Block":
            reason = DEFAULT_REASON if response.reason is None else response.reason
            return _said(spec, outcome, stance=Stance.DENY, reason=reason, ends=True)
        case "Retry":
            return _retry(response, spec, outcome, row)
        case "Skip":
            return _said(spec, outcome, ends=True)
        case _:
            return _said(spec, outcome, **_rewrite(response.modified, spec, row))


def _retry(response: HookResponse, spec: HookSpec, outcome: Outcome, row: EventRow) -> Verdict:
    """Not now. Where the host acts on it the operation waits, so to a host that cannot wait it is a refusal."""
    delay = response.retry_delay_ms
    most = spec.facts.get("max_retries", 0)
    return _said(
        spec,
        outcome,
        stance=row.blocks,
        reason=response.reason or "",
        retry_after=DEFAULT_RETRY_DELAY if delay is None else delay / TICKS_PER_SECOND,
        effects={"max_retries": most} if most else {},
        ends=True,
    )


def _rewrite(modified: Any, spec: HookSpec, row: EventRow) -> dict[str, Any]:
    """Any value but null counts. Where the event has no target for it, it is the host's to use."""
    if modified is None:
        return {}
    if "input" not in row.powers:
        return {"effects": {"modified": modified}}
    if not isinstance(modified, dict):
        # The host would not apply it, so later hooks must go on judging the arguments that stay.
        return {
            "effects": {"modified": modified},
            "unsupported": ("input: only an object can be the arguments of a tool",),
        }
    note = f"hook `{label(spec)}` returned `args` as the only argument; `modified` is the arguments themselves"
    return {
        "rewrite": Rewrite(target="input", value=modified),
        "for_user": note if list(modified) == ["args"] else "",
    }


def _why(outcome: Outcome, spec: HookSpec) -> str:
    if outcome.failure is Failure.TIMED_OUT:
        return f"timed out after {spec.timeout:g} s"
    if outcome.failure is Failure.UNREADABLE and outcome.detail:
        return outcome.detail  # in the words that it would have if it had been read here
    return describe_failure(outcome)


def _failed(spec: HookSpec, outcome: Outcome, why: str) -> Verdict:
    """A block on a gate, which ends the chain as any block does; on an observer the chain goes on."""
    verdict = make_failed_verdict(spec, outcome, why)
    if spec.on_failure is Stance.SILENT:
        return verdict
    return verdict.replace(reason=f"Required hook '{label(spec)}' failed: {why}", ends=True)


def _said(spec: HookSpec, outcome: Outcome, **fields: Any) -> Verdict:
    return to_verdict(
        spec,
        outcome,
        **fields,
    )
