"""What a failed hook says: its `on_failure`, with a fault that nobody can overlook."""

from __future__ import annotations

from hookline.model.kinds import kind
from hookline.model.outcome import Failure
from hookline.model.spec import CLONED
from hookline.model.verdict import Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec


OVERFLOWED = "its output exceeds the limit of 1 MiB a stream"


def failed(spec: HookSpec, outcome: Outcome, fault: str = "") -> Verdict:
    """The verdict of a hook that gave no answer (architecture, decision 2).

    `fault` overrides the words for the failure. Where something can be refused, on a gate or elsewhere, a hook that fails
    open leaves a note for the user, so that a guard which could not run is never the same as a guard that said yes.
    """
    words = fault or describe(outcome)
    label = spec.name or spec.id
    stance = spec.on_failure
    note = f"hook `{label}` had no say: {words}" if stance is Stance.SILENT and kind(spec.kind).guarded else ""
    reason = f"hook `{label}` failed: {words}" if stance is not Stance.SILENT else ""
    return Verdict(
        hook_id=spec.id,
        stance=stance,
        reason=reason,
        for_user=note,
        fault=words,
        exit_code=outcome.exit_code,
        seconds=outcome.seconds,
        shadow=spec.shadow,
    )


def barred(spec: HookSpec, outcome: Outcome) -> Verdict:
    """The verdict of a hook that was kept from running: as the policy says that kept it, and never without a word on a gate.

    Nothing that a clone brings along decides, or puts a word of its own before anybody, until it is approved.
    """
    words = describe(outcome)
    clone = spec.origin.scope in CLONED
    label = "a hook of this project" if clone else f"hook `{spec.name or spec.id}`"
    told = words
    if clone and outcome.failure is not None:
        told = "it is not approved" if outcome.failure is Failure.UNTRUSTED else outcome.failure.value
    stance = outcome.means or Stance.SILENT
    note = f"{label} had no say: {told}" if kind(spec.kind).guarded and outcome.failure is not Failure.SWITCHED_OFF else ""
    return Verdict(
        hook_id=spec.id,
        stance=stance,
        reason=f"{label} may not run: {told}" if stance else "",
        for_user=outcome.note or ("" if stance else note),
        fault=words,
        shadow=spec.shadow,
    )


def aloud(verdict: Verdict, spec: HookSpec) -> Verdict:
    """A failed hook's verdict for a host that shows every failure: one that stops nothing is a note on any event, not on gates only."""
    if verdict.stance is not Stance.SILENT or verdict.for_user:
        return verdict
    return verdict.replace(for_user=f"hook `{spec.name or spec.id}` failed: {verdict.fault}")


def describe(outcome: Outcome) -> str:
    """A failure, or an exit code that counts as one, in a few words."""
    if outcome.failure is None:
        return f"exited with status {outcome.exit_code}{_tail(outcome)}"
    return f"{outcome.failure.value}: {outcome.detail}" if outcome.detail else outcome.failure.value


def _tail(outcome: Outcome) -> str:
    lines = outcome.stderr.strip().splitlines()
    return f": {lines[0][:200]}" if lines else ""
