"""Waits grow to their bound, and differ by chance."""

from __future__ import annotations

import pytest

from hookline.remote.backoff import Backoff


@pytest.mark.parametrize(
    ("chance", "waits"),
    [(0.0, [0.5, 1, 2, 2, 2]), (1.0, [1, 2, 4, 4, 4]), (0.5, [0.75, 1.5, 3, 3, 3])],
)
def test_waits_double_to_their_bound(chance: float, waits: list[float]) -> None:
    """At least a half of each is certain."""
    backoff = Backoff(first=1, most=4, chance=lambda: chance)

    assert [backoff.next() for _ in waits] == waits


def test_what_worked_begins_anew() -> None:
    """The next wait is a short one again."""
    backoff = Backoff(first=1, chance=lambda: 1.0)
    for _ in range(100):
        backoff.next()
    backoff.reset()

    assert backoff.next() == 1


def test_chance_is_chance() -> None:
    """Many that lost the same engine do not come back all at once."""
    assert len({Backoff().next() for _ in range(20)}) > 1


def test_the_longest_wait_is_short() -> None:
    """An engine that was started anew has its guards back within so many seconds."""
    backoff = Backoff(chance=lambda: 1.0)

    assert max(backoff.next() for _ in range(100)) == 5
