"""The order of hooks: the strongest scope of their dialect, then rank, scope, declaration."""

from __future__ import annotations

import pytest

from hookline.model.event import Event, ToolCall
from hookline.model.spec import HookSpec, InProcess, Never, OneOf, Origin, Pattern
from hookline.model.verdict import Outcome, Verdict
from hookline.text.regex import compile_regex
from tests.plays.play import CALL, DENIES, Stage, hook, play, row

AT_ONCE = Stage(row(parallel=True))


def test_hooks_of_one_scope_run_as_declared() -> None:
    """Equal ranks and scopes leave the declared order alone."""
    happened = play([hook("b"), hook("a"), hook("c")], {})

    assert happened.asked == ["b", "a", "c"]


def test_a_lower_rank_runs_first() -> None:
    """Rank orders hooks of one scope, whatever order they were declared in."""
    happened = play([hook("late", rank=5), hook("first", rank=-5), hook("middle")], {})

    assert happened.asked == ["first", "middle", "late"]


def test_scopes_run_from_managed_policy_to_in_process() -> None:
    """Among equal ranks, managed policy comes first and in-process hooks last."""
    scopes = ["process", "explicit", "local", "project", "user", "managed"]
    happened = play([hook(scope, scope=scope) for scope in scopes], {})

    assert happened.asked == ["managed", "user", "project", "local", "explicit", "process"]


def test_rank_goes_before_scope_inside_a_dialect() -> None:
    """A dialect's own order is by rank, and only then by level (docs/formats/agenthooks.md 9)."""
    happened = play(
        [hook("user", scope="user", rank=1), hook("project", scope="project", rank=0)], {}
    )

    assert happened.asked == ["project", "user"]


def test_a_dialect_runs_where_its_strongest_scope_stands() -> None:
    """Groups of dialects follow each other by the strongest scope that each has a hook in."""
    other = Stage(name="other")
    cast = {
        Stage(): [hook("ours", scope="project")],
        other: [
            hook("theirs", scope="local", stage=other),
            hook("policy", scope="managed", stage=other),
        ],
    }
    happened = play(cast, {})

    assert happened.asked == ["policy", "theirs", "ours"]


def test_rows_of_one_moment_run_in_the_order_of_the_table() -> None:
    """One call fires several native events, in the dialect's order, not in the file's."""
    stage = Stage(
        row("transform"),
        row("guard", parallel=True),
        row("before"),
        covers={"before": ("transform", "guard", "before")},
    )
    cast = [
        hook("3", stage=stage),
        hook("2", native="guard", stage=stage),
        hook("1", native="transform", stage=stage),
    ]
    happened = play(cast, {}, stage=stage)

    assert happened.asked == ["1", "2", "3"]


def test_a_parallel_group_is_asked_at_once() -> None:
    """All hooks of a parallel row are one batch."""
    happened = play([hook("a"), hook("b")], {}, stage=AT_ONCE)

    assert happened.batches == [["a", "b"]]


def test_one_hook_puts_a_parallel_group_in_turn() -> None:
    """One sequential hook makes all of its dialect sequential (docs/formats/gemini.md)."""
    happened = play([hook("a"), hook("b", in_turn=True), hook("c")], {}, stage=AT_ONCE)

    assert happened.batches == [["a"], ["b"], ["c"]]


@pytest.mark.parametrize("field", ["tool", "session_id"])
def test_a_hook_that_takes_no_part_puts_nothing_in_turn(field: str) -> None:
    """The plan knows that it does not match, or only the event shows it."""
    other = (OneOf(field=field, names=frozenset({"another"})),)
    happened = play(
        [hook("a"), hook("b", in_turn=True, conditions=other), hook("c")], {}, stage=AT_ONCE
    )

    assert happened.batches == [["a", "c"]]


@pytest.mark.parametrize("aside", [{"shadow": True}, {"trusted": False}])
def test_a_hook_that_does_not_count_puts_nothing_in_turn(aside: dict[str, bool]) -> None:
    """A shadow hook, or one without approval, does not change how the others run."""
    happened = play([hook("a"), hook("b", in_turn=True, **aside), hook("c")], {}, stage=AT_ONCE)

    assert [name for name in happened.batches[0] if name != "b"] == ["a", "c"]


def test_a_sequential_group_is_asked_one_by_one() -> None:
    """Each hook of a sequential row is a batch of its own."""
    happened = play([hook("a"), hook("b")], {})

    assert happened.batches == [["a"], ["b"]]


def test_verdicts_stand_in_plan_order() -> None:
    """The decision lists verdicts in the order of the plan, in which outcomes are sent back."""
    happened = play([hook("a"), hook("b"), hook("c")], {"c": DENIES}, stage=AT_ONCE)

    assert [verdict.hook_id for verdict in happened.decision.verdicts] == ["a", "b", "c"]


