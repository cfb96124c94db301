"""What an a3s handler meant: an answer, or a failure, as a verdict (docs/formats/a3s.md 5, 7)."""

from __future__ import annotations

from hookline.core.failure import describe_failure, label, make_failed_verdict
from hookline.dialects.a3s.response import HookResponse, read_response
from hookline.dialects.a3s.table import DEFAULT_REASON, DEFAULT_RETRY_DELAY, TABLE
from hookline.dialects.kit.answer import to_verdict
from hookline.model.event import Event, Rewrite
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.spec import HookSpec

# The answer of a definition without a handler.
NO_HANDLER = object()


def answer_without_handler(_event: object) -> object:
    """Answer for a definition without a handler."""
    return NO_HANDLER


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, _event: Event) -> Verdict:
    """Return the verdict of one hook. Never raises: an unusable answer is a failed hook."""
    if outcome.answer is NO_HANDLER:
        note = f"hook `{label(spec)}` has no handler and does nothing"
        return to_verdict(spec, outcome, for_user=note)
    if outcome.failure is Failure.TIMED_OUT:
        why = f"timed out after {spec.timeout:g} s"
    elif outcome.failure is Failure.UNREADABLE and outcome.detail:
        why = outcome.detail  # the words of `read_response`, from another process
    elif outcome.failure is not None or outcome.exit_code:
        why = describe_failure(outcome)
    else:
        try:
            # A handler in another process prints its answer.
            printed = outcome.answer is None and outcome.stdout.strip()
            response = read_response(parse_object(outcome.stdout) if printed else outcome.answer)
            return to_verdict(spec, outcome, **_interpret(response, spec, row))
        except UnreadableError as error:
            why = str(error)
    verdict = make_failed_verdict(spec, outcome, why)
    if spec.on_failure is Stance.SILENT:
        return verdict
    # On a gate it is a block, and ends the chain as any block does.
    return verdict.replace(reason=f"Required hook '{label(spec)}' failed: {why}", ends=True)


def _interpret(response: HookResponse, spec: HookSpec, row: EventRow) -> dict[str, Any]:
    """Return what an answer asks for, as fields of a verdict."""
    modified = response.modified
    match response.action:
        case "Block":
            reason = DEFAULT_REASON if response.reason is None else response.reason
            return {"stance": Stance.DENY, "reason": reason, "ends": True}
        case "Retry":
            delay, most = response.retry_delay_ms, spec.facts.get("max_retries", 0)
            # Where the host acts on it the operation waits, so to a host that cannot wait it is a
            # refusal.
            return {
                "stance": row.blocks,
                "reason": response.reason or "",
                "retry_after": (
                    DEFAULT_RETRY_DELAY if delay is None else delay / TABLE.ticks_per_second
                ),
                "effects": {"max_retries": most} if most else {},
                "ends": True,
            }
        case "Skip":
            return {"ends": True}
        case _ if modified is None:
            return {}
    if "input" not in row.powers:
        return {"effects": {"modified": modified}}
    if not isinstance(modified, dict):
        # The host would not apply it, so later hooks must go on judging the arguments that stay.
        lost = "input: only an object can be the arguments of a tool"
        return {"effects": {"modified": modified}, "unsupported": (lost,)}
    args = "`args` as the only argument; `modified` is the arguments themselves"
    note = f"hook `{label(spec)}` returned {args}"
    return {
        "rewrite": Rewrite(target="input", value=modified),
        "for_user": note if list(modified) == ["args"] else "",
    }
