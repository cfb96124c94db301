"""Hooks that are started and not waited for."""

from __future__ import annotations

from hookline.model.spec import Broken, Pattern
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex
from tests.plays.play import ASKS, DENIES, Stage, hook, patches, play, row

STARTS_NOTHING_AFTER_A_DENIAL = Stage(detached_after_denial=False)
OTHER = Stage(name="other")


def test_detached_hooks_start_after_everything_that_is_waited_for() -> None:
    """For every rank, and also after the hooks of other dialects."""
    cast = {
        Stage(): [hook("log", detached=True, rank=-9), hook("a")],
        OTHER: [hook("x", stage=OTHER)],
    }
    happened = play(cast, {})

    assert happened.order == ["a", "x", "log"]


def test_detached_hooks_start_one_by_one_in_order() -> None:
    """Among themselves they keep the order of the plan."""
    happened = play([hook("b", detached=True, rank=2), hook("a", detached=True, rank=1)], {})

    assert happened.started == ["a", "b"]


def test_where_the_table_says_so_they_start_when_their_turn_comes() -> None:
    """In such a dialect they start in their turn, and see the input as earlier hooks left it."""
    stage = Stage(row(), detached_in_turn=True)
    cast = [hook("a"), hook("log", detached=True), hook("b")]
    happened = play(cast, {"a": patches(depth=2), "b": patches(depth=3)}, stage=stage)

    assert [verdict.hook_id for verdict in happened.decision.verdicts] == ["a", "log", "b"]
    assert happened.seen["log"][0].input == {"command": "ls", "depth": 2}


def test_what_ends_the_round_keeps_them_from_starting_in_turn() -> None:
    """A detached hook after the end does not start."""
    stage = Stage(row(), detached_in_turn=True)
    happened = play(
        [hook("a"), hook("log", detached=True)], {"a": DENIES.replace(ends=True)}, stage=stage
    )

    assert happened.started == []


def test_a_detached_hook_is_listed_without_an_opinion() -> None:
    """Its verdict shows that it was started, and has no effect."""
    happened = play([hook("log", detached=True)], {"log": DENIES})

    assert happened.decision.stance is Stance.SILENT
    assert happened.verdict("log").stance is Stance.SILENT


def test_a_detached_hook_sees_the_final_event() -> None:
    """Its payload holds all rewrites."""
    happened = play([hook("log", detached=True), hook("a")], {"a": patches(depth=7)})

    assert happened.seen["log"][0].input == {"command": "ls", "depth": 7}


def test_its_condition_is_looked_at_on_the_final_event() -> None:
    """After a rewrite it may match, or no longer match."""
    only = (Pattern(field="command", source="curl", regex=compile_regex("curl")),)
    cast = [hook("log", detached=True, conditions=only), hook("a")]

    assert play(cast, {}).started == []
    assert play(cast, {"a": patches(command="curl x")}).started == ["log"]


def test_a_denial_stops_them_only_where_the_table_says_so() -> None:
    """Some dialects start nothing after a denial; others, and an ask, change nothing."""
    strict = STARTS_NOTHING_AFTER_A_DENIAL
    cast = [hook("log", detached=True), hook("a")]

    assert play(cast, {"a": DENIES}).started == ["log"]
    assert play(cast, {"a": DENIES}, stage=strict).started == []
    assert play(cast, {"a": ASKS}, stage=strict).started == ["log"]


def test_the_denial_of_a_shadow_stops_nothing() -> None:
    """What a shadow says has no effect here either."""
    happened = play(
        [hook("log", detached=True), hook("a", shadow=True)],
        {"a": DENIES},
        stage=STARTS_NOTHING_AFTER_A_DENIAL,
    )

    assert happened.started == ["log"]


def test_a_denial_by_another_dialect_counts_as_well() -> None:
    """A denial by any dialect denies the event."""
    strict = STARTS_NOTHING_AFTER_A_DENIAL
    happened = play(
        {strict: [hook("log", detached=True)], OTHER: [hook("x", stage=OTHER)]},
        {"x": DENIES},
        stage=strict,
    )

    assert happened.started == []


def test_a_detached_hook_that_cannot_be_started_is_reported() -> None:
    """Broken and untrusted ones leave their fault in the decision."""
    cast = [
        hook("broken", detached=True, handler=Broken(reason="x")),
        hook("unknown", detached=True, trusted=False),
    ]
    happened = play(cast, {})

    assert happened.started == []
    assert [verdict.fault is not None for verdict in happened.decision.verdicts] == [True, True]
