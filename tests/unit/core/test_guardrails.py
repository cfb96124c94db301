"""Counting how often a stop gate sent its agent back."""

from __future__ import annotations

import pytest

from hookline.core.dialect import EventRow, Table
from hookline.core.guardrails import (
    GATES,
    RedoCounts,
    cap_redo,
    find_agent,
    follows_redo,
    is_sent_back,
    is_spent,
    redo_limit,
)
from hookline.model.event import Event
from hookline.model.kinds import NAMES, kind
from hookline.model.verdict import Decision, Lowered, Stance, Verdict

BACK = Decision(
    kind="stop", dialect="d", native_event="Stop", stance=Stance.DENY, reason="test", redo=True
)
TOLD = BACK.replace(stance=Stance.SILENT, reason="", redo=False, for_agent=("look",))
CONTEXT_REDOES = EventRow(native="Stop", kind="stop", context_redoes=True)
FLAGGED = Table(name="d", rows={}, redo_flag="again")
UNKNOWN = "how often it was sent back before cannot be known"


def event(name: str, agent: str = "", **raw: object) -> Event:
    """An event of a session, or of one of its sub-agents."""
    return Event(
        kind=name,
        dialect="d",
        native_name=name,
        session_id="s",
        cwd="/",
        raw={**raw, **({"agent_id": agent} if agent else {})},
    )


STOP = event("stop")


def back(*events: Event) -> RedoCounts:
    """The counters after these sent their agents back."""
    counts = RedoCounts()
    for each in events:
        counts = counts.with_redo(each, counts.count(each))
    return counts


def test_the_gates_are_those_of_the_table_of_events() -> None:
    """They are the events at which a denial sends an agent back to work."""
    assert {name for name in NAMES if kind(name).redo} == GATES


def test_each_gate_is_counted_by_itself() -> None:
    """A sub-agent's gate is not the agent's, and one sub-agent's is not another's."""
    counts = back(STOP, STOP, event("subagent.stop", "a"), event("completion.claim"))

    assert [
        counts.count(each)
        for each in (STOP, event("subagent.stop", "a"), event("subagent.stop", "b"))
    ] == [2, 1, 0]


def test_a_stop_without_a_refusal_ends_the_turn() -> None:
    """It begins a new count.

    But not if the host says that it comes after a refused one.
    """
    counts = back(STOP, STOP)

    assert counts.with_stop(STOP).count(STOP) == 0
    assert counts.with_stop(STOP, follows=True).count(STOP) == 2
    assert (
        back(STOP, event("subagent.stop", "a")).with_stop(STOP).count(event("subagent.stop", "a"))
        == 1
    )


def had(counts: RedoCounts, *, follows: bool | None = False) -> int:
    """How many redos the series of a stop has."""
    return counts.count_before(STOP, follows=follows)


def test_a_stop_that_comes_after_none_begins_a_new_row() -> None:
    """If the host says so (docs/formats/claude-code.md 7: in a row)."""
    counts = back(STOP, STOP).with_redo(STOP, 2)

    assert [had(counts, follows=follows) for follows in (False, True, None)] == [0, 3, 3]


@pytest.mark.parametrize(
    "kind", ["prompt.submit", "prompt.steer", "turn.start", "session.start", "session.end"]
)
def test_a_new_turn_begins_a_new_count(kind: str) -> None:
    """A sub-agent's turn begins its own; the agent's, all of them."""
    counts = back(STOP, event("subagent.stop", "a"))

    assert counts.with_stop(event(kind)) == RedoCounts()
    if kind != "session.end":
        assert dict(counts.with_stop(event(kind, "a")).counts) == {"stop": 1}


@pytest.mark.parametrize("kind", ["tool.before", "notification", "turn.end"])
def test_other_events_leave_the_count_alone(kind: str) -> None:
    """What happens inside a turn does not make it a new one."""
    counts = back(STOP)

    assert counts.with_stop(event(kind)) is counts


def test_the_oldest_of_too_many_gates_are_forgotten() -> None:
    """Sub-agents come and go, each with a name of its own, which may be long."""
    agents = [event("subagent.stop", f"{at}" + "x" * 1000) for at in range(300)]
    counts = back(*agents)

    assert len(counts.counts) == 256
    assert (counts.count(agents[0]), counts.count(agents[-1])) == (0, 1)
    assert len({find_agent(each) for each in agents}) == 300
    assert max(map(len, counts.counts)) < 160


@pytest.mark.parametrize(
    ("raw", "table", "follows"),
    [
        ({"again": True}, FLAGGED, True),
        ({"again": False}, FLAGGED, False),
        ({"again": 0}, FLAGGED, False),
        ({"again": None}, FLAGGED, None),
        ({}, FLAGGED, None),
        ({"again": False}, FLAGGED.replace(redo_flag=""), None),
    ],
)
def test_a_reliable_host_says_what_a_stop_comes_after(
    raw: dict[str, object], table: Table, follows: bool | None
) -> None:
    """Only where its table says that it is reliable."""
    assert follows_redo(event("stop", **raw), table) is follows
    assert follows_redo(event("tool.before", **raw), table) is None


@pytest.mark.parametrize(
    ("own", "limit"),
    [
        ((), 3),
        ((None,), 3),
        ((5,), 5),
        ((None, 5), 5),
        ((None, 2), 3),
        ((1, 2), 2),
        ((0,), 0),
        ((2, 0), 0),
    ],
)
def test_the_most_generous_of_those_who_send_back_sets_the_limit(
    own: tuple[int | None, ...], limit: int
) -> None:
    """A hook that says nothing of its own has the host's; 0 is no limit."""
    decision = BACK.replace(
        verdicts=tuple(Verdict(stance=Stance.DENY, redo_limit=each) for each in own)
    )

    assert redo_limit(decision, 3) == limit


