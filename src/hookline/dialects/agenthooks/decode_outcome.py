"""Results of HOOK.md scripts as verdicts: exit 2 denies, exit 0 may print one JSON object, anything else is a failure."""

from __future__ import annotations

from hookline.core.failure import describe_failure, label, make_failed_verdict, show_failure
from hookline.dialects.agenthooks.table import NAME
from hookline.dialects.kit.claims import Claims, to_verdict
from hookline.model.event import Rewrite
from hookline.model.outcome import Failure
from hookline.model.verdict import Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec

_DENIES = 2  # the exit code
_TAIL, _LOGGED = 200, 2000  # characters of stderr in a fault, and in the log
# Field of the output -> its type, and the power that it uses.
_FIELDS: Mapping[str, tuple[type, str]] = {
    "reason": (str, "reason"),
    "modified_input": (dict, "input"),
    "additional_context": (str, "context"),
    "log": (str, "log"),
}


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return the verdict of one hook (docs/formats/agenthooks.md 8)."""
    verdict = _read_outcome(outcome, spec, row, event)
    if verdict.stance is Stance.DENY:
        verdict = _deny(verdict, spec, row, event)
    wrote = outcome.stderr.strip()
    # At exit 2 stderr is the reason, and a hook that did not run wrote nothing.
    is_logged = outcome.failure in (None, Failure.KILLED) and outcome.exit_code != _DENIES
    if spec.facts.get("debug") and wrote and is_logged:
        logged = f"hook `{label(spec)}` wrote: {wrote[-_LOGGED:]}"
        log = [*verdict.effects.get("log", ()), logged]
        verdict = verdict.replace(effects={**verdict.effects, "log": log})
    if outcome.leftovers:
        note = f"hook `{label(spec)}` left a background process behind that holds its output"
        verdict = verdict.replace(for_user=_join(note, verdict.for_user))
    return verdict


def _join(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _read_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    if outcome.failure is None and outcome.exit_code == 0:
        return _read_output(outcome, spec, row, event)
    if outcome.failure is None and outcome.exit_code == _DENIES:
        reason = outcome.stderr.strip() or f"blocked by hook `{label(spec)}`"
        return to_verdict(spec, outcome, stance=Stance.DENY, reason=reason)
    if outcome.failure is Failure.TIMED_OUT:
        return _fail(outcome, spec, row, f"timed out after {spec.timeout:g} s")
    why = describe_failure(outcome.replace(stderr=""))
    failed = _fail(outcome, spec, row, why)
    # The end of stderr belongs into the log, and is not shown.
    if outcome.failure in (None, Failure.KILLED) and outcome.stderr.strip():
        last = outcome.stderr.strip().rpartition("\n")[2].strip()
        failed = failed.replace(fault=f"{why}: {last[-_TAIL:]}")
    return failed


def _fail(outcome: Outcome, spec: HookSpec, row: EventRow, why: str) -> Verdict:
    """Return the verdict of a failure. Where anything can be refused, it leaves a note for the user."""
    verdict = make_failed_verdict(spec, outcome, why)
    return verdict if row.feedback else show_failure(verdict, spec)


def _read_output(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what stdout says; text that is not one JSON object never becomes context."""
    if not outcome.stdout.strip():
        return to_verdict(spec, outcome)
    try:
        given = parse_object(outcome.stdout)
    except UnreadableError as error:
        return _fail(outcome, spec, row, f"output.json: {error}")
    word = given.pop("decision", "allow")
    claims = Claims(outcome, spec, row, event)
    fields = _select_fields(given, claims)
    stance, fault = Stance.SILENT, None
    reason = f"blocked by hook `{label(spec)}`"
    if word == "ask" and row.asks:
        reason = f"hook `{label(spec)}` wants a person to decide"
        stance = row.words[word] if event.dialect == NAME else Stance.ASK
        claims.unsupported += [] if stance is Stance.ASK else ["ask"]
    elif isinstance(word, str) and word in row.words:
        stance = row.words[word]
    else:
        fault = (
            f"output.decision: `{word!s:.80}` is no decision, only `allow`, `ask` and `deny` are"
        )
        if spec.on_failure is not Stance.SILENT:
            return _fail(outcome, spec, row, fault)
        claims.notes.append(f"hook `{label(spec)}`: {fault}")
    if fields.get("modified_input"):
        claims.rewrite = Rewrite(target="input", value=fields["modified_input"], merge=True)
    if fields.get("log"):
        claims.effects["log"] = [fields["log"]]
    claims.context = fields.get("additional_context", "")
    reason = fields.get("reason", "").strip() or reason
    return claims.verdict(stance=stance, reason=reason if stance else "", fault=fault)


def _select_fields(given: Mapping[str, Any], claims: Claims) -> dict[str, Any]:
    """Return the fields that count; the others become notes."""
    fields: dict[str, Any] = {}
    for key, value in given.items():
        wanted, power = _FIELDS.get(key, (object, key))
        if key not in _FIELDS:
            why = f"output.ignored: `{key:.80}` is no field of the format"
        elif value is None:
            continue
        elif not isinstance(value, wanted):
            why = f"output.type: `{key}` must be {'an object' if wanted is dict else 'text'}"
        elif power not in ("reason", *claims.row.powers):
            why = f"output.ignored: `{key}` has no effect on `{claims.row.native}`"
        else:
            fields[key] = value
            continue
        claims.unsupported.append(power)
        claims.notes.append(f"hook `{label(claims.spec)}`: {why}")
    return fields


def _deny(verdict: Verdict, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return a denial as the event honours it: it ends the round, and at some stops it does not count."""
    why = event.body.value("stop_reason")
    if row.honoured and isinstance(why, str) and why not in row.honoured:
        note = f"hook `{label(spec)}` wants the agent to go on, but it stops because of `{why}`: {verdict.reason}"
        return verdict.replace(
            stance=Stance.SILENT,
            reason="",
            for_user=_join(verdict.for_user, note),
            unsupported=(*verdict.unsupported, "deny"),
        )
    # A failed hook never stops the rest, also where its failure denies (docs/formats/agenthooks.md 9).
    return verdict.replace(rewrite=None, ends=verdict.fault is None)
