"""Kills: writers die at random points, and nothing that was committed is lost.

A writer announces the number of each record once `append` has returned. HOOKLINE_KILLS says how
often one is killed; the order of work asks for a thousand, of which the suite does a part.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from hookline.journal.log_files import LogFiles
from tests.unit.journal.support import AT, ROOT, checked, kind_of_break, records

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
KILLS = int(os.environ.get("HOOKLINE_KILLS", "40"))
AT_ONCE = 3
_NUMBER = re.compile(rb"(\d+)\n")


def _write_for_ever(folder: str, announce: int, drawn: random.Random) -> None:
    trail = LogFiles(folder, largest=1_000_000, wait=30.0, keep_bytes=0)
    while True:
        text = "x" * drawn.choice((0, 10, 300, 5000))
        head = trail.append(
            [{"type": "note", "at": AT, "text": text}] * drawn.choice((1, 1, 3)), at=AT
        )
        os.write(announce, b"%d\n" % head.seq)


def _start(folder: str, drawn: random.Random) -> tuple[int, int]:
    """A writer and the pipe on which it announces."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reads)
            _write_for_ever(folder, writes, drawn)
        finally:
            os._exit(1)
    os.close(writes)
    return child, reads


def _killed(child: int, reads: int, drawn: random.Random) -> set[int]:
    """Kill a writer after it announced something and a random moment.

    The numbers that it announced.
    """
    said = os.read(reads, 65536)
    for _ in range(drawn.randrange(3000)):  # a moment that is not a multiple of anything
        pass
    os.kill(child, signal.SIGKILL)
    while more := os.read(reads, 65536):
        said += more
    os.close(reads)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    return {int(number) for number in _NUMBER.findall(said)}


def test_what_was_committed_survives_every_kill(tmp_path: Path) -> None:
    """Every announced record is there, the chain is whole, and torn lines are reported."""
    drawn = random.Random(20261121)  # noqa: S311 - to be repeated
    folder = str(tmp_path / "j")
    announced: set[int] = set()
    for round_ in range(0, KILLS, AT_ONCE):
        running = [
            # Moments of kills need no secrecy.
            _start(folder, random.Random(round_ * 10 + at))  # noqa: S311
            for at in range(min(AT_ONCE, KILLS - round_))
        ]
        for child, reads in running:
            found = _killed(child, reads, drawn)
            assert not announced & found
            announced |= found

    LogFiles(folder).append([{"type": "note", "at": AT}], at=AT)
    there = {record["seq"] for record in records(tmp_path / "j")}
    assert kind_of_break(tmp_path / "j") == ""
    assert len(announced) >= KILLS
    assert announced - there == set()
    assert there == set(range(1, len(there) + 1))
    assert checked(tmp_path / "j").last == len(there)


def test_a_killed_writer_holds_no_lock(tmp_path: Path) -> None:
    """The next one writes at once."""
    child, reads = _start(str(tmp_path / "j"), random.Random(1))  # noqa: S311 - to be repeated
    _killed(child, reads, random.Random(2))  # noqa: S311 - as above

    assert (
        LogFiles(str(tmp_path / "j"), wait=0.5).append([{"type": "note", "at": AT}], at=AT).seq > 1
    )
    assert records(tmp_path / "j")[0]["seq"] == 1


def test_make_kill_runs_both() -> None:
    """Approvals and the journal, a thousand times each."""
    told = subprocess.run(
        ["make", "-n", "kill"],  # noqa: S607 - found on PATH, as its users find it
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert "HOOKLINE_KILLS=1000" in told
    assert "tests/unit/journal/test_kills.py" in told
    assert "tests/unit/trust/test_store.py" in told
