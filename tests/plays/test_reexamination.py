"""Strict mode: a hook that ran before the input was final runs again on the final input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.model.spec import Broken, Pattern
from hookline.model.verdict import Stance, Verdict
from hookline.text.regex import compile_regex
from tests.plays.play import ALLOWS, ASKS, DENIES, TIMED_OUT, Stage, hook, patches, play, row

if TYPE_CHECKING:
    from hookline.model.event import Event

AT_ONCE = Stage(row(parallel=True))


def guard(event: Event) -> Verdict:
    """Denies `rm`, and says so much else that one sees what of it counts."""
    if event.command == "rm":
        return DENIES.replace(
            for_agent="again",
            rewrite=patches(y=1).rewrite,
            evidence={"again": True},
            retry_after=1.0,
        )
    return ALLOWS.replace(for_agent="once")


def test_a_guard_that_spoke_first_is_asked_once_more() -> None:
    """It sees a later rewrite, and its second stance counts."""
    happened = play(
        [hook("guard"), hook("late")],
        {"guard": guard, "late": patches(command="rm")},
        reexamine=True,
    )

    assert happened.asked == ["guard", "late", "guard", "late"]
    assert happened.seen["guard"][1].command == "rm"
    assert happened.decision.stance is Stance.DENY


def test_only_the_stance_of_the_second_word_counts() -> None:
    """Contexts, rewrites, delays and evidence of the second look are left out."""
    decision = play(
        [hook("guard"), hook("late")],
        {"guard": guard, "late": patches(command="rm")},
        reexamine=True,
    ).decision
    rewrite = decision.rewrite

    assert decision.for_agent == ("once",)
    assert (decision.retry_after, decision.evidence) == (None, None)
    assert rewrite is not None
    assert rewrite.value == {"command": "rm", "depth": 1}


def test_without_strict_mode_no_hook_runs_twice() -> None:
    """Fidelity keeps to what the dialects promise."""
    happened = play([hook("guard"), hook("late")], {"guard": guard, "late": patches(command="rm")})

    assert happened.asked == ["guard", "late"]
    assert happened.decision.stance is Stance.ALLOW


def test_without_a_rewrite_no_hook_runs_twice() -> None:
    """An input that stayed as it was needs no second look."""
    happened = play([hook("guard"), hook("late")], {"guard": guard}, reexamine=True)

    assert happened.asked == ["guard", "late"]


def test_a_hook_that_saw_the_final_input_runs_once() -> None:
    """A hook after the last rewrite has judged what will run."""
    happened = play([hook("early"), hook("late")], {"early": patches(x=1)}, reexamine=True)

    assert happened.asked.count("late") == 1


def test_a_hook_beside_the_rewriter_runs_again() -> None:
    """All hooks of the rewriter's parallel group saw the original input."""
    happened = play(
        [hook("late"), hook("guard")],
        {"guard": guard, "late": patches(command="rm")},
        stage=AT_ONCE,
        reexamine=True,
    )

    assert happened.asked.count("guard") == 2
    assert happened.decision.stance is Stance.DENY


def test_a_guard_that_did_not_match_before_is_asked_now() -> None:
    """A hook whose conditions match only the final input runs on it."""
    only = (Pattern(field="command", source="rm", regex=compile_regex("rm")),)
    happened = play(
        [hook("guard", conditions=only), hook("late")],
        {"guard": guard, "late": patches(command="rm")},
        reexamine=True,
    )

    assert happened.decision.stance is Stance.DENY


def test_a_guard_that_no_longer_matches_is_left_alone() -> None:
    """Its first word stands: a denial holds, whatever the input became."""
    only = (Pattern(field="command", source="ls", regex=compile_regex("ls")),)
    happened = play(
        [hook("guard", conditions=only), hook("late")],
        {"guard": DENIES, "late": patches(command="rm")},
        reexamine=True,
    )

    assert happened.asked.count("guard") == 1
    assert happened.decision.stance is Stance.DENY


def test_a_second_look_never_lifts_anything() -> None:
    """A guard that denied first and allows now has still denied."""
    happened = play(
        [hook("guard"), hook("late")],
        {
            "guard": lambda event: ALLOWS if event.command == "rm" else DENIES,
            "late": patches(command="rm"),
        },
        reexamine=True,
    )

    assert happened.decision.stance is Stance.DENY


def test_a_second_word_that_changes_nothing_is_not_listed() -> None:
    """Silence and consent at the second look leave no verdict behind."""
    happened = play(
        [hook("guard"), hook("late")], {"guard": ALLOWS, "late": patches(x=1)}, reexamine=True
    )

    assert [verdict.hook_id for verdict in happened.decision.verdicts] == ["guard", "late"]


def test_a_guard_that_fails_at_the_second_look_has_failed() -> None:
    """The failure counts as it would at the first run."""
    script = {
        "guard": lambda event: TIMED_OUT if event.command == "rm" else ASKS,
        "late": patches(command="rm"),
    }
    happened = play([hook("guard", on_failure=Stance.DENY), hook("late")], script, reexamine=True)

    assert happened.decision.stance is Stance.DENY
    assert happened.decision.verdicts[-1].fault == "timed out"


def test_a_broken_guard_is_missed_at_the_second_look_too() -> None:
    """What cannot be run denies or stays silent as before, and nothing raises."""
    cast = [hook("broken", handler=Broken(reason="x"), on_failure=Stance.ASK), hook("late")]
    happened = play(cast, {"late": patches(x=1)}, reexamine=True)

    assert happened.decision.stance is Stance.ASK


def test_an_equal_hook_does_not_speak_up_at_the_second_look() -> None:
    """A duplicate that was skipped stays skipped, although its twin saw the final input."""
    cast = [hook("early"), hook("a", identity="x"), hook("b", identity="x")]
    happened = play(cast, {"early": patches(x=1)}, reexamine=True)

    assert "b" not in happened.asked


def test_a_detached_hook_is_started_once() -> None:
    """It has no stance that a second run could change."""
    stage = Stage(row(), detached_in_turn=True)
    happened = play(
        [hook("log", detached=True), hook("late")],
        {"late": patches(x=1)},
        stage=stage,
        reexamine=True,
    )

    assert happened.started == ["log"]


def test_the_rewrite_of_a_shadow_runs_no_hook_again() -> None:
    """The input is final when only a shadow rewrote it."""
    happened = play(
        [hook("guard"), hook("late", shadow=True)],
        {"guard": guard, "late": patches(command="rm")},
        reexamine=True,
    )

    assert happened.asked == ["guard", "late"]
