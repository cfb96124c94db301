"""Counting how often a stop gate sent its agent back."""

from __future__ import annotations

import pytest

from hookline.core.guardrails import Redos
from hookline.model.verdict import Decision, Stance

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
