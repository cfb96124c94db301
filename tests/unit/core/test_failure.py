"""Failures in a few words."""

from __future__ import annotations

import pytest

from hookline.core.failure import barred, describe_failure, make_failed_verdict, show_failure
from hookline.model.handler import Broken
from hookline.model.outcome import Failure, Outcome
from hookline.model.problem import Origin
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance


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
        (
            Outcome(failure=Failure.REVOKED, detail="its approval was taken back"),
            "its approval was taken back",
        ),
        (
            Outcome(failure=Failure.ABSENT, detail="`x` was not found"),
            "what it runs is missing: `x` was not found",
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
def test_a_guard_that_fails_open_is_missed_aloud(kind: str, *, note: bool) -> None:
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
        "hook `h` had no say: exited with status 1" if note else ""
    )


PLACE = "a hook of this project (`.claude/settings.json`, PreToolUse)"


@pytest.mark.parametrize(
    ("scope", "outcome", "note"),
    [
        ("user", Outcome(failure=Failure.REVOKED, detail="its approval was taken back"), "hook `h` had no say: its approval was taken back"),
        ("user", Outcome(failure=Failure.ABSENT, detail="`x` was not found"), "hook `h` had no say: what it runs is missing: `x` was not found"),
        ("project", Outcome(failure=Failure.REVOKED, called=PLACE), f"{PLACE} had no say: its approval was taken back"),
        ("project", Outcome(failure=Failure.CHANGED, called=PLACE, detail="`EVIL` changed since it was approved"), f"{PLACE} had no say: changed since it was approved"),
        ("project", Outcome(failure=Failure.UNTRUSTED, detail="EVIL"), "a hook of this project had no say: it is not approved"),
        ("user", Outcome(failure=Failure.UNTRUSTED), "hook `h` had no say: it is not approved"),
    ],
)  # fmt: skip
def test_what_had_no_say_is_told_with_what_to_do(scope: str, outcome: Outcome, note: str) -> None:
    """Once; as a refusal, where policy makes one of it, each time; and nothing of a clone's own words."""
    spec = spec_of("tool.before", Stance.SILENT).replace(origin=Origin(scope=scope))

    assert barred(spec, outcome).for_user == f"{note} (`hookline list` tells more)"
    assert barred(spec, outcome.replace(told=True)).for_user == ""
    denied = barred(spec, outcome.replace(told=True, means=Stance.DENY))
    assert (denied.reason, denied.for_user) == (
        f"{note.replace('had no say', 'may not run')} (`hookline list` tells more)",
        "",
    )


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
        ("tool.before", Stance.SILENT, "hook `h` had no say: exited with status 1"),
        ("tool.before", Stance.DENY, ""),
    ],
)
def test_a_failure_that_stops_nothing_can_be_told_on_any_event(
    kind: str, stance: Stance, note: str
) -> None:
    """What was said of a guard stays, and a refusal speaks for itself."""
    spec = spec_of(kind, stance)

    assert show_failure(make_failed_verdict(spec, Outcome(exit_code=1)), spec).for_user == note