def test_equal_hooks_run_once() -> None:
    """Of hooks with one identity the first in order runs, wherever the others were declared."""
    cast = [
        hook("project", scope="project", identity="x"),
        hook("user", scope="user", identity="x"),
        hook("other", identity="y"),
    ]
    happened = play(cast, {})

    assert happened.asked == ["user", "other"]


@pytest.mark.parametrize("parallel", [True, False])
def test_of_equal_hooks_the_first_that_matches_runs(*, parallel: bool) -> None:
    """A hook that does not match does not replace an equal hook that does."""
    stage = Stage(row(parallel=parallel))
    only = (Pattern(field="command", source="rm", regex=compile_regex("rm")),)
    cast = [
        hook("a", identity="x", conditions=only),
        hook("b", identity="x"),
        hook("c", identity="x"),
    ]
    happened = play(cast, {}, stage=stage)

    assert happened.asked == ["b"]


def test_hooks_without_identity_are_never_equal() -> None:
    """An empty identity means never the same."""
    happened = play([hook("a", identity=""), hook("b", identity="")], {})

    assert happened.asked == ["a", "b"]


def test_equal_hooks_of_two_dialects_both_run() -> None:
    """Identity is a matter inside one dialect."""
    other = Stage(name="other")
    happened = play(
        {Stage(): [hook("a", identity="x")], other: [hook("b", identity="x", stage=other)]}, {}
    )

    assert happened.asked == ["a", "b"]


def test_a_hook_of_another_kind_is_not_asked() -> None:
    """Only hooks of the event's kind are candidates."""
    stage = Stage(row(), row("after", "tool.after"))
    happened = play(
        [hook("a", stage=stage), hook("z", native="after", stage=stage)], {}, stage=stage
    )

    assert happened.asked == ["a"]


def test_a_native_event_selects_its_own_row_only() -> None:
    """Inside one dialect the native event counts: two natives of one kind are two moments."""
    stage = Stage(row("before"), row("guard"))
    happened = play(
        [hook("a", stage=stage), hook("g", native="guard", stage=stage)], {}, stage=stage
    )

    assert happened.asked == ["a"]


def test_an_event_of_another_dialect_selects_by_kind() -> None:
    """Across dialects it is the canonical kind that counts."""
    other = Stage(row("theirs"), name="other")
    happened = play({other: [hook("b", native="theirs", stage=other)]}, {})

    assert happened.asked == ["b"]


def test_a_canonical_event_selects_every_row_of_its_kind() -> None:
    """Where no native event is named, each row of the kind takes part."""
    stage = Stage(row("before"), row("guard"))
    event = CALL.replace(native_name="")
    happened = play(
        [hook("a", stage=stage), hook("g", native="guard", stage=stage)],
        {},
        stage=stage,
        event=event,
    )

    assert happened.asked == ["a", "g"]


def test_a_condition_on_the_tool_keeps_a_hook_out() -> None:
    """A hook for another tool is not asked."""
    only = (OneOf(field="tool", names=frozenset({"write"})),)
    happened = play([hook("a", conditions=only), hook("b")], {})

    assert happened.asked == ["b"]


def test_a_hook_that_can_never_run_is_not_asked() -> None:
    """A condition that holds for no event keeps its hook out of every plan."""
    happened = play([hook("a", conditions=(Never(reason="no such tool"),))], {})

    assert happened.asked == []


def test_no_hooks_make_a_silent_decision() -> None:
    """Without a hook the decision is silent, and says how long it took."""
    ticks = iter((10.0, 10.5))
    happened = play([], {}, clock=lambda: next(ticks))

    assert happened.decision.stance.name == "SILENT"
    assert happened.decision.verdicts == ()
    assert happened.decision.seconds == 0.5


def test_an_in_process_hook_is_sent_no_payload() -> None:
    """A handler in this process is given the event itself, so nothing is serialised for it."""
    spec = HookSpec(
        id="own",
        dialect="stage",
        kind="tool.before",
        native_event="before",
        handler=InProcess(call=print),
        origin=Origin(scope="process"),
    )
    event = CALL.replace(body=ToolCall(tool="bash", input={"x": object()}))
    happened = play([spec], {"own": Outcome(answer=Verdict(reason="seen"))}, event=event)

    assert happened.verdict("own").fault is None


def test_plans_of_two_tools_are_two() -> None:
    """The cached plan of one tool is not used for another."""
    only = (OneOf(field="tool", names=frozenset({"bash"})),)
    cast = [hook("a", conditions=only)]
    other = Event(
        kind="tool.before", dialect="stage", native_name="before", body=ToolCall(tool="write")
    )

    assert play(cast, {}).asked == ["a"]
    assert play(cast, {}, event=other).asked == []
