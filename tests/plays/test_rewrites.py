"""What rewrites do: who sees them, how they add up, and what of them is in the decision."""

from __future__ import annotations

import pytest

from hookline.core.dialect import FoldRule
from hookline.model.event import Compaction, Event, Generation, Prompt, ToolCall
from hookline.model.spec import Glob, Leaves, Pattern
from hookline.model.verdict import Stance, Verdict
from hookline.text.regex import compile_regex
from tests.plays.play import ALLOWS, CALL, DENIES, Stage, hook, patches, play, replaces, row

AT_ONCE = Stage(row(parallel=True))
SUMMARY = Stage(row(kind="compact.before", body=Compaction, parallel=True))
COMPACTION = Event(kind="compact.before", dialect="stage", native_name="before", body=Compaction())


def saying(expression: str) -> tuple[Pattern]:
    """A condition that an expression is found in the command."""
    return (Pattern(field="command", source=expression, regex=compile_regex(expression)),)


def test_a_later_hook_sees_the_rewrite_of_a_former_one() -> None:
    """In a sequential group each hook sees the event as the former hooks left it."""
    happened = play([hook("a"), hook("b")], {"a": patches(command="ls -l")})

    assert happened.seen["b"][0].input == {"command": "ls -l", "depth": 1}


def test_hooks_asked_at_once_see_the_original() -> None:
    """In a parallel group no hook sees another hook's rewrite."""
    happened = play([hook("a"), hook("b")], {"a": patches(command="x")}, stage=AT_ONCE)

    assert happened.seen["b"][0].input == CALL.input


def test_lone_patches_of_hooks_asked_at_once_do_not_add_up() -> None:
    """Each patches the original, and only the last counts (docs/formats/comparison.md 6)."""
    stage = Stage(row(parallel=True), fold=FoldRule(lone_patches=True))
    script = {"a": patches(command="x"), "b": patches(depth=2), "c": Verdict()}
    happened = play([hook(name, stage=stage) for name in "abc"], script, stage=stage)

    assert happened.decision.rewrite is not None
    assert happened.decision.rewrite.to_dict() == {
        "input": {"command": "ls", "depth": 2},
        "patch": {"depth": 2},
    }


def test_lone_patches_of_hooks_in_turn_add_up() -> None:
    """Each hook in turn patches the input that it was shown."""
    stage = Stage(row(parallel=True), fold=FoldRule(lone_patches=True))
    cast = [hook("a", stage=stage, in_turn=True), hook("b", stage=stage)]
    happened = play(cast, {"a": patches(command="x"), "b": patches(depth=2)}, stage=stage)

    assert happened.decision.rewrite is not None
    assert happened.decision.rewrite.value == {"command": "x", "depth": 2}


def test_what_a_row_carries_is_seen_by_the_next_hook_alone() -> None:
    """Hooks of other dialects and the decision do not see it, and a shadow carries nothing."""
    stage = Stage(
        row(
            carries=lambda event, verdict: event.replace(
                session_id=f"{event.session_id}+{verdict.for_agent}"
            )
        )
    )
    other = Stage(name="other")
    cast = {stage: [hook("a"), hook("s", shadow=True), hook("b")], other: [hook("c", stage=other)]}
    script = {"a": Verdict(for_agent="a"), "s": Verdict(for_agent="s")}
    happened = play(cast, script, stage=stage)

    assert [happened.seen[name][0].session_id for name in "asbc"] == ["s1", "s1+a", "s1+a", "s1"]
    assert happened.decision.for_agent == ("a",)


def test_the_next_group_sees_what_the_former_group_rewrote() -> None:
    """Rewrites of a parallel group have landed before the next group is asked."""
    other = Stage(name="other")
    happened = play(
        {AT_ONCE: [hook("a")], other: [hook("b", stage=other)]},
        {"a": patches(depth=2)},
        stage=AT_ONCE,
    )

    assert happened.seen["b"][0].input == {"command": "ls", "depth": 2}


def test_a_rewrite_brings_a_hook_in() -> None:
    """A condition is checked when the hook's turn comes, on the input as it is then."""
    happened = play(
        [hook("a"), hook("guard", conditions=saying("rm"))],
        {"a": patches(command="rm -rf /"), "guard": DENIES},
    )

    assert happened.asked == ["a", "guard"]
    assert happened.decision.stance is Stance.DENY


def test_a_rewrite_keeps_a_hook_out() -> None:
    """A hook whose condition no longer holds after a rewrite is not asked."""
    happened = play(
        [hook("a"), hook("guard", conditions=saying("ls"))], {"a": patches(command="true")}
    )

    assert happened.asked == ["a"]


@pytest.mark.parametrize(
    "condition",
    [Leaves(source="secret", regex=compile_regex("secret")), Glob(patterns=("**/secret",))],
    ids=lambda condition: type(condition).__name__,
)
def test_every_content_condition_is_looked_at_anew(condition: Leaves | Glob) -> None:
    """Leaves and globs are compared with the rewritten input, as expressions are."""
    happened = play(
        [hook("a"), hook("guard", conditions=(condition,))], {"a": patches(path="/w/x/secret")}
    )

    assert happened.asked == ["a", "guard"]


def test_patches_add_up() -> None:
    """Each patch changes its own keys of what the former ones left."""
    happened = play([hook("a"), hook("b")], {"a": patches(x=1), "b": patches(depth=2)})
    rewrite = happened.decision.rewrite

    assert rewrite is not None
    assert rewrite.value == {"command": "ls", "depth": 2, "x": 1}
    assert rewrite.patch == {"depth": 2, "x": 1}


