"""How verdicts become one decision: stances, reasons, contexts, what a host cannot express."""

from __future__ import annotations

import pytest

from hookline.core.dialect import FoldRule
from hookline.core.guardrails import cap_redo
from hookline.model.event import Event, Stop
from hookline.model.verdict import Lowered, Stance, Verdict
from tests.plays.play import ALLOWS, ASKS, DENIES, GARBAGE, Stage, hook, play, row

AT_ONCE = Stage(row(parallel=True))
STOPS = Stage(row(kind="stop", body=Stop))
STOP = Event(kind="stop", dialect="stage", native_name="before", session_id="s1", body=Stop())
HALTS = Verdict(stance=Stance.HALT, reason="enough")


@pytest.mark.parametrize(
    ("lines", "stance", "reason"),
    [
        ((Verdict(), Verdict()), Stance.SILENT, ""),
        ((Verdict(), ALLOWS), Stance.ALLOW, "fine"),
        ((ASKS, ALLOWS), Stance.ASK, "sure?"),
        ((ALLOWS, DENIES), Stance.DENY, "no"),
        ((DENIES, ALLOWS), Stance.DENY, "no"),
        ((DENIES, HALTS), Stance.HALT, "enough"),
        ((DENIES.replace(reason="first"), DENIES.replace(reason="second")), Stance.DENY, "first"),
        ((DENIES.replace(reason=""), DENIES.replace(reason="second")), Stance.DENY, "second"),
        ((Verdict(reason="only talk"), Verdict()), Stance.SILENT, ""),
    ],
)
def test_the_strongest_stance_wins_and_the_first_of_equals_gives_the_reason(
    lines: tuple[Verdict, Verdict], stance: Stance, reason: str
) -> None:
    """A decision is as strong as its strongest verdict."""
    happened = play([hook("a"), hook("b")], dict(zip("ab", lines, strict=True)))

    assert (happened.decision.stance, happened.decision.reason) == (stance, reason)


def test_joined_reasons_stand_one_a_line() -> None:
    """Where the table joins them, a denial gives the reason of every denial, in plan order."""
    stage = Stage(row(parallel=True), fold=FoldRule(joins_reasons=True))
    script = {
        "a": DENIES.replace(reason="one"),
        "b": ASKS,
        "c": DENIES.replace(reason="two"),
        "d": DENIES.replace(reason=""),
    }
    happened = play([hook(name, stage=stage) for name in "abcd"], script, stage=stage)

    assert happened.decision.reason == "one\ntwo"


def test_a_denial_without_a_reason_leaves_it_to_the_next() -> None:
    """The first reason that is given counts."""
    stage = Stage(row(parallel=True))
    script = {"a": DENIES.replace(reason=""), "b": DENIES.replace(reason="two")}
    happened = play([hook(name, stage=stage) for name in "ab"], script, stage=stage)

    assert happened.decision.reason == "two"


@pytest.mark.parametrize(
    ("former", "latter", "united"),
    [
        (
            {"mode": "ANY", "names": ["a"]},
            {"mode": "AUTO", "names": ["b", "a"]},
            {"mode": "ANY", "names": ["a", "b"]},
        ),
        ({"mode": "AUTO"}, {"mode": "NONE"}, {"mode": "NONE"}),
        ({"names": ["a"]}, {"mode": "AUTO"}, {"names": ["a"], "mode": "AUTO"}),
        ({"mode": "AUTO"}, {"mode": "odd"}, {"mode": "odd"}),
        (["a"], ["b"], ["a", "b"]),
    ],
)
def test_a_union_takes_the_strongest_word_and_every_name(
    former: object, latter: object, united: object
) -> None:
    """Part by part; of two words without a rank the later one stays (docs/formats/gemini.md)."""
    stage = Stage(
        row(parallel=True, powers=frozenset({"tools"})),
        fold=FoldRule(unions={"tools": {"mode": ("AUTO", "ANY", "NONE")}}),
    )
    script = {"a": Verdict(effects={"tools": former}), "b": Verdict(effects={"tools": latter})}
    happened = play([hook(name, stage=stage) for name in "ab"], script, stage=stage)

    assert happened.decision.effects == {"tools": united}


def test_reasons_of_an_ask_are_not_joined() -> None:
    """Joining is for denials; a question is one question."""
    stage = Stage(fold=FoldRule(joins_reasons=True))
    script = {"a": ASKS.replace(reason="one"), "b": ASKS.replace(reason="two")}
    happened = play([hook(name, stage=stage) for name in "ab"], script, stage=stage)

    assert happened.decision.reason == "one"


