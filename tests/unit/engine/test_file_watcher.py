"""Watching: reloads files once they are stable; a half-written file disables no hook."""

from __future__ import annotations

import queue
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline import Engine
from hookline.engine.reload import Watcher, is_stale
from tests.unit.engine.files import (
    BROKEN,
    Machine,
    claude,
    commands,
    docker,
    renamed_over,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A home and a project."""
    return Machine(tmp_path)


class Steps:
    """A clock for which each wait does the next step; after the last one nothing changes."""

    def __init__(
        self, *steps: Callable[[], object], last: Callable[[], object] | None = None
    ) -> None:
        self.left = list(steps)
        self.last = last
        self.waited: list[float] = []

    def __call__(self, seconds: float) -> bool:
        self.waited.append(seconds)
        if self.left:
            self.left.pop(0)()
        elif self.last is not None:
            self.last()
        return False


# -- coming to rest --------------------------------------------------------------------------------


def test_a_file_that_is_empty_while_it_is_saved_is_not_taken_empty(tmp_path: Path) -> None:
    """Some editors truncate and write.

    To this dialect an empty file and half a file are valid, and hold fewer guards.
    """
    file = write(tmp_path / "hooks.yaml", docker("guard", "other"))
    engine = Engine.load(file)
    whole = docker("guard", "new")
    write(file, "")
    told: list[str] = []
    steps = Steps(
        lambda: write(file, whole[: whole.index("- type", 70)]), lambda: write(file, whole)
    )
    watcher = Watcher(engine.loader, tell=told.append, settle=0.5, wait=steps)

    assert watcher.check() is not None
    assert commands(engine) == ["guard", "new"]
    assert steps.waited == [0.5, 0.5, 0.5]
    assert told == ["reloaded: 1 added, 1 removed"]


def test_a_file_that_stays_empty_is_an_empty_set(tmp_path: Path) -> None:
    """The user emptied it on purpose."""
    file = write(tmp_path / "hooks.yaml", docker("guard"))
    engine = Engine.load(file)
    write(file, "hooks: {}\n")
    Watcher(engine.loader, wait=Steps()).check()

    assert commands(engine) == []


def test_a_file_that_is_away_while_it_is_saved_is_not_missed(machine: Machine) -> None:
    """Some editors move the old one aside and write a new one."""
    write(machine.user, claude("guard"))
    engine = machine.engine()
    machine.user.rename(machine.user.with_suffix(".bak"))
    seen: list[list[str]] = []
    steps = Steps(
        lambda: (seen.append(commands(engine)), write(machine.user, claude("guard", "new")))
    )
    Watcher(engine.loader, wait=steps).check()

    assert seen == [["guard"]]
    assert commands(engine) == ["guard", "new"]


def test_a_file_that_never_rests_holds_up_no_other(machine: Machine) -> None:
    """Otherwise a project could keep a new guard of the user out for ever."""
    write(machine.own, claude("busy"))
    engine = machine.engine()
    write(machine.user, claude("guard"))
    count = iter(range(1000))
    watcher = Watcher(
        engine.loader,
        wait=Steps(last=lambda: write(machine.own, claude(*["x"] * (1 + next(count))))),
    )
    watcher.check()

    assert commands(engine)[:2] == ["guard", "x"]
    assert not is_stale(engine.loader)


def test_nothing_is_done_where_nothing_changed(machine: Machine) -> None:
    """The watcher only looks at the files."""
    write(machine.user, claude("guard"))
    steps = Steps()

    assert Watcher(machine.engine().loader, wait=steps).check() is None
    assert steps.waited == []


def test_a_refusal_is_told_once(machine: Machine) -> None:
    """The next message comes with the next different refusal."""
    write(machine.user, claude("guard"))
    engine = machine.engine()
    told: list[str] = []
    watcher = Watcher(engine.loader, tell=told.append, wait=Steps())
    write(machine.user, BROKEN)
    watcher.check()
    watcher.reload()
    write(machine.own, claude("b"))
    watcher.check()

    assert len(told) == 2
    assert told[0].startswith(f"reloaded: no hook changed; {machine.user}:1:")
    assert "HKL1010 the last good version of" in told[0]
    assert told[1].startswith("reloaded: 1 added; ")
    assert all("\n" not in line for line in told)


def test_a_stop_leaves_a_half_written_file_out(machine: Machine) -> None:
    """A half-written file at the end changes nothing."""
    engine = machine.engine()
    write(machine.user, claude("a"))

    assert Watcher(engine.loader, wait=lambda _: True).check() is None
    assert commands(engine) == []


def test_a_fault_is_told_once_and_ends_nothing(machine: Machine) -> None:
    """The thread goes on, and so do the hooks that were in force."""
    engine = machine.engine()
    write(machine.user, claude("a"))
    told: queue.Queue[str] = queue.Queue()
    faults = [ArithmeticError("one"), ArithmeticError("one"), None]

    def failing() -> Any:
        fault = faults.pop(0)
        if fault is not None:
            raise fault
        return engine.reload()

    with Watcher(engine.loader, tell=told.put, settle=0.001, interval=0.001, reload=failing):
        first, second = told.get(timeout=20), told.get(timeout=20)

    assert first == "HKL9001 cannot reload, and what was in force stays so: ArithmeticError: one"
    assert second == "reloaded: 1 added"


# -- real files, a real thread ---------------------------------------------------------------------


def until_told(told: queue.Queue[str], save: Callable[[], object]) -> str:
    """What is reported after a save; the file is saved again if no report comes."""
    for _ in range(100):
        save()
        try:
            return told.get(timeout=0.5)
        except queue.Empty:
            continue
    pytest.fail("nothing was told")


def test_real_files_are_taken_as_they_change(machine: Machine) -> None:
    """Files that are written, broken, repaired, in a new folder, and removed."""
    write(machine.user, claude("guard"))
    engine = machine.engine()
    told: queue.Queue[str] = queue.Queue()
    with hookline.watching(engine, tell=told.put, settle=0.05, interval=0.01):
        lines = [until_told(told, save) for save in _life(machine)]
        after = commands(engine)
    write(machine.user, claude("too late"))

    assert [line.partition("; ")[0] for line in lines] == [
        "reloaded: 1 added, 1 removed", "reloaded: no hook changed", "reloaded: 1 added",
        "reloaded: 1 added", "reloaded: 1 removed",
    ]  # fmt: skip
    assert after == commands(engine) == ["b", "c"]


def _life(machine: Machine) -> Iterator[Callable[[], object]]:
    yield lambda: renamed_over(machine.user, claude("b"))
    yield lambda: write(machine.user, BROKEN)
    yield lambda: write(machine.user, claude("b", "c"))
    yield lambda: write(machine.own, claude("d"))
    yield lambda: (
        write(machine.own, claude("e")),
        machine.own.unlink(),
    )  # something happens also where it is gone already


def test_a_watcher_that_was_stopped_can_start_again(machine: Machine) -> None:
    """One thread, however often it is started."""
    watcher = hookline.watching(machine.engine())
    with watcher:
        thread = watcher.start()._thread
    again = watcher.start()

    assert again is watcher
    assert thread is not None
    assert not thread.is_alive()
    assert watcher._thread is not thread
    watcher.stop()
    watcher.stop()
    assert watcher._thread is None
