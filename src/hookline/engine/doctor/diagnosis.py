"""Finds the faults of a hook in the outcome of one run on a harmless event."""

from __future__ import annotations

import json

from hookline.core.output_faults import find_missing_program
from hookline.engine.doctor.static_checks import Finding, make_finding, make_warning
from hookline.model.spec import HookSpec, InProcess
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from hookline.text.masking import mask_text
from hookline.text.terminal_escape import escape_line
from hookline.wire.hookoutput import UnreadableError, has_object_start, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


# A hook that takes more of its time than this for an event about nothing is near its end.
_NEARLY = 0.8
_REFUSAL = 2  # the exit code by which a command refuses, in every dialect
_CHANGED_HINT = "hookline approve -n shows what changed; if it is meant: hookline approve"
_LOGS = "print logs on stderr"
_START = "name a program that is there, and in its first line an interpreter that is"
_FASTER = "make it faster, or give it a longer `timeout`"
# Failures that have their own finding -> the finding, and what to do.
FAILURE_FINDINGS: Mapping[Failure, tuple[str, str]] = {
    Failure.TIMED_OUT: ("check.timed-out", _FASTER),
    Failure.NOT_STARTED: ("check.missing", _START),
    Failure.UNREACHABLE: ("check.missing", "see that its address answers"),
    Failure.CHANGED: ("check.changed", _CHANGED_HINT),
    Failure.UNTRUSTED: ("check.unapproved", "look at it, then: hookline approve"),
    Failure.REVOKED: ("check.unapproved", "to let it run again: hookline approve"),
}
# Exit codes by which a shell says that it could not start a program.
_SHELL_SAYS: Mapping[int, str] = {126: "check.not-executable", 127: "check.missing"}
_LOOKED_AT = 1 << 16  # characters of an output in which an answer is looked for


def diagnose_outcome(
    spec: HookSpec, outcome: Outcome | None, verdict: Verdict, seconds: float
) -> Iterator[Finding]:
    """Yield the faults of a hook that was asked about a harmless event.

    `seconds`: the time that it had.
    """
    if outcome is None or outcome.failure is not None:
        yield _diagnose_failure(spec, outcome, verdict, seconds)
        return
    bad_output = _diagnose_output(spec, outcome, verdict)
    if bad_output is not None:
        yield bad_output
    elif name := _find_start_failure(spec, outcome):
        message = verdict.fault or outcome.stderr.strip() or "it could not be started"
        yield make_finding(spec, name, message, _START)
    elif not outcome.exit_code and (missing := find_missing_program(outcome.stderr)):
        program, line = (escape_line(text) for text in missing)
        message = f"its shell could not run `{program}`, so it may check nothing: {line}"
        hint = f"install `{program}`, or name it by its absolute path"
        yield make_finding(spec, "check.missing", message, hint)
    elif verdict.fault:
        yield make_finding(spec, "check.failed", verdict.fault, "hookline explain shows its output")
    elif outcome.exit_code not in (None, 0, _REFUSAL):
        message = f"it exits with {outcome.exit_code} although nothing is wrong"
        yield make_warning(spec, "check.failed", message)
    if verdict.stance >= Stance.DENY and not verdict.fault:
        message = f"it refuses what is harmless: {mask_text(verdict.reason) or 'no reason given'}"
        yield make_warning(spec, "check.refuses", message)
    if outcome.seconds > _NEARLY * spec.timeout:
        message = f"it took {outcome.seconds:.3g} s of its {spec.timeout:g} s"
        yield make_warning(spec, "check.slow", message, _FASTER)


def _find_start_failure(spec: HookSpec, outcome: Outcome) -> str:
    """Return the finding for a program that a shell could not start; else empty."""
    by_shell = getattr(spec.handler, "script", "") or find_missing_program(outcome.stderr)
    return _SHELL_SAYS.get(outcome.exit_code or 0, "") if by_shell else ""


def _diagnose_failure(
    spec: HookSpec, outcome: Outcome | None, verdict: Verdict, seconds: float
) -> Finding:
    failure = outcome.failure if outcome else None
    if outcome and failure is Failure.SWITCHED_OFF:
        hint = "hookline list shows what is off, hookline on turns it on"
        return make_warning(spec, "check.off", f"it is switched off: {outcome.detail}", hint)
    if failure is Failure.TIMED_OUT and seconds < spec.timeout:
        message = f"it did not answer within {seconds:g} s; its own limit is {spec.timeout:g} s"
        return make_warning(spec, "check.timed-out", message, "give it more with --seconds")
    name, hint = (
        FAILURE_FINDINGS.get(failure, ("check.failed", "")) if failure else ("check.failed", "")
    )
    return make_finding(spec, name, verdict.fault or "it could not be asked", hint)


def _diagnose_output(spec: HookSpec, outcome: Outcome, verdict: Verdict) -> Finding | None:
    """Return what is wrong with a hook's output: noise around an object, or an invalid object."""
    text = outcome.stdout.strip()
    if isinstance(spec.handler, InProcess) or not text:
        return None
    try:
        parse_object(text)
    except UnreadableError as error:
        if not has_object_start(text) and not verdict.fault:
            return None
        if _holds_object(text):
            message = f"it prints something around its answer: {error}"
            return make_finding(spec, "check.noise", message, _LOGS)
        return make_finding(spec, "check.not-json", str(error), "print one JSON object, or nothing")
    return None


def _holds_object(text: str) -> bool:
    """Whether a complete JSON object is in a text."""
    text = text[:_LOOKED_AT]
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
        else:
            return True
    return False
