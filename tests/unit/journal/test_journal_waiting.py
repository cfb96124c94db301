"""Backlog: nobody waits for a trail that is held, and what waits is written in its order, or said to be lost."""

from __future__ import annotations

import asyncio
import fcntl
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline.journal import journal as journal_module
from hookline.journal.journal import Journal
from hookline.journal.log_files import LogFiles
from tests.unit.journal.support import kind_of_break, records, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Desk:
    """A journal with a clock of its own, whose log files another process may hold."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, **chosen: Any) -> None:
        self.folder = written(folder, 1)
        self.now = 100.0
        monkeypatch.setattr(journal_module, "monotonic", lambda: self.now)
        self.waits: list[float] = []
        files = LogFiles(str(folder), **chosen)
        append = files.append

        def counted(given: Any, *, at: str, wait: float | None = None) -> Any:
            self.waits.append(-1.0 if wait is None else wait)
            return append(given, at=at, wait=wait)

        files.append = counted  # type: ignore[method-assign]  # to see how long it is to wait
        self.journal = Journal(files)

    def write(self, text: object) -> bool:
        """Write a note; return whether it is written now."""
        return self.journal.note("x", text=text)

    @property
    def troubles(self) -> list[str]:
        """The names of the problems."""
        return [problem.name for problem in self.journal.problems]

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock, as a process does that was stopped."""
        with (self.folder / "head").open("rb") as head:
            fcntl.flock(head, fcntl.LOCK_EX)
            yield

    def texts(self) -> list[object]:
        """What stands in the trail behind its first record."""
        return [record["text"] for record in records(self.folder)][1:]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """One whose log files wait for a hundredth of a second."""
    return Desk(tmp_path / "j", monkeypatch, wait=0.01)


def test_what_waits_is_written_before_the_next_record(desk: Desk) -> None:
    """In its order, each once."""
    with desk.held():
        assert [desk.write("a"), desk.write("b"), desk.write("c")] == [False] * 3
    assert desk.write("d")

    assert (desk.texts(), desk.journal.lost) == (["a", "b", "c", "d"], 0)
    assert (desk.troubles, kind_of_break(desk.folder)) == (["journal.busy"], "")


def test_nobody_waits_for_some_seconds_after_it_was_held(desk: Desk) -> None:
    """Then somebody does once more; and as before, as soon as a record was written."""
    with desk.held():
        desk.write("a")
        desk.write("b")
        desk.now += 6
        desk.write("c")
        desk.write("d")
    desk.write("e")
    desk.write("f")

    assert desk.waits == [0.01, 0.0, 0.01, 0.0, *[0.0] * 5, 0.01]
    assert desk.texts() == list("abcdef")


def test_an_event_loop_hardly_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Because everything else on it would wait as well."""
    desk = Desk(tmp_path / "j", monkeypatch, wait=30.0)

    async def write() -> bool:
        return desk.write("a")

    with desk.held():
        assert not asyncio.run(write())
    assert desk.waits == [0.05]


def test_it_is_waited_for_at_the_end(desk: Desk) -> None:
    """And what could not be written even then is told."""
    with desk.held():
        desk.write("a")
        desk.write("b")
        desk.journal.close()
        assert desk.troubles == ["journal.busy", "journal.lost"]
    desk.journal.close()

    assert (desk.waits, desk.texts()) == ([0.01, 0.0, 0.01, 0.01, 0.01], ["a", "b"])


def test_the_oldest_fall_out_where_too_many_wait(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is told, with how many they are."""
    monkeypatch.setattr(journal_module, "_MOST_WAITING", 3)
    with desk.held():
        for text in "abcdef":
            desk.write(text)
        assert "the buffer is full, and 1 records are lost" in desk.journal.problems[-1].message
    desk.write("g")

    assert (desk.journal.lost, desk.texts()) == (3, list("defg"))


def test_what_cannot_be_written_is_lost_and_nothing_behind_it(desk: Desk) -> None:
    """It is counted once, and not tried again."""
    with desk.held():
        desk.write("a")
        desk.write(float("nan"))

    assert desk.write("b")
    assert desk.texts() == ["a", "nan", "b"]


def test_a_thread_that_may_not_wait_leaves_it_to_the_one_that_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That one finds it before it is done."""
    desk = Desk(tmp_path / "j", monkeypatch, wait=30.0)

    async def write() -> bool:
        return desk.write("b")

    with desk.held():
        waiting = threading.Thread(target=lambda: desk.write("a"))
        waiting.start()
        while not desk.waits:
            time.sleep(0.001)
        assert not asyncio.run(write())
    waiting.join(30)

    assert (desk.texts(), desk.troubles) == (["a", "b"], [])


def test_a_fork_writes_nothing_of_what_its_parent_waits_for(desk: Desk) -> None:
    """Else it would be there twice."""
    with desk.held():
        desk.write("a")
        child = os.fork()
        if not child:
            desk.journal.close()
            os._exit(len(desk.troubles) - 1)
        assert os.waitpid(child, 0)[1] == 0
    desk.write("b")

    assert desk.texts() == ["a", "b"]


# -- as an engine sees it --------------------------------------------------------------------------


async def _six(engine: hookline.Engine) -> list[str]:
    call = {"tool": "shell", "input": {}}
    return [
        (await each).stance.name
        for each in [
            asyncio.ensure_future(engine.fire_async("tool.before", call)) for _ in range(6)
        ]
    ]


def test_a_verdict_does_not_depend_on_who_holds_the_journal(tmp_path: Path) -> None:
    """A hook that takes less than its limit is in time, though six events are told of meanwhile.

    Nothing of it is lost.
    """
    told: list[str] = []
    folder = written(tmp_path / "j", 1)
    journal = Journal.open(str(folder), tell=told.append)
    engine = hookline.Engine(journal=journal)

    @engine.on("tool.before", timeout=1.0, on_failure=hookline.Stance.DENY)
    async def slow(_: object) -> None:
        await asyncio.sleep(0.2)

    began = time.monotonic()
    with (folder / "head").open("rb") as head:
        fcntl.flock(head, fcntl.LOCK_EX)
        assert asyncio.run(_six(engine)) == ["SILENT"] * 6
        assert time.monotonic() - began < 1.0
        assert ["HKL6002" in line for line in told] == [True]
        assert "when the lock is free" in told[0]
    engine.close()

    assert (len(records(folder)), journal.lost, kind_of_break(folder)) == (13, 0, "")


def test_what_waits_when_all_ends_is_told(tmp_path: Path) -> None:
    """Each time that it is closed, because each may be the last."""
    told: list[str] = []
    folder = written(tmp_path / "j", 1)
    journal = Journal.open(str(folder), tell=told.append, wait=0.01)
    with (folder / "head").open("rb") as head:
        fcntl.flock(head, fcntl.LOCK_EX)
        journal.note("x")
        journal.close()
        journal.close()
    journal.close()

    assert ["HKL6011 another process holds the lock" in line for line in told] == [
        False,
        True,
        True,
    ]
    assert len(records(folder)) == 2