def test_of_two_hooks_one_prints_garbage_and_the_other_blocks() -> None:
    """A hook that cannot be read takes nothing away from one that refuses."""
    for names in ("ab", "ba"):
        script = dict(zip(names, (GARBAGE, DENIES), strict=True))
        happened = play([hook("a"), hook("b")], script, stage=AT_ONCE)

        assert happened.decision.stance is Stance.DENY
        assert happened.decision.reason == "no"
        assert happened.verdict(names[0]).fault == "stdout cannot be read"


def test_contexts_and_notes_are_collected_in_order() -> None:
    """Every text for the model and for the user arrives, in plan order, empty ones left out."""
    script = {
        "a": Verdict(for_agent="one", for_user="eins"),
        "b": Verdict(),
        "c": Verdict(for_agent="two"),
    }
    happened = play([hook(name) for name in "abc"], script)

    assert happened.decision.for_agent == ("one", "two")
    assert happened.decision.for_user == ("eins",)


def test_effects_of_several_hooks_are_joined() -> None:
    """Lists are joined without repeats, objects are merged, of other values the last one stays."""
    stage = Stage(row(powers=frozenset({"watch", "env", "title"})))
    script = {
        "a": Verdict(effects={"watch": ["x", "y"], "env": {"A": "1", "B": "1"}, "title": "old"}),
        "b": Verdict(effects={"watch": ["y", "z"], "env": {"B": "2"}, "title": "new"}),
    }
    happened = play([hook(name, stage=stage) for name in "ab"], script, stage=stage)

    assert happened.decision.effects == {
        "watch": ["x", "y", "z"],
        "env": {"A": "1", "B": "2"},
        "title": "new",
    }


def test_two_values_of_an_exclusive_effect_are_a_denial() -> None:
    """A second value of an exclusive effect denies with the table's reason."""
    stage = Stage(
        row(powers=frozenset({"deny", "route"})),
        fold=FoldRule(exclusive={"route": "conflicting routes"}),
    )
    cast = [hook(name, stage=stage) for name in "ab"]
    to = {name: Verdict(effects={"route": name}) for name in "ab"}
    agreed = play(cast, {"a": to["a"], "b": to["a"]}, stage=stage).decision
    clashed = play(cast, to, stage=stage).decision

    assert (agreed.stance, agreed.effects) == (Stance.SILENT, {"route": "a"})
    assert (clashed.stance, clashed.reason, clashed.effects) == (
        Stance.DENY,
        "conflicting routes",
        {},
    )


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (({"x": 1}, {"x": 2, "y": 3}), {"x": 2, "y": 3}),
        (("weak", None), "weak"),
        (("weak", "strong"), "strong"),
        ((None, None), None),
    ],
)
def test_evidence_is_merged_or_the_strongest(
    evidence: tuple[object, object], expected: object
) -> None:
    """Evidence objects are merged; of other evidence the strongest verdict's counts."""
    script = {"a": ASKS.replace(evidence=evidence[0]), "b": DENIES.replace(evidence=evidence[1])}
    happened = play([hook("a"), hook("b")], script)

    assert happened.decision.evidence == expected


def test_the_first_retry_counts() -> None:
    """Of several delays the first in plan order is taken."""
    happened = play(
        [hook("a"), hook("b"), hook("c")],
        {"b": Verdict(retry_after=2.0), "c": Verdict(retry_after=9.0)},
    )

    assert happened.decision.retry_after == 2.0


def test_what_the_host_cannot_express_is_lowered_and_listed() -> None:
    """The decision leaves out effects beyond the row's powers, and lists them with their hooks."""
    stage = Stage(row(powers=frozenset({"deny"})))
    script = {
        "a": Verdict(for_agent="context", retry_after=1.0),
        "b": ASKS.replace(for_user="note", effects={"env": {}}),
    }
    decision = play([hook("a", stage=stage), hook("b", stage=stage)], script, stage=stage).decision

    assert (decision.stance, decision.reason, decision.for_agent, decision.for_user) == (
        Stance.DENY,
        "sure?",
        (),
        (),
    )
    assert (decision.retry_after, decision.effects) == (None, {})
    assert {(entry.effect, entry.hook) for entry in decision.lowered} == {
        ("ask", "b"),
        ("context", "a"),
        ("note", "b"),
        ("retry", "a"),
        ("env", "b"),
    }


def test_what_a_dialect_does_not_honour_is_listed() -> None:
    """The list also has effects that the hook's own dialect ignores."""
    decision = play([hook("a")], {"a": Verdict(unsupported=("teleport",))}).decision

    assert decision.lowered == (
        Lowered(
            effect="teleport",
            reason="the hook's own dialect does not honour it on this event",
            hook="a",
        ),
    )


