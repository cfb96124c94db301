"""Failure: the verdict of a failed hook, with a fault that the decision always shows."""

from __future__ import annotations

from hookline.core.condition_descriptions import describe_matcher
from hookline.model.kinds import kind
from hookline.model.spec import CLONED, HookSpec
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from hookline.text.terminal_escape import escape_line

# What to do about a hook that does not run.
REVIEW = "To review it: `hookline approve`"
# The detail for a project's hook where hookline looks up no approval.
UNASKED = "no approval counts here (with `--trust none`, and in Python without `gate=`)"
OVERFLOWED = "its output exceeds the limit of 1 MiB a stream"


def make_failed_verdict(spec: HookSpec, outcome: Outcome, fault: str = "") -> Verdict:
    """Return the verdict of a hook that gave no answer (docs/architecture.md 4.2).

    `fault` replaces the description of the failure. If the event can be refused, a hook that fails
    open leaves a note for the user. So a guard that could not run always differs from a guard that
    allowed the action.
    """
    words, stance = fault or describe_failure(outcome), spec.on_failure
    text = f"{identify(spec, words)} failed: {words}"
    return Verdict(
        hook_id=spec.id,
        stance=stance,
        reason=f"{text}{_remedy(spec, outcome)}" if stance else "",
        for_user=text if not stance and kind(spec.kind).can_guard else "",
        fault=words,
        exit_code=outcome.exit_code,
        seconds=outcome.seconds,
        shadow=spec.shadow,
    )


def judge_unrun(spec: HookSpec, outcome: Outcome) -> Verdict:
    """Return the verdict of a hook that hookline did not run, by what the gate says of it.

    Nothing that a clone brings along decides, or puts a word of its own before a person, until it
    is approved.
    """
    stance = outcome.means or Stance.SILENT
    words = outcome.note
    is_silent = outcome.told or outcome.failure is Failure.SWITCHED_OFF
    if not words and not is_silent and kind(spec.kind).can_guard:
        words = f"hookline skipped {_name(spec)} because {_explain(spec, outcome)}"
    return Verdict(
        hook_id=spec.id,
        stance=stance,
        reason=words if stance else "",
        for_user="" if stance else words,
        fault=describe_failure(outcome),
        shadow=spec.shadow,
    )


def explain_file_switch(spec: HookSpec) -> str:
    """Return the key of a file that switches a hook off, and its place; "" if none does."""
    if spec.off is None:
        return ""
    origin = spec.off.with_line()
    return f"`{origin.pointer}` is not true in `{origin.file}:{origin.line}`"


def switch_off(spec: HookSpec) -> Outcome:
    """Return the outcome of a hook that a key of its file switches off."""
    return Outcome(
        failure=Failure.SWITCHED_OFF, detail=explain_file_switch(spec), means=Stance.SILENT
    )


def _name(spec: HookSpec) -> str:
    return "a hook of this project" if spec.origin.scope in CLONED else identify(spec)


def _explain(spec: HookSpec, outcome: Outcome) -> str:
    """Return why a hook was not run; of a clone's hook without the names of its files."""
    if outcome.detail == UNASKED:
        return f"it is not approved: {UNASKED}"
    told = outcome.replace(detail="") if spec.origin.scope in CLONED else outcome
    return f"it is {describe_failure(told)}. {REVIEW}"


def show_failure(verdict: Verdict, spec: HookSpec) -> Verdict:
    """Return a failed hook's verdict, with a note to the user on any event, not on gates only."""
    if verdict.stance is not Stance.SILENT or verdict.for_user:
        return verdict
    return verdict.replace(
        for_user=f"{identify(spec, verdict.fault or '')} failed: {verdict.fault}"
    )


def label(spec: HookSpec) -> str:
    """Return the name or id of a hook for display, on one line."""
    return escape_line(spec.name or spec.id)


def identify(spec: HookSpec, words: str = "") -> str:
    """Return a hook for messages: its name, plugin or file, line, event and matcher.

    It leaves out what the rest of the message (`words`) says already, and a file without a folder,
    because the hook's name contains it.
    """
    if "/" not in spec.origin.file:
        return f"hook `{label(spec)}`"
    selects, origin = describe_matcher(spec), spec.origin.with_line()
    place = ":".join(str(part) for part in (_source(spec), origin.line) if part)
    parts = (
        "" if origin.file in words else place,
        spec.native_event,
        f"matcher `{selects}`" if selects else "",
    )
    return escape_line(f"hook `{label(spec)}` ({', '.join(part for part in parts if part)})")


def _source(spec: HookSpec) -> str:
    """Return the plugin or pack of a hook, by its folder without a version; else its file."""
    folders = str(spec.facts.get("plugin") or "").rstrip("/").split("/")
    names = [name for name in folders if name and not name[:1].isdigit()]
    word = "pack" if spec.origin.pack else "plugin"
    return f"{word} {names[-1]}" if names else spec.origin.file


def _remedy(spec: HookSpec, outcome: Outcome) -> str:
    """Return what to do about a hook that refuses because it could not be loaded.

    Empty for other failures.
    """
    if outcome.failure is not Failure.UNLOADABLE or "/" not in spec.origin.file:
        return ""
    if spec.origin.pack:  # its reason says it
        return ""
    return escape_line(f"; correct it, and check it with `hookline validate {spec.origin.file}`")


def describe_failure(outcome: Outcome) -> str:
    """Describe a failure, or an exit code that counts as one, in a few words on one line."""
    return escape_line(_described(outcome))


def _described(outcome: Outcome) -> str:
    if outcome.failure is None:
        return f"exited with status {outcome.exit_code}{_tail(outcome)}"
    told = outcome.failure.value
    if outcome.detail.endswith(told):
        return outcome.detail  # the detail already contains it
    return f"{told}: {outcome.detail}" if outcome.detail else told


def _tail(outcome: Outcome) -> str:
    lines = outcome.stderr.strip().splitlines()
    return f": {lines[0][:200]}" if lines else ""