def test_patches_made_at_once_add_up_and_the_last_wins() -> None:
    """Parallel patches apply in plan order: keys add up, and of one key the last value stays."""
    happened = play(
        [hook("a"), hook("b")], {"a": patches(x=1, y=1), "b": patches(x=2)}, stage=AT_ONCE
    )
    rewrite = happened.decision.rewrite

    assert rewrite is not None
    assert rewrite.value == {"command": "ls", "depth": 1, "x": 2, "y": 1}


def test_a_replacement_leaves_nothing_of_the_input() -> None:
    """Without merging, the value is the whole new input, and the patch has what is new."""
    happened = play([hook("a")], {"a": replaces("input", {"command": "ls", "new": True})})
    rewrite = happened.decision.rewrite

    assert rewrite is not None
    assert rewrite.to_dict() == {"input": {"command": "ls", "new": True}, "patch": {"new": True}}


def test_a_patch_is_told_against_the_original() -> None:
    """A value that is changed and changed back is in no patch."""
    happened = play([hook("a"), hook("b")], {"a": patches(depth=5), "b": patches(depth=1)})
    rewrite = happened.decision.rewrite

    assert rewrite is not None
    assert rewrite.value == CALL.input
    assert rewrite.patch == {}


def test_a_verdict_carries_its_own_patch() -> None:
    """Each verdict's rewrite is completed: the whole value, and what this hook changed."""
    happened = play([hook("a"), hook("b")], {"a": patches(x=1), "b": patches(y=2)})
    rewrite = happened.verdict("b").rewrite

    assert rewrite is not None
    assert rewrite.value == {"command": "ls", "depth": 1, "x": 1, "y": 2}
    assert rewrite.patch == {"y": 2}


def test_arguments_that_are_no_object_can_be_patched() -> None:
    """A patch of an input that is no object is the new input."""
    event = CALL.replace(body=ToolCall(tool="bash", input=None))
    happened = play([hook("a")], {"a": patches(command="ls")}, event=event)
    rewrite = happened.decision.rewrite

    assert rewrite is not None
    assert rewrite.value == {"command": "ls"}


def test_of_summaries_the_first_wins() -> None:
    """The first hook in order that gives a summary gives the summary."""
    script = {"a": Verdict(), "b": replaces("summary", "first"), "c": replaces("summary", "second")}
    happened = play(
        [hook(name, stage=SUMMARY) for name in "abc"], script, stage=SUMMARY, event=COMPACTION
    )
    rewrite = happened.decision.rewrite

    assert rewrite is not None
    assert rewrite.to_dict() == {"summary": "first"}


@pytest.mark.parametrize(
    ("kind", "body", "target", "values"),
    [
        ("tool.after", ToolCall(tool="bash", result="raw"), "output", ("one", "two")),
        ("prompt.transform", Prompt(prompt="raw"), "text", ("one", "two")),
        ("model.request", Generation(messages=[]), "messages", (["one"], ["two"])),
    ],
)
def test_of_other_rewrites_the_last_wins(
    kind: str, body: ToolCall | Prompt | Generation, target: str, values: tuple[object, object]
) -> None:
    """Outputs, texts and messages are replaced by the last hook that replaces them."""
    stage = Stage(row(kind=kind, body=type(body), parallel=True))
    script = {"a": replaces(target, values[0]), "b": replaces(target, values[1])}
    event = Event(kind=kind, dialect="stage", native_name="before", body=body)
    happened = play(
        [hook("a", stage=stage), hook("b", stage=stage)], script, stage=stage, event=event
    )
    rewrite = happened.decision.rewrite

    assert rewrite is not None
    assert rewrite.to_dict() == {target: values[1]}


def test_a_denial_keeps_the_rewrite_where_the_table_says_nothing() -> None:
    """A denied call's effective input is told, so that a person sees what was judged."""
    happened = play([hook("a"), hook("b")], {"a": patches(x=1), "b": DENIES})

    assert happened.decision.rewrite is not None


def test_a_denial_drops_the_rewrite_where_the_table_says_so() -> None:
    """With that column, the effective input of a denied call is the original."""
    stage = Stage(fold=FoldRule(drops_rewrite_when_denied=True))
    cast = [hook("a", stage=stage), hook("b", stage=stage)]

    assert play(cast, {"a": patches(x=1), "b": DENIES}, stage=stage).decision.rewrite is None
    assert play(cast, {"a": patches(x=1), "b": ALLOWS}, stage=stage).decision.rewrite is not None


def test_a_rewrite_of_what_the_event_lacks_is_listed() -> None:
    """A tool call has no text, so the decision lists a rewrite of its text as lowered."""
    happened = play([hook("a")], {"a": replaces("text", "x")})

    assert happened.decision.rewrite is None
    assert [(entry.effect, entry.hook) for entry in happened.decision.lowered] == [("text", "a")]


def test_a_rewrite_that_the_event_cannot_use_spares_the_one_that_it_can() -> None:
    """After a tool, a rewrite of the result counts, and one of the input is listed as lowered."""
    stage = Stage(row(kind="tool.after"))
    event = CALL.replace(kind="tool.after", body=ToolCall(tool="bash", input={}, result="secret"))
    script = {"a": replaces("output", "clean"), "b": patches(x=1)}
    happened = play(
        [hook("a", stage=stage), hook("b", stage=stage)], script, stage=stage, event=event
    )
    rewrite = happened.decision.rewrite

    assert rewrite is not None
    assert rewrite.to_dict() == {"output": "clean"}
    assert [(entry.effect, entry.hook) for entry in happened.decision.lowered] == [("input", "b")]


def test_the_original_event_is_left_alone() -> None:
    """What the caller holds is never changed."""
    play([hook("a"), hook("b")], {"a": patches(command="rm"), "b": replaces("input", {})})

    assert CALL.input == {"command": "ls", "depth": 1}
