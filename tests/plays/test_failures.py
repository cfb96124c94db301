"""Failures: what a hook without an answer means; it never counts as a yes."""

from __future__ import annotations

import math

import pytest

from hookline.model.event import Rewrite, ToolCall
from hookline.model.spec import Broken, Builtin, InProcess
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from tests.plays.play import CALL, DENIES, TIMED_OUT, Stage, hook, play, row


class Shy:
    """What cannot even show itself."""

    def __repr__(self) -> str:
        raise ValueError


ON_FAILURE = (Stance.SILENT, Stance.ASK, Stance.DENY)


@pytest.mark.parametrize("on_failure", ON_FAILURE)
@pytest.mark.parametrize("failure", Failure)
def test_every_failure_becomes_what_the_hook_says(failure: Failure, on_failure: Stance) -> None:
    """Whatever went wrong, the verdict is `on_failure`, with a fault that names it."""
    happened = play(
        [hook("a", on_failure=on_failure)], {"a": Outcome(failure=failure, detail="because")}
    )

    assert happened.decision.stance is on_failure
    assert happened.verdict("a").fault == f"{failure.value}: because"


def test_a_guard_that_fails_open_on_a_gate_is_reported() -> None:
    """The user is told that a hook failed."""
    happened = play([hook("a", name="guard")], {"a": TIMED_OUT})

    assert happened.decision.stance is Stance.SILENT
    assert happened.decision.for_user == ("hook `guard` failed: timed out",)


def test_a_failure_that_denies_says_why() -> None:
    """The reason names the hook and what went wrong."""
    happened = play([hook("a", on_failure=Stance.DENY)], {"a": TIMED_OUT})

    assert happened.decision.reason == "hook `a` failed: timed out"
    assert happened.decision.for_user == ()


def test_an_observer_that_fails_notifies_no_user() -> None:
    """Where nothing can be refused, a failure is in the verdict and not in the user's notes."""
    stage = Stage(row(kind="session.end"))
    happened = play(
        [hook("a", stage=stage)],
        {"a": TIMED_OUT},
        stage=stage,
        event=CALL.replace(kind="session.end"),
    )

    assert happened.decision.for_user == ()
    assert happened.verdict("a").fault == "timed out"


@pytest.mark.parametrize("on_failure", ON_FAILURE)
def test_a_broken_hook_is_not_run_and_not_forgotten(on_failure: Stance) -> None:
    """Every decision lists the hook that could not be loaded."""
    happened = play(
        [hook("a", handler=Broken(reason="line 3"), on_failure=on_failure)], {"a": DENIES}
    )

    assert happened.asked == []
    assert happened.decision.stance is on_failure
    assert happened.verdict("a").fault == "could not be loaded: line 3"


@pytest.mark.parametrize("on_failure", ON_FAILURE)
def test_an_untrusted_hook_is_not_run_and_not_forgotten(on_failure: Stance) -> None:
    """A hook without approval does not run, and its verdict says so."""
    happened = play([hook("a", trusted=False, on_failure=on_failure)], {"a": DENIES})
    fault = happened.verdict("a").fault

    assert happened.asked == []
    assert happened.decision.stance is on_failure
    assert fault is not None
    assert fault.startswith("not approved")


def test_an_untrusted_builtin_is_not_run_either() -> None:
    """Trust is of the source, not of the code behind a name."""
    handler = Builtin(name="add_date")

    assert play([hook("a", handler=handler)], {"a": DENIES}).asked == ["a"]
    assert play([hook("a", handler=handler, trusted=False)], {"a": DENIES}).asked == []


@pytest.mark.parametrize(
    "poison",
    [math.nan, math.inf, {1, 2}, object(), [[]] * 2],
    ids=["nan", "infinity", "set", "object", "a list, which is none"],
)
def test_a_payload_that_cannot_be_serialised_is_a_failure(poison: object) -> None:
    """The hook is not started with half a payload; its failure is decided as any other."""
    event = CALL.replace(body=ToolCall(tool="bash", input={"x": poison}))
    happened = play([hook("a", on_failure=Stance.DENY)], {}, event=event)
    serialisable = isinstance(poison, list)

    assert happened.asked == (["a"] if serialisable else [])
    assert happened.decision.stance is (Stance.SILENT if serialisable else Stance.DENY)


def test_a_payload_that_holds_itself_is_a_failure() -> None:
    """Circles and bottomless nesting end in the fault of the hook, not in an exception."""
    circle: list[object] = []
    circle.append(circle)
    happened = play(
        [hook("a", on_failure=Stance.DENY)],
        {},
        event=CALL.replace(body=ToolCall(tool="bash", input={"x": circle})),
    )
    fault = happened.verdict("a").fault

    assert fault is not None
    assert fault.startswith("payload cannot be serialised")


def test_a_hook_that_cannot_be_sent_its_payload_keeps_its_place() -> None:
    """In a parallel group each outcome stays with its hook, also when one hook does not run."""
    stage = Stage(row(parallel=True))
    cast = [hook("a"), hook("b", handler=Broken(reason="x")), hook("c")]
    happened = play(cast, {"c": DENIES}, stage=stage)

    assert happened.batches == [["a", "c"]]
    assert [(verdict.hook_id, verdict.stance.name) for verdict in happened.decision.verdicts] == [
        ("a", "SILENT"),
        ("b", "SILENT"),
        ("c", "DENY"),
    ]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (42, "returned 42, which is no verdict"),
        ("deny", "returned 'deny', which is no verdict"),
        (DENIES.replace(stance="deny"), "returned a verdict whose stance is 'deny'"),
        (DENIES.replace(reason=None), "returned a verdict whose reason is None"),
        (DENIES.replace(rewrite={"x": 1}), "returned a verdict whose rewrite is {'x': 1}"),
        (DENIES.replace(effects=None), "returned a verdict whose effects is None"),
        (
            Verdict(rewrite=Rewrite(target="input", value=[1], merge=True)),
            "returned a patch that is no object: [1]",
        ),
        (Shy(), "returned a Shy, which is no verdict"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_an_in_process_hook_returns_is_checked(answer: object, words: str) -> None:
    """Anything but a verdict as it should be is that hook's failure, not the dispatcher's."""
    happened = play(
        [hook("a", handler=InProcess(call=print), on_failure=Stance.ASK)],
        {"a": Outcome(answer=answer)},
    )

    assert happened.decision.stance is Stance.ASK
    assert happened.verdict("a").fault == words


def test_an_in_process_hook_that_returns_nothing_has_no_opinion() -> None:
    """None is silence, not a failure."""
    happened = play(
        [hook("a", handler=InProcess(call=print), on_failure=Stance.DENY)],
        {"a": Outcome(answer=None, seconds=0.25)},
    )

    assert happened.decision.stance is Stance.SILENT
    assert (happened.verdict("a").fault, happened.verdict("a").seconds) == (None, 0.25)
