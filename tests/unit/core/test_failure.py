"""Failures in a few words."""

from __future__ import annotations

import pytest

from hookline.core.failure import (
    describe_failure,
    explain_file_switch,
    judge_unrun,
    make_failed_verdict,
    show_failure,
    switch_off,
)
from hookline.model.spec import Broken, HookSpec, Origin
from hookline.model.verdict import Failure, Outcome, Stance


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(failure=Failure.TIMED_OUT), "timed out"),
        (
            Outcome(failure=Failure.NOT_STARTED, detail="no such file"),
            "could not be started: no such file",
        ),
        (
            Outcome(failure=Failure.CHANGED, detail="`x` changed since it was approved"),
            "`x` changed since it was approved",
        ),
        (Outcome(exit_code=1), "exited with status 1"),
        (Outcome(exit_code=1, stderr="\n  boom\nmore\n"), "exited with status 1: boom"),
        (Outcome(exit_code=3, stderr="x" * 500), "exited with status 3: " + "x" * 200),
    ],
)
def test_a_failure_is_told_in_a_few_words(outcome: Outcome, words: str) -> None:
    """What happened and the first line of what the hook said about it, never more than a line."""
    assert describe_failure(outcome) == words


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("tool.before", True),
        ("subagent.start", True),
        ("tool.after", True),
        ("session.end", False),
        ("x.other.thing", False),
    ],
)
def test_a_guard_that_fails_open_is_reported(kind: str, *, note: bool) -> None:
    """Wherever something can be refused, whether or not that moment is a gate."""
    spec = HookSpec(
        id="h",
        dialect="cursor",
        kind=kind,
        native_event="x",
        handler=Broken(reason=""),
        on_failure=Stance.SILENT,
    )

    assert make_failed_verdict(spec, Outcome(exit_code=1)).for_user == (
        "hook `h` failed: exited with status 1" if note else ""
    )


@pytest.mark.parametrize(
    ("scope", "outcome", "note"),
    [
        ("user", Outcome(failure=Failure.UNTRUSTED),
         "hookline skipped hook `h` because it is not approved"),
        ("project", Outcome(failure=Failure.UNTRUSTED, detail="EVIL"),
         "hookline skipped a hook of this project because it is not approved"),
        ("project", Outcome(failure=Failure.CHANGED, detail="`EVIL` changed since it was approved"),
         "hookline skipped a hook of this project because it is changed since it was approved"),
    ],
)  # fmt: skip
def test_a_hook_that_did_not_run_is_named_with_what_to_do(
    scope: str, outcome: Outcome, note: str
) -> None:
    """One notice a session, without any text that a clone chose."""
    spec = spec_of("tool.before", Stance.SILENT).replace(origin=Origin(scope=scope))

    assert judge_unrun(spec, outcome).for_user == f"{note}. To review it: `hookline approve`"
    assert judge_unrun(spec, outcome.replace(told=True)).for_user == ""


def test_what_the_gate_says_is_a_notice_or_the_reason_of_its_stance() -> None:
    """Never both."""
    spec, outcome = (
        spec_of("tool.before", Stance.SILENT),
        Outcome(failure=Failure.CHANGED, note="n"),
    )
    noted = judge_unrun(spec, outcome)
    asked = judge_unrun(spec, outcome.replace(means=Stance.ASK))

    assert (noted.stance, noted.reason, noted.for_user) == (Stance.SILENT, "", "n")
    assert (asked.stance, asked.reason, asked.for_user) == (Stance.ASK, "n", "")


def test_a_hook_that_a_file_switches_off_says_which_key_does() -> None:
    """It is silent, and no guard is missed."""
    spec = spec_of("tool.before", Stance.DENY)
    assert explain_file_switch(spec) == ""
    off = spec.replace(off=Origin(file="/p/agent.yaml", pointer="shell_hooks.enabled", line=3))
    verdict = judge_unrun(off, switch_off(off))

    assert (verdict.stance, verdict.for_user) == (Stance.SILENT, "")
    assert verdict.fault == "switched off: `shell_hooks.enabled` is not true in `/p/agent.yaml:3`"


def spec_of(kind: str, stance: Stance) -> HookSpec:
    """A hook whose failure means this."""
    return HookSpec(
        id="h",
        dialect="d",
        kind=kind,
        native_event="x",
        handler=Broken(reason=""),
        on_failure=stance,
    )


@pytest.mark.parametrize(
    ("kind", "stance", "note"),
    [
        ("session.end", Stance.SILENT, "hook `h` failed: exited with status 1"),
        ("tool.before", Stance.SILENT, "hook `h` failed: exited with status 1"),
        ("tool.before", Stance.DENY, ""),
    ],
)
def test_a_failure_that_stops_nothing_can_be_told_on_any_event(
    kind: str, stance: Stance, note: str
) -> None:
    """What was said of a guard stays, and a refusal speaks for itself."""
    spec = spec_of(kind, stance)

    assert show_failure(make_failed_verdict(spec, Outcome(exit_code=1)), spec).for_user == note
