"""Lock: it is taken when it is free, waited for as long as is said, and tried at least once."""

from __future__ import annotations

import fcntl
import time
from typing import TYPE_CHECKING

import pytest

from hookline.errors import JournalError
from hookline.journal.lock import JournalLock
from hookline.journal.log_files import LogFiles
from tests.unit.journal.support import written

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("wait", "told"), [(0.0, "another process holds"), (0.02, "has held .* for 0.02 s")]
)
def test_a_lock_that_is_held_is_given_up(wait: float, told: str, tmp_path: Path) -> None:
    """After the time that is said, and with words for it."""
    folder = written(tmp_path / "j", 1)
    trail = LogFiles(str(folder))
    began = time.monotonic()
    with (folder / "head").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(JournalError, match=told) as caught, JournalLock(trail, wait):
            pass

    assert caught.value.name == "journal.busy"
    assert wait <= time.monotonic() - began < 1.0


def test_a_lock_that_is_free_needs_no_time(tmp_path: Path) -> None:
    """And is free again afterwards, for threads and for processes."""
    trail = LogFiles(str(written(tmp_path / "j", 1)))
    for _ in range(2):
        with JournalLock(trail, 0.0):
            pass

    assert not trail.mutex.locked()