def test_who_does_not_send_back_has_no_say_in_the_limit() -> None:
    """Nor does a shadow hook."""
    others = (
        Verdict(stance=Stance.ALLOW, redo_limit=9),
        Verdict(stance=Stance.DENY, redo_limit=9, shadow=True),
    )

    assert (
        redo_limit(BACK.replace(verdicts=(Verdict(stance=Stance.DENY, redo_limit=1), *others)), 3)
        == 1
    )


@pytest.mark.parametrize(("count", "limit"), [(2, 3), (99, 0), (None, 0)])
def test_below_its_limit_a_decision_stands(count: int | None, limit: int) -> None:
    """0 is no limit."""
    assert cap_redo(BACK, count, limit) is BACK


@pytest.mark.parametrize(
    ("count", "why", "note"),
    [
        (
            3,
            "the limit of 3 redos in a turn is reached",
            "a hook sent the agent back 3 times in this turn, which is the limit; it may stop now",
        ),
        (None, UNKNOWN, f"a hook sent the agent back again, and {UNKNOWN}; it may stop now"),
    ],
)
def test_at_its_limit_the_agent_may_stop_and_that_is_said(
    count: int | None, why: str, note: str
) -> None:
    """Also if the count is unknown: a loop without a count is not entered."""
    capped = cap_redo(BACK, count, 3)

    assert (capped.stance, capped.reason, capped.redo, capped.for_user) == (
        Stance.SILENT,
        "",
        False,
        (note,),
    )
    assert capped.lowered == (Lowered(effect="deny", reason=why),)


def test_context_that_sends_the_agent_on_is_a_redo() -> None:
    """In dialects whose agent goes on for context (claude-code.md 7); a halt ends the turn."""
    capped = cap_redo(TOLD, 3, 3, CONTEXT_REDOES)

    assert [
        is_sent_back(TOLD, row)
        for row in (CONTEXT_REDOES, CONTEXT_REDOES.replace(context_redoes=False), None)
    ] == [True, False, False]
    assert not is_sent_back(TOLD.replace(stance=Stance.HALT), CONTEXT_REDOES)
    assert (capped.for_agent, [each.effect for each in capped.lowered]) == ((), ["context"])
    assert [
        each.effect
        for each in cap_redo(BACK.replace(for_agent=("x",)), 3, 3, CONTEXT_REDOES).lowered
    ] == ["deny", "context"]
    assert cap_redo(TOLD, 3, 3) is TOLD


def test_each_hook_that_lost_its_redo_is_named() -> None:
    """One that was only observed, or that had no objection, lost nothing."""
    verdicts = (
        Verdict(hook_id="first", stance=Stance.DENY),
        Verdict(hook_id="silent"),
        Verdict(hook_id="observed", stance=Stance.DENY, shadow=True),
        Verdict(hook_id="second", stance=Stance.DENY, for_agent="x"),
    )
    decision = BACK.replace(verdicts=verdicts, for_agent=("x",))

    lowered = cap_redo(decision, 3, 3, CONTEXT_REDOES).lowered

    assert [(each.effect, each.hook) for each in lowered] == [
        ("deny", "first"),
        ("deny", "second"),
        ("context", "second"),
    ]


def test_a_limit_that_others_exceeded_is_said_as_it_is() -> None:
    """Another hook may send the agent back more often than the one that does so now."""
    assert cap_redo(BACK, 5, 3).for_user == (
        "a hook sent the agent back 5 times in this turn, and the limit is 3; it may stop now",
    )


def test_who_has_used_up_its_own_limit_still_counts() -> None:
    """It is silent because of its limit, not because it agrees."""
    spent, shadow = Verdict(redo_limit=2), Verdict(redo_limit=2, shadow=True)

    assert [
        is_spent(TOLD.replace(verdicts=verdicts))
        for verdicts in ((spent,), (shadow,), (Verdict(),), ())
    ] == [
        True,
        False,
        False,
        False,
    ]
    assert not is_spent(BACK.replace(verdicts=(Verdict(stance=Stance.DENY, redo_limit=2),)))


def claim(goal: str) -> Event:
    """A claim that this goal is reached."""
    return event("completion.claim", goal=goal)


def test_each_goal_has_a_limit_of_its_own() -> None:
    """What was refused of one goal does not count for the next."""
    counts = back(claim("build"), claim("build"), claim("ship"))

    assert (counts.count(claim("build")), counts.count(claim("ship"))) == (2, 1)


@pytest.mark.parametrize("name", ["prompt.submit", "prompt.steer", "turn.start"])
def test_a_user_message_does_not_begin_a_new_count_of_a_goal(name: str) -> None:
    """The agent works on the same goal; a count of turns begins again."""
    counts = back(claim("build"), STOP).with_stop(event(name))

    assert (counts.count(claim("build")), counts.count(STOP)) == (1, 0)


@pytest.mark.parametrize("name", ["session.start", "session.end"])
def test_a_session_ends_the_count_of_its_goals(name: str) -> None:
    """The same goal in another session is another goal."""
    assert back(claim("build")).with_stop(event(name)).count(claim("build")) == 0


def test_an_accepted_claim_ends_its_count() -> None:
    """Only that of its own goal."""
    counts = back(claim("build"), claim("ship")).with_stop(claim("build"))

    assert (counts.count(claim("build")), counts.count(claim("ship"))) == (0, 1)


def test_the_user_learns_that_the_limit_is_that_of_a_goal() -> None:
    """Not of a turn."""
    capped = cap_redo(BACK.replace(kind="completion.claim"), 3, 3)

    assert capped.for_user == (
        "a hook sent the agent back 3 times for this goal, which is the limit; it may stop now",
    )
