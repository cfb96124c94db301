"""What one process knows of its sessions."""

from __future__ import annotations

import threading

import pytest

from hookline.core.deferred_results import DeferredResult
from hookline.model.event import Event
from hookline.sessions.memory import MOST_CHARACTERS, MOST_WAITING, Memory

EVENT = Event(kind="stop", dialect="d", native_name="Stop", session_id="s", cwd="/")


def test_a_redo_is_granted_and_counted_in_one_step() -> None:
    """Whichever thread asks.

    At the limit the caller gets the count, and adds none.
    """
    memory, had = Memory(), []
    threads = [
        threading.Thread(target=lambda: had.extend(memory.send_back(EVENT, 7) for _ in range(50)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(each or 0 for each in had) == [*range(7), *[7] * 393]


def test_a_stop_that_follows_none_begins_a_new_row() -> None:
    """If the host says that the agent was not sent back before it."""
    memory = Memory()
    had = [memory.send_back(EVENT, 2, follows=follows) for follows in (False, True, True, False)]

    assert had == [0, 1, 2, 0]


def test_redos_are_counted_until_the_turn_is_over() -> None:
    """The counter itself is `core.guardrails`."""
    memory = Memory()
    memory.send_back(EVENT, 0)
    memory.send_back(EVENT, 0)
    counted = memory.redos(EVENT)
    memory.settle(EVENT.replace(kind="prompt.submit"))

    assert (counted, memory.redos(EVENT)) == (2, 0)


def test_an_answer_is_handed_out_once_and_to_its_session() -> None:
    """In the order in which the hooks ended."""
    memory = Memory()
    for name in ("a", "b"):
        memory.keep(EVENT, DeferredResult(hook_id=name, for_agent="x"))

    assert memory.take(EVENT.replace(session_id="t"), wakes=False) == ([], {})
    assert memory.take(EVENT.replace(dialect="e"), wakes=False) == ([], {})
    assert [late.hook_id for late in memory.take(EVENT, wakes=False)[0]] == ["a", "b"]
    assert memory.take(EVENT, wakes=False) == ([], {})


def test_a_stop_takes_only_what_wakes() -> None:
    """The rest waits for the turn."""
    memory = Memory()
    memory.keep(EVENT, DeferredResult(hook_id="a", for_agent="x"))
    memory.keep(EVENT, DeferredResult(hook_id="b", wake="x"))

    assert [late.hook_id for late in memory.take(EVENT, wakes=True)[0]] == ["b"]
    assert [late.hook_id for late in memory.take(EVENT, wakes=False)[0]] == ["a"]


@pytest.mark.parametrize(
    ("count", "text"), [(MOST_WAITING + 3, "x"), (3, "x" * (MOST_CHARACTERS // 2))]
)
def test_the_oldest_fall_out_and_are_counted(count: int, text: str) -> None:
    """So many answers, and so many characters of them."""
    memory = Memory()
    for number in range(count):
        memory.keep(EVENT, DeferredResult(hook_id=f"h{number}", for_agent=text))
    lates, dropped = memory.take(EVENT, wakes=False)

    assert [late.hook_id for late in lates] == [
        f"h{number}" for number in range(len(dropped), count)
    ]
    assert dropped == {f"h{number}": 1 for number in range(count - len(lates))}
    assert dropped


def test_without_a_session_nothing_is_kept() -> None:
    """It could be of any session."""
    memory, unnamed = Memory(), EVENT.replace(session_id="")
    memory.keep(unnamed, DeferredResult(hook_id="a", for_agent="x"))

    assert memory.take(unnamed, wakes=False) == ([], {})


def test_the_sessions_that_were_used_last_are_known() -> None:
    """A process may live for ever."""
    memory = Memory()
    for number in range(257):
        each = EVENT.replace(session_id=f"s{number}")
        memory.send_back(each, 0)

    assert [memory.redos(EVENT.replace(session_id=name)) for name in ("s0", "s1", "s256")] == [
        0,
        1,
        1,
    ]


def test_hosts_count_apart_and_a_session_that_is_over_counts_no_more() -> None:
    """Two hosts may give the same id to their sessions."""
    memory = Memory()
    memory.send_back(EVENT, 0)
    other = memory.redos(EVENT.replace(dialect="e"))
    memory.settle(EVENT.replace(kind="session.end"), ends=True)

    assert (other, memory.redos(EVENT)) == (0, 0)


def test_threads_lose_no_count() -> None:
    """Two stops of one session at the same moment are two."""
    memory = Memory()
    threads = [
        threading.Thread(target=lambda: [memory.send_back(EVENT, 0) for _ in range(200)])
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert memory.redos(EVENT) == 1600


def test_a_hook_behind_an_event_without_a_session_is_said() -> None:
    """It is said while the event still waits."""
    memory = Memory()
    memory.prepare(EVENT)
    before = memory.problems
    memory.prepare(EVENT.replace(session_id=""))
    memory.prepare(EVENT.replace(session_id=""))

    assert before == ()
    assert [(problem.name, problem.severity) for problem in memory.problems] == [
        ("session.nameless", "warning")
    ]
