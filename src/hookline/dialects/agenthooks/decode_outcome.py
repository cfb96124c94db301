"""What a HOOK.md script meant: exit 2 denies, exit 0 speaks JSON, anything else is a failure of the hook."""

from __future__ import annotations

from hookline.core.failure import describe_failure, label, make_failed_verdict
from hookline.dialects.agenthooks.table import NAME
from hookline.dialects.kit.claims import to_verdict
from hookline.model.event import Rewrite
from hookline.model.frozen import Frozen
from hookline.model.outcome import Failure
from hookline.model.verdict import NO_EFFECTS, Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec

# An allow is the default and vouches for nothing: it must not make another host skip its prompt.
_DECISIONS: Mapping[str, Stance] = {"allow": Stance.SILENT, "ask": Stance.ASK, "deny": Stance.DENY}


_DENIES = 2  # the exit code
_TAIL, _LOGGED = 200, 2000  # characters of stderr in a fault, and in the log


class Part(Frozen):
    """One field of the output: its type, what it is for, and whether only some events honour it."""

    type: type
    effect: str
    limited: bool = False


_PARTS: Mapping[str, Part] = {
    "reason": Part(type=str, effect="reason"),
    "modified_input": Part(type=dict, effect="input", limited=True),
    "additional_context": Part(type=str, effect="context", limited=True),
    "log": Part(type=str, effect="log"),
}


class Answer(Frozen):
    """The readable fields of an output, what of it has no effect, and the words about that."""

    fields: Mapping[str, Any]
    lost: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def decode_outcome(
    outcome: Outcome, spec: HookSpec, row: EventRow, event: Event, *, unanswered: Stance
) -> Verdict:
    """Return the verdict of one hook (docs/formats/agenthooks.md 8). `unanswered`: what an ask is where nobody can be asked."""
    verdict = _settled(_heard(outcome, spec, row), spec, row, event, unanswered)
    if spec.facts.get("debug"):
        verdict = _with_log(verdict, outcome, spec)
    if outcome.leftovers:
        note = f"hook `{label(spec)}` left a background process behind that holds its output"
        verdict = verdict.replace(
            for_user="\n".join(text for text in (note, verdict.for_user) if text)
        )
    return verdict


def _heard(outcome: Outcome, spec: HookSpec, row: EventRow) -> Verdict:
    if outcome.failure is Failure.TIMED_OUT:
        return _failed(outcome, spec, row, f"timed out after {spec.timeout:g} s")
    if outcome.failure is not None or outcome.exit_code not in (0, _DENIES):
        words = describe_failure(outcome.replace(stderr=""))
        return _failed(outcome, spec, row, words, logged=_last_line(outcome))
    if outcome.exit_code == 0:
        return _answered(outcome, spec, row)
    return _said(
        outcome,
        spec,
        stance=Stance.DENY,
        reason=outcome.stderr.strip() or _sentence(Stance.DENY, spec),
    )


def _last_line(outcome: Outcome) -> str:
    """Return the end of what a failed hook wrote, which belongs to the log and is not shown (docs/formats/agenthooks.md 4, 8)."""
    lines = outcome.stderr.split("\n") if outcome.failure in (None, Failure.KILLED) else []
    return next((line.strip()[-_TAIL:] for line in reversed(lines) if line.strip()), "")


def _with_log(verdict: Verdict, outcome: Outcome, spec: HookSpec) -> Verdict:
    """What the hook wrote on stderr, in the log: settings asked for it (`debug`); at exit 2 it is the reason."""
    said = outcome.stderr.strip()
    if not said or outcome.exit_code == _DENIES or outcome.failure not in (None, Failure.KILLED):
        return verdict
    told = f"hook `{label(spec)}` wrote: {said[-_LOGGED:]}"
    return verdict.replace(
        effects={**verdict.effects, "log": [*verdict.effects.get("log", ()), told]}
    )


def _answered(outcome: Outcome, spec: HookSpec, row: EventRow) -> Verdict:
    """What stdout says; text that is not one JSON object never becomes context."""
    if not outcome.stdout.strip():
        return _said(outcome, spec)
    try:
        given = parse_object(outcome.stdout)
    except UnreadableError as error:
        return _failed(outcome, spec, row, f"output.json: {error}")
    word = given.pop("decision", "allow")
    stance = _DECISIONS.get(word) if isinstance(word, str) else None
    answer = _parts(given, spec, row)
    if stance is not None:
        return _meant(outcome, spec, stance, answer)
    fault = f"output.decision: `{word!s:.80}` is no decision, only `allow`, `ask` and `deny` are"
    if spec.on_failure is not Stance.SILENT:
        return _failed(outcome, spec, row, fault)
    answer = answer.replace(notes=(*answer.notes, f"hook `{label(spec)}`: {fault}"))
    return _meant(outcome, spec, Stance.SILENT, answer).replace(fault=fault)


