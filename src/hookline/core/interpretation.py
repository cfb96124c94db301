"""Interpretation: the event as a hook receives it, and the verdict that its outcome means."""

from __future__ import annotations

import json
from types import NoneType

from hookline.core.failure import judge_unrun, make_failed_verdict
from hookline.core.output_faults import check_output
from hookline.core.tool_aliases import rename_for_hook, rename_rewrite_back
from hookline.model.event import Event, Rewrite
from hookline.model.spec import CLONED, Builtin, HookSpec, InProcess
from hookline.model.verdict import BARRED, Outcome, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
    """Return the event as the hook receives it: in its own host's words, unless it is native."""
    if spec.match_tools == "native" and spec.kind == event.kind:
        return event
    return rename_for_hook(spec, event)


def interpret(step: Entry, outcome: Outcome, event: Event) -> Verdict:
    """Return a hook's verdict about the event, in the words of the event."""
    if outcome.spent:  # not a fault, and no opinion
        return Verdict(hook_id=step.spec.id, shadow=step.spec.shadow)
    if outcome.background:
        approval = outcome.as_dict("identity", "content")
        return Verdict(hook_id=step.spec.id, shadow=step.spec.shadow, **approval)
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
        verdict = verdict.replace(**outcome.as_dict("identity", "content"))
    if told is event or verdict.rewrite is None:
        return verdict
    return verdict.replace(rewrite=rename_rewrite_back(verdict.rewrite, step.spec, event, told))


def _read(step: Entry, outcome: Outcome, event: Event) -> Verdict:
    """Return a hook's verdict, as its dialect reads it or the Python function returned it."""
    spec = step.spec
    if outcome.failure in BARRED and (outcome.means is not None or spec.origin.scope in CLONED):
        return judge_unrun(spec, outcome)
    if not _answers_with_verdict(spec, outcome):
        return _read_by_dialect(step, outcome, event)
    if outcome.failure is not None:
        return make_failed_verdict(spec, outcome)
    answer = outcome.answer
    if answer is None:
        return Verdict(hook_id=spec.id, seconds=outcome.seconds, shadow=spec.shadow)
    if fault := _find_fault(answer):
        return make_failed_verdict(spec, outcome, f"returned {fault}")
    verdict: Verdict = answer
    shadow = spec.shadow or verdict.shadow
    return verdict.replace(hook_id=spec.id, seconds=outcome.seconds, shadow=shadow)


def _answers_with_verdict(spec: HookSpec, outcome: Outcome) -> bool:
    """Return whether the outcome holds a verdict, so that no dialect has to read it."""
    if type(spec.handler) is InProcess:
        return not spec.handler.read_by_dialect
    return type(spec.handler) is Builtin and outcome.answer is not None


def _find_fault(answer: Any) -> str:
    """Return what is wrong with what a Python hook returned; empty for a verdict."""
    if not isinstance(answer, Verdict):
        return f"{_to_repr(answer)}, which is no verdict"
    for field, wanted in _SHAPES:
        if not isinstance(given := getattr(answer, field), wanted):
            return f"a verdict whose {field} is {_to_repr(given)}"
    rewrite = answer.rewrite
    if rewrite is not None and rewrite.merge and not isinstance(rewrite.value, dict):
        return f"a patch that is no object: {_to_repr(rewrite.value)}"
    strange = _not_json(answer)
    return "" if strange is None else f"a verdict that JSON cannot say: {strange}"


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
    bare = Verdict(**verdict.as_dict("hook_id", "exit_code", "seconds", "shadow"))
    if verdict.stance >= Stance.DENY or verdict.stance > max(stance, Stance.ALLOW):
        return bare.replace(stance=verdict.stance, reason=verdict.reason, for_user=note)
    told = {"reason": note} if stance else {"for_user": note}
    return bare.replace(stance=stance, fault="changed while it ran", **told)


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
