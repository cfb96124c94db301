"""What one process knows of its sessions."""

from __future__ import annotations

import pytest

from hookline.core.late import Late
from hookline.model.event import Event
from hookline.model.verdict import Decision, Stance
from hookline.sessions.memory import MOST_CHARACTERS, MOST_WAITING, Memory

EVENT = Event(kind="stop", dialect="d", native_name="Stop", session_id="s", cwd="/")
BACK = Decision(kind="stop", dialect="d", native_event="Stop", stance=Stance.DENY, redo=True)


def test_redos_are_counted_until_the_turn_is_over() -> None:
    """The counter itself is `core.guardrails`."""
    memory = Memory()
    memory.settle(EVENT, BACK, ends=False)
    memory.settle(EVENT, BACK, ends=False)
    counted = memory.redos(EVENT)
    memory.settle(EVENT.replace(kind="prompt.submit"), BACK.replace(kind="prompt.submit", redo=False), ends=False)

    assert (counted, memory.redos(EVENT)) == (2, 0)


def test_an_answer_is_handed_out_once_and_to_its_session() -> None:
    """In the order in which the hooks ended."""
    memory = Memory()
    for name in ("a", "b"):
        memory.keep(EVENT, Late(hook_id=name, for_agent="x"))

    assert memory.take(EVENT.replace(session_id="t"), wakes=False) == ([], {})
    assert memory.take(EVENT.replace(dialect="e"), wakes=False) == ([], {})
    assert [late.hook_id for late in memory.take(EVENT, wakes=False)[0]] == ["a", "b"]
    assert memory.take(EVENT, wakes=False) == ([], {})


def test_a_stop_takes_only_what_wakes() -> None:
    """The rest waits for the turn."""
    memory = Memory()
    memory.keep(EVENT, Late(hook_id="a", for_agent="x"))
    memory.keep(EVENT, Late(hook_id="b", wake="x"))

    assert [late.hook_id for late in memory.take(EVENT, wakes=True)[0]] == ["b"]
    assert [late.hook_id for late in memory.take(EVENT, wakes=False)[0]] == ["a"]


@pytest.mark.parametrize(("count", "text"), [(MOST_WAITING + 3, "x"), (3, "x" * (MOST_CHARACTERS // 2))])
def test_the_oldest_fall_out_and_are_counted(count: int, text: str) -> None:
    """So many answers, and so many characters of them."""
    memory = Memory()
    for number in range(count):
        memory.keep(EVENT, Late(hook_id=f"h{number}", for_agent=text))
    lates, dropped = memory.take(EVENT, wakes=False)

    assert [late.hook_id for late in lates] == [f"h{number}" for number in range(len(dropped), count)]
    assert dropped == {f"h{number}": 1 for number in range(count - len(lates))}
    assert dropped


def test_without_a_session_nothing_is_kept() -> None:
    """It could be anybody's."""
    memory, nobody = Memory(), EVENT.replace(session_id="")
    memory.keep(nobody, Late(hook_id="a", for_agent="x"))
    memory.remember(nobody, "branch", "main")

    assert (memory.take(nobody, wakes=False), memory.facts(nobody)) == (([], {}), {})


def test_facts_are_a_sessions_own() -> None:
    """One is replaced by another of its name, and forgotten by None."""
    memory = Memory()
    memory.remember(EVENT, "branch", "main")
    memory.remember(EVENT, "count", 1)
    memory.remember(EVENT, "count", None)

    assert memory.facts(EVENT) == {"branch": "main"}
    assert memory.facts(EVENT.replace(session_id="t")) == {}


def test_sessions_that_nobody_returns_to_make_room() -> None:
    """And are told, if somebody does."""
    memory = Memory()
    for number in range(257):
        memory.keep(EVENT.replace(session_id=f"s{number}"), Late(hook_id="a", for_agent="x"))

    assert memory.take(EVENT.replace(session_id="s0"), wakes=False) == ([], {"a": 1})
    assert [late.hook_id for late in memory.take(EVENT.replace(session_id="s1"), wakes=False)[0]] == ["a"]