def _parts(given: Mapping[str, Any], spec: HookSpec, row: EventRow) -> Answer:
    fields: dict[str, Any] = {}
    lost: list[str] = []
    notes: list[str] = []
    for key, value in given.items():
        part = _PARTS.get(key)
        if part is not None and value is None:
            continue
        wrong = _wrong(key, part, value, row)
        if wrong:
            lost.append(part.effect if part else key)
            notes.append(f"hook `{label(spec)}`: {wrong}")
        else:
            fields[key] = value
    return Answer(fields=fields, lost=tuple(lost), notes=tuple(notes))


def _wrong(key: str, part: Part | None, value: Any, row: EventRow) -> str:
    if part is None:
        return f"output.ignored: `{key:.80}` is no field of the format"
    if not isinstance(value, part.type):
        return f"output.type: `{key}` must be {'an object' if part.type is dict else 'text'}"
    if part.limited and part.effect not in row.powers:
        return f"output.ignored: `{key}` has no effect on `{row.native}`"
    return ""


def _meant(outcome: Outcome, spec: HookSpec, stance: Stance, answer: Answer) -> Verdict:
    patch = answer.fields.get("modified_input")
    log = answer.fields.get("log")
    return _said(
        outcome,
        spec,
        stance=stance,
        reason=(answer.fields.get("reason", "").strip() or _sentence(stance, spec))
        if stance
        else "",
        rewrite=Rewrite(target="input", value=patch, merge=True) if patch else None,
        for_agent=answer.fields.get("additional_context", ""),
        for_user="\n".join(answer.notes),
        effects={"log": [log]} if log else NO_EFFECTS,
        unsupported=answer.lost,
    )


def _settled(
    verdict: Verdict, spec: HookSpec, row: EventRow, event: Event, unanswered: Stance
) -> Verdict:
    """The verdict with what the event makes of it: an ask that nobody can answer denies, a denial ends the round."""
    if verdict.stance is Stance.ASK and not row.asks:
        verdict = verdict.replace(stance=Stance.DENY)
    if verdict.stance is Stance.ASK and event.dialect == NAME and "ask" not in row.powers:
        reason = verdict.reason if unanswered else ""
        verdict = verdict.replace(
            stance=unanswered, reason=reason, unsupported=(*verdict.unsupported, "ask")
        )
    if verdict.stance is not Stance.DENY:
        return verdict
    why = event.body.value("stop_reason")
    if row.honoured and isinstance(why, str) and why not in row.honoured:
        note = f"hook `{label(spec)}` wants the agent to go on, but it stops because of `{why}`: {verdict.reason}"
        notes = "\n".join(text for text in (verdict.for_user, note) if text)
        return verdict.replace(
            stance=Stance.SILENT,
            reason="",
            for_user=notes,
            unsupported=(*verdict.unsupported, "deny"),
        )
    # A failed hook never stops the rest, also where its failure denies (docs/formats/agenthooks.md 9).
    return verdict.replace(rewrite=None, ends=verdict.fault is None)


def _failed(
    outcome: Outcome, spec: HookSpec, row: EventRow, words: str, logged: str = ""
) -> Verdict:
    """A failure; on everything that can be refused here it leaves a note, also where the canonical kind is no gate.

    `logged`: what the fault says beside that, for the log only.
    """
    verdict = make_failed_verdict(spec, outcome, words)
    if not row.feedback and verdict.stance is Stance.SILENT and not verdict.for_user:
        verdict = verdict.replace(for_user=f"hook `{label(spec)}` had no say: {words}")
    return verdict.replace(fault=f"{words}: {logged}") if logged else verdict


def _said(outcome: Outcome, spec: HookSpec, **fields: Any) -> Verdict:
    return to_verdict(
        spec,
        outcome,
        **fields,
    )


def _sentence(stance: Stance, spec: HookSpec) -> str:
    return (
        f"hook `{label(spec)}` wants a person to decide"
        if stance is Stance.ASK
        else f"blocked by hook `{label(spec)}`"
    )