@pytest.mark.parametrize(
    ("powers", "ask_becomes", "stance"),
    [
        ({"deny", "ask"}, Stance.DENY, Stance.ASK),
        ({"deny"}, Stance.DENY, Stance.DENY),
        ({"deny"}, Stance.SILENT, Stance.SILENT),
        (set(), Stance.DENY, Stance.SILENT),
    ],
)
def test_an_ask_becomes_what_the_table_says(
    powers: set[str], ask_becomes: Stance, stance: Stance
) -> None:
    """If the host cannot ask a user, the ask is lowered, or the table makes it a denial.

    If the host can ask, the ask stays.
    """
    stage = Stage(row(powers=frozenset(powers)), ask_becomes=ask_becomes)
    decision = play([hook("a", stage=stage)], {"a": ASKS}, stage=stage).decision

    assert decision.stance is stance


@pytest.mark.parametrize(
    ("kind", "stance"), [("tool.before", Stance.DENY), ("stop", Stance.SILENT)]
)
def test_a_halt_that_cannot_be_said_never_sends_the_agent_back(kind: str, stance: Stance) -> None:
    """Before a tool the nearest to a halt is a denial.

    At a stop gate a denial would say the opposite.
    """
    stage = Stage(row(kind=kind, body=Stop, powers=frozenset({"deny"})))
    event = STOP.replace(kind=kind)
    decision = play([hook("a", stage=stage)], {"a": HALTS}, stage=stage, event=event).decision

    assert decision.stance is stance
    assert not decision.redo
    assert [entry.effect for entry in decision.lowered] == ["halt"]


def test_a_denial_at_a_stop_gate_is_a_redo() -> None:
    """There a denial means: go on working, with the reason as the instruction."""
    decision = play(
        [hook("a", stage=STOPS)],
        {"a": DENIES.replace(reason="run the tests")},
        stage=STOPS,
        event=STOP,
    ).decision

    assert (decision.stance, decision.redo, decision.reason) == (Stance.DENY, True, "run the tests")


def test_a_denial_of_a_tool_is_no_redo() -> None:
    """Only a denial of a stop sends the agent back."""
    assert not play([hook("a")], {"a": DENIES}).decision.redo


def test_a_denial_that_the_stop_gate_cannot_say_is_no_redo() -> None:
    """What is not carried out does not count as sending the agent back."""
    stage = Stage(row(kind="stop", body=Stop, powers=frozenset({"note"})))
    decision = play([hook("a", stage=stage)], {"a": DENIES}, stage=stage, event=STOP).decision

    assert (decision.stance, decision.redo) == (Stance.SILENT, False)


@pytest.mark.parametrize(
    ("count", "limit", "redo"),
    [(0, 3, True), (2, 3, True), (3, 3, False), (9, 3, False), (9, 0, True), (0, 1, True)],
)
def test_redos_are_capped_with_a_notice(count: int, limit: int, *, redo: bool) -> None:
    """At the limit the agent may stop, the user is told, and the lost denial is listed.

    A limit of 0 is none.
    """
    decision = play([hook("a", stage=STOPS)], {"a": DENIES}, stage=STOPS, event=STOP).decision
    capped = cap_redo(decision, count, limit)

    assert capped.redo is redo
    assert (capped.stance is Stance.DENY) is redo
    assert bool(capped.for_user) is not redo
    assert [entry.effect for entry in capped.lowered] == ([] if redo else ["deny"])


def test_the_document_holds_every_verdict() -> None:
    """`to_dict` is the decision document of the contract, verdicts and all."""
    happened = play([hook("a"), hook("b")], {"a": DENIES.replace(exit_code=2), "b": ALLOWS})

    assert happened.decision.to_dict() == {
        "schema": "hookline.decision/1",
        "kind": "tool.before",
        "dialect": "stage",
        "native_event": "before",
        "stance": "deny",
        "decider": "a",
        "reason": "no",
        "evidence": None,
        "rewrite": None,
        "for_agent": [],
        "for_user": [],
        "labels": [],
        "warnings": [],
        "retry_after": None,
        "redo": False,
        "lowered": [],
        "seconds": 0.0,
        "verdicts": [
            {
                "hook": name,
                "stance": stance,
                "reason": reason,
                "rewrite": None,
                "for_agent": "",
                "for_user": "",
                "labels": [],
                "warnings": [],
                "fault": None,
                "exit_code": code,
                "seconds": 0.0,
                "shadow": False,
            }
            for name, stance, reason, code in (("a", "deny", "no", 2), ("b", "allow", "fine", None))
        ],
    }
