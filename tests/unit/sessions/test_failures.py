"""How are the failures of hooks counted, and what is kept of them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.sessions.memory import Failures, Memory
from hookline.sessions.store import Sessions

if TYPE_CHECKING:
    from pathlib import Path


def test_a_success_forgets_and_a_failure_adds_one() -> None:
    """Each hook by itself."""
    now = [1.0]
    memory = Memory(lambda: now[0])
    memory.record_failures(["a", "b"], ())
    memory.record_failures(["a"], ())
    now[0] = 9.0
    memory.record_failures(["a", "c"], ["b"])

    assert memory.failures() == {
        "a": Failures(count=3, at=9.0),
        "c": Failures(count=1, at=9.0),
    }


def test_the_hooks_that_failed_last_are_kept() -> None:
    """As many as fit."""
    memory = Memory(lambda: 1.0)
    memory.record_failures([f"h{number}" for number in range(300)], ())
    kept = memory.failures()

    assert (len(kept), "h299" in kept, "h0" in kept) == (256, True, False)


@pytest.mark.parametrize("lasting", [True, False])
def test_both_stores_count_alike(tmp_path: Path, *, lasting: bool) -> None:
    """In files and in memory; the files are read by the next process."""

    def opened() -> Sessions | Memory:
        return Sessions(tmp_path, clock=lambda: 5.0) if lasting else Memory(clock=lambda: 5.0)

    store = opened()
    store.record_failures(["a", "b"], ())
    store.record_failures(["a"], ["b"])
    store.record_failures((), ["unknown"])
    found = (opened() if lasting else store).failures()

    assert found == {"a": Failures(count=2, at=5.0)}
