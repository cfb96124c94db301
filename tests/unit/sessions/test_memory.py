"""What one process knows of its sessions."""

from __future__ import annotations

import threading

import pytest

from hookline.core.late import Late
from hookline.model.event import Event
from hookline.sessions.memory import MOST_CHARACTERS, MOST_WAITING, Memory

EVENT = Event(kind="stop", dialect="d", native_name="Stop", session_id="s", cwd="/")


def test_redos_are_counted_until_the_turn_is_over() -> None:
    """The counter itself is `core.guardrails`."""
    memory = Memory()
    memory.settle(EVENT, back=True)
    memory.settle(EVENT, back=True)
    counted = memory.redos(EVENT)
    memory.settle(EVENT.replace(kind="prompt.submit"), back=False)

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


def test_the_sessions_that_were_used_last_are_known() -> None:
    """Of counts and of facts: a process may live for ever."""
    memory = Memory()
    for number in range(257):
        each = EVENT.replace(session_id=f"s{number}")
        memory.settle(each, back=True)
        memory.remember(each, "n", number)

    assert [memory.redos(EVENT.replace(session_id=name)) for name in ("s0", "s1", "s256")] == [0, 1, 1]
    assert [memory.facts(EVENT.replace(session_id=name)) for name in ("s0", "s256")] == [{}, {"n": 256}]


def test_hosts_count_apart_and_a_session_that_is_over_counts_no_more() -> None:
    """Two hosts may give the same id to their sessions."""
    memory = Memory()
    memory.settle(EVENT, back=True)
    other = memory.redos(EVENT.replace(dialect="e"))
    memory.settle(EVENT.replace(kind="session.end"), back=False, ends=True)

    assert (other, memory.redos(EVENT)) == (0, 0)


def test_threads_lose_no_count() -> None:
    """Two stops of one session at the same moment are two."""
    memory = Memory()
    threads = [threading.Thread(target=lambda: [memory.settle(EVENT, back=True) for _ in range(200)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert memory.redos(EVENT) == 1600


def test_a_hook_behind_an_event_without_a_session_is_said() -> None:
    """While somebody can still be told."""
    memory = Memory()
    memory.prepare(EVENT)
    before = memory.problems
    memory.prepare(EVENT.replace(session_id=""))
    memory.prepare(EVENT.replace(session_id=""))

    assert before == ()
    assert [(problem.name, problem.severity) for problem in memory.problems] == [("session.nameless", "warning")]
