"""Interpretation: the event as a hook receives it, and the verdict that its outcome means."""

from __future__ import annotations

import json
from types import NoneType

from hookline.core.failure import judge_unrun, make_failed_verdict
from hookline.core.output_faults import check_output
from hookline.core.tool_aliases import rename_for_hook, rename_rewrite_back
from hookline.model.event import Event, Rewrite
from hookline.model.spec import CLONED, HookSpec, InProcess
from hookline.model.verdict import BARRED, Outcome, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.registry import Entry

# The types of the fields of a verdict made by a Python hook, checked before use.
_SHAPES: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("stance", Stance),
    ("reason", str),
    ("rewrite", (Rewrite, NoneType)),
    ("for_agent", str),
    ("for_user", str),
    ("retry_after", (int, float, NoneType)),
    ("redo_limit", (int, NoneType)),
    ("effects", dict),
    ("unsupported", tuple),
    ("labels", tuple),
    ("warnings", tuple),
)


def make_hook_event(spec: HookSpec, event: Event) -> Event:
    """Return the event as the hook receives it: in its own host's words, if it asked for that."""
    if not spec.alike and spec.kind == event.kind:
        return event
    return rename_for_hook(spec, event)


def interpret(step: Entry, outcome: Outcome, event: Event) -> Verdict:
    """Return a hook's verdict about the event, in the words of the event."""
    if outcome.spent:  # not a fault, and no opinion
        return Verdict(hook_id=step.spec.id, shadow=step.spec.shadow)
    if outcome.background:
        return Verdict(
            hook_id=step.spec.id,
            shadow=step.spec.shadow,
            identity=outcome.identity,
            content=outcome.content,
        )
    told = make_hook_event(step.spec, event)
    verdict = _read(step, outcome, told)
    if outcome.distrusted is not None:
        verdict = _distrust(verdict, outcome.distrusted, outcome.note)
    elif outcome.note and outcome.failure not in BARRED:
        verdict = verdict.replace(
            for_user="\n".join(filter(None, (verdict.for_user, outcome.note)))
        )
    if outcome.told and verdict.stance is Stance.SILENT:
        verdict = verdict.replace(for_user="", told=True)
    if outcome.content or outcome.identity:
        verdict = verdict.replace(content=outcome.content, identity=outcome.identity)
    if told is event or verdict.rewrite is None:
        return verdict
    return verdict.replace(rewrite=rename_rewrite_back(verdict.rewrite, step.spec, event, told))


def _read(step: Entry, outcome: Outcome, event: Event) -> Verdict:
    """Return a hook's verdict, as its dialect reads it or the Python function returned it."""
    spec = step.spec
    if outcome.failure in BARRED and (outcome.means is not None or spec.origin.scope in CLONED):
        return judge_unrun(spec, outcome)
    if type(spec.handler) is not InProcess or spec.handler.read_by_dialect:
        return _read_by_dialect(step, outcome, event)
    if outcome.failure is not None:
        return make_failed_verdict(spec, outcome)
    answer = outcome.answer
    if answer is None:
        return Verdict(hook_id=spec.id, seconds=outcome.seconds, shadow=spec.shadow)
    if not isinstance(answer, Verdict):
        return make_failed_verdict(
            spec, outcome, f"returned {_to_repr(answer)}, which is no verdict"
        )
    for field, wanted in _SHAPES:
        if not isinstance(getattr(answer, field), wanted):
            return make_failed_verdict(
                spec,
                outcome,
                f"returned a verdict whose {field} is {_to_repr(getattr(answer, field))}",
            )
    if (
        answer.rewrite is not None
        and answer.rewrite.merge
        and not isinstance(answer.rewrite.value, dict)
    ):
        return make_failed_verdict(
            spec, outcome, f"returned a patch that is no object: {_to_repr(answer.rewrite.value)}"
        )
    if (strange := _not_json(answer)) is not None:
        return make_failed_verdict(
            spec, outcome, f"returned a verdict that JSON cannot say: {strange}"
        )
    return answer.replace(
        hook_id=spec.id, seconds=outcome.seconds, shadow=spec.shadow or answer.shadow
    )


def _read_by_dialect(step: Entry, outcome: Outcome, event: Event) -> Verdict:
    """Return the verdict as its dialect reads the outcome, after the checks for every dialect."""
    spec = step.spec
    read = step.dialect.decode_outcome(outcome, spec, event)
    verdict = check_output(spec, outcome, _check_strict(spec, outcome, read))
    if verdict.stdout != read.stdout:
        verdict = verdict.replace(stdout=read.stdout)
    return verdict.replace(shadow=True) if spec.shadow and not verdict.shadow else verdict


def _distrust(verdict: Verdict, stance: Stance, note: str) -> Verdict:
    """Return the verdict of a hook whose files changed while it ran.

    A stricter stance stays. Nothing else of the answer is believed (docs/explanation/trust.md 3).
    """
    if verdict.stance >= Stance.DENY or verdict.stance > max(stance, Stance.ALLOW):
        return Verdict(
            hook_id=verdict.hook_id,
            stance=verdict.stance,
            reason=verdict.reason,
            for_user=note,
            exit_code=verdict.exit_code,
            seconds=verdict.seconds,
            shadow=verdict.shadow,
        )
    return Verdict(
        hook_id=verdict.hook_id,
        stance=stance,
        reason=note if stance else "",
        for_user="" if stance else note,
        fault="changed while it ran",
        exit_code=verdict.exit_code,
        seconds=verdict.seconds,
        shadow=verdict.shadow,
    )


def _not_json(answer: Verdict) -> str | None:
    """Return why a Python hook's verdict cannot be sent; None if it can."""
    carried = (
        answer.evidence,
        answer.rewrite.value if answer.rewrite else None,
        dict(answer.effects),
        answer.labels,
        answer.warnings,
    )
    if carried == (None, None, {}, (), ()):
        return None
    if not all(isinstance(text, str) for text in (*answer.labels, *answer.warnings)):
        return "its labels and warnings must be texts"
    try:
        json.dumps(carried)
    except (TypeError, ValueError, RecursionError) as error:
        return str(error)
    return None


def _check_strict(spec: HookSpec, outcome: Outcome, verdict: Verdict) -> Verdict:
    """Return a failure if, in strict mode, an answer has a part that its dialect does not honour.

    A denial stays.
    """
    if (
        not spec.strict
        or not verdict.unsupported
        or verdict.fault
        or verdict.stance >= spec.on_failure
    ):
        return verdict
    told = "; ".join(
        entry.partition(": ")[2] or f"`{entry}` is not honoured here"
        for entry in verdict.unsupported
    )
    return make_failed_verdict(spec, outcome, f"its answer cannot be taken as it stands: {told}")


def _to_repr(value: object) -> str:
    try:
        return f"{value!r:.80}"
    except Exception:  # noqa: BLE001 - the object may fail to represent itself
        return f"a {type(value).__name__}"
