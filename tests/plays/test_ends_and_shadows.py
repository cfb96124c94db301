"""Hooks that settle a matter for their own group, and hooks that are only watched."""

from __future__ import annotations

from hookline.model.verdict import Stance, Verdict
from tests.plays.play import ALLOWS, DENIES, TIMED_OUT, Stage, hook, patches, play, row

ENDS = DENIES.replace(ends=True)
OTHER = Stage(name="other")


def test_an_end_stops_the_rest_of_its_group() -> None:
    """After a verdict that ends, the remaining hooks of the group are not asked."""
    happened = play([hook("a"), hook("b"), hook("c")], {"b": ENDS, "c": DENIES})

    assert happened.asked == ["a", "b"]


def test_an_end_stops_no_other_group() -> None:
    """Hooks of another dialect are asked all the same."""
    happened = play({Stage(): [hook("a"), hook("b")], OTHER: [hook("x", stage=OTHER)]}, {"a": ENDS})

    assert happened.asked == ["a", "x"]


def test_an_end_in_a_parallel_group_stops_no_hook() -> None:
    """All hooks of the group have run by then."""
    happened = play([hook("a"), hook("b")], {"a": ENDS}, stage=Stage(row(parallel=True)))

    assert happened.asked == ["a", "b"]


def test_a_shadow_cannot_end_anything() -> None:
    """The verdict of a shadow hook stops no other hook."""
    happened = play([hook("a", shadow=True), hook("b")], {"a": ENDS})

    assert happened.asked == ["a", "b"]


def test_a_hook_that_an_end_skipped_is_not_run_after_a_rewrite() -> None:
    """A rewrite before the end does not bring the skipped hooks back."""
    script = {"a": patches(x=1), "b": ALLOWS.replace(ends=True)}
    happened = play([hook("a"), hook("b"), hook("c")], script, reexamine=True)

    assert "c" not in happened.asked


GATE = Stage(row(fails=Stance.DENY))
THREE = ("one", "two", "")


def test_an_end_stops_only_the_hooks_of_its_owner() -> None:
    """An owner's hook does not stop the hooks of another owner or of the program."""
    cast = [
        hook("first", owner="one"),
        hook("own", owner="one"),
        *(hook(f"of {who}", owner=who) for who in ("two", "")),
    ]

    assert play(cast, {"first": ALLOWS.replace(ends=True)}).asked == ["first", "of two", "of "]
    assert play(cast, {"first": ENDS}).asked == ["first", "of two", "of "]


def test_an_end_by_the_program_stops_the_hooks_of_every_owner() -> None:
    """A hook of the program speaks for the user who runs it."""
    cast = [hook("first"), *(hook(f"of {who}", owner=who) for who in THREE)]

    assert play(cast, {"first": ALLOWS.replace(ends=True)}).asked == ["first"]


def test_what_is_denied_on_a_gate_is_denied_for_all() -> None:
    """Nothing happens that others could want to keep from happening.

    What is not denied they are asked about.
    """
    cast = [hook("first", owner="one", stage=GATE), hook("other", owner="two", stage=GATE)]

    assert play(cast, {"first": ENDS}, stage=GATE).asked == ["first"]
    assert play(cast, {"first": ALLOWS.replace(ends=True)}, stage=GATE).asked == ["first", "other"]


def test_an_end_keeps_no_other_owners_hook_from_a_second_look() -> None:
    """After a rewrite, strict hooks of other owners run again; the hooks that ended do not."""
    cast = [
        hook("guard", owner="two", strict=True),
        hook("first", owner="one", strict=True),
        hook("silenced", owner="one", strict=True),
    ]
    happened = play(cast, {"first": patches(x=1).replace(ends=True)}, reexamine=True)

    assert happened.asked == ["guard", "first", "guard", "first"]


def test_a_shadow_is_run_and_listed_and_counts_for_nothing() -> None:
    """Its verdict is in the list, marked; the decision is as if it were not there."""
    happened = play(
        [hook("a", shadow=True)], {"a": DENIES.replace(for_agent="context", retry_after=1.0)}
    )

    assert happened.asked == ["a"]
    assert happened.decision.stance is Stance.SILENT
    assert (happened.decision.for_agent, happened.decision.retry_after) == ((), None)
    assert happened.verdict("a").stance is Stance.DENY
    assert happened.verdict("a").shadow


def test_the_rewrite_of_a_shadow_never_lands() -> None:
    """No other hook sees it, and the decision has none."""
    happened = play([hook("a", shadow=True), hook("b")], {"a": patches(command="rm")})

    assert happened.seen["b"][0].input == {"command": "ls", "depth": 1}
    assert happened.decision.rewrite is None


def test_a_failed_shadow_denies_nothing() -> None:
    """The decision only records what its failure would mean."""
    happened = play([hook("a", shadow=True, on_failure=Stance.DENY)], {"a": TIMED_OUT})

    assert happened.decision.stance is Stance.SILENT
    assert happened.verdict("a").fault == "timed out"


def test_a_shadow_beside_an_enforced_hook_changes_nothing() -> None:
    """The enforced hook alone decides."""
    happened = play([hook("a", shadow=True), hook("b")], {"a": DENIES, "b": ALLOWS})

    assert (happened.decision.stance, happened.decision.reason) == (Stance.ALLOW, "fine")


def test_a_verdict_may_call_itself_a_shadow() -> None:
    """A dialect may decide that one run is only observed."""
    stage = Stage()
    happened = play(
        [hook("a", shadow=True)], {"a": Verdict(stance=Stance.DENY, shadow=True)}, stage=stage
    )

    assert happened.verdict("a").shadow
