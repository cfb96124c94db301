"""Counting how often a stop gate sent its agent back."""

from __future__ import annotations

import pytest

from hookline.core.guardrails import Redos, redo_limit
from hookline.model.verdict import Decision, Stance, Verdict

BACK = Decision(kind="stop", dialect="d", native_event="Stop", stance=Stance.DENY, redo=True)


def test_each_gate_of_each_session_is_counted_by_itself() -> None:
    """One session's redos are not another's, and a sub-agent's gate is not the agent's."""
    counts = Redos().after("s1", BACK).after("s1", BACK).after("s2", BACK).after("s1", BACK.replace(kind="subagent.stop"))

    assert [counts.count(*key) for key in (("s1", "stop"), ("s2", "stop"), ("s1", "subagent.stop"), ("s3", "stop"))] == [2, 1, 1, 0]


def test_a_decision_that_lets_the_agent_stop_is_not_counted() -> None:
    """Only sending back counts."""
    counts = Redos().after("s1", BACK.replace(redo=False, stance=Stance.SILENT))

    assert counts.count("s1", "stop") == 0


@pytest.mark.parametrize("kind", ["prompt.submit", "prompt.steer", "turn.start", "session.start", "session.end"])
def test_a_new_turn_begins_a_new_count(kind: str) -> None:
    """Of its own session only."""
    counts = Redos().after("s1", BACK).after("s2", BACK).after("s1", BACK.replace(kind=kind, redo=False))

    assert (counts.count("s1", "stop"), counts.count("s2", "stop")) == (0, 1)


@pytest.mark.parametrize("kind", ["tool.before", "notification", "turn.end"])
def test_other_events_leave_the_count_alone(kind: str) -> None:
    """What happens inside a turn does not make it a new one."""
    counts = Redos().after("s1", BACK)

    assert counts.after("s1", BACK.replace(kind=kind, redo=False)) is counts


def test_an_ended_session_takes_no_memory() -> None:
    """Nothing is kept of sessions that are over."""
    counts = Redos()
    for at in range(10):
        counts = counts.after(f"s{at}", BACK).after(f"s{at}", BACK.replace(kind="session.end", redo=False))

    assert counts == Redos()


@pytest.mark.parametrize(
    ("own", "limit"), [((), 3), ((None,), 3), ((5,), 5), ((None, 5), 5), ((None, 2), 3), ((1, 2), 2), ((0,), 0), ((2, 0), 0)]
)
def test_the_most_generous_of_those_who_send_back_sets_the_limit(own: tuple[int | None, ...], limit: int) -> None:
    """A hook that says nothing of its own has the host's; 0 is no limit."""
    decision = BACK.replace(verdicts=tuple(Verdict(stance=Stance.DENY, redo_limit=each) for each in own))

    assert redo_limit(decision, 3) == limit


def test_who_does_not_send_back_has_no_say_in_the_limit() -> None:
    """Nor who is only observed."""
    others = (Verdict(stance=Stance.ALLOW, redo_limit=9), Verdict(stance=Stance.DENY, redo_limit=9, shadow=True))

    assert redo_limit(BACK.replace(verdicts=(Verdict(stance=Stance.DENY, redo_limit=1), *others)), 3) == 1
