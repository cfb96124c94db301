"""Hooks that run once in a session, whichever of its processes comes first."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline import Engine, Sessions
from hookline.engine.session_limits import make_mark
from hookline.model.spec import Command, HookSpec, InProcess

if TYPE_CHECKING:
    from pathlib import Path

SPEC = HookSpec(
    id="h", dialect="d", kind="stop", native_event="Stop", once=True, handler=Command(script="a")
)


def an_engine(sessions: Sessions, ran: list[str], name: str = "", *, fails: bool = False) -> Engine:
    """One process: a hook that is to run once, beside one that always does."""
    engine = Engine(sessions=sessions)

    @engine.on("prompt.submit", name="once", once=True)
    def once(_: object) -> object:
        ran.append(name)
        if fails:
            raise ValueError
        return hookline.context("hello")

    @engine.on("prompt.submit", name="always")
    def always(_: object) -> object:
        return hookline.context("always")

    return engine


def prompt(engine: Engine, session: str = "s1") -> Any:
    """A turn begins."""
    return engine.fire("prompt.submit", {"session_id": session, "prompt": "x"})


def test_once_is_once_in_a_session(tmp_path: Path) -> None:
    """Two engines stand for two processes.

    Another session has its own first time, and the other hook takes no notice.
    """
    ran: list[str] = []
    engines = [an_engine(Sessions(tmp_path / "s"), ran, name) for name in ("a", "b")]
    told = [
        prompt(engine, session).for_agent
        for session in ("s1", "s2")
        for engine in engines
        for _ in range(2)
    ]

    assert ran == ["a", "a"]
    assert told == [("hello", "always"), ("always",), ("always",), ("always",)] * 2


def test_a_hook_that_fails_has_another_try(tmp_path: Path) -> None:
    """Once means once done."""
    ran: list[str] = []
    prompt(an_engine(Sessions(tmp_path / "s"), ran, "a", fails=True))
    prompt(an_engine(Sessions(tmp_path / "s"), ran, "b"))
    prompt(an_engine(Sessions(tmp_path / "s"), ran, "c"))

    assert ran == ["a", "b"]


def test_the_end_of_a_session_is_the_end_of_once(tmp_path: Path) -> None:
    """A session that is taken up again begins again."""
    ran: list[str] = []
    engine = an_engine(Sessions(tmp_path / "s"), ran, "a")
    prompt(engine)
    engine.fire("session.end", {"session_id": "s1"})
    prompt(engine)

    assert ran == ["a", "a"]


def test_without_a_session_it_runs_every_time(tmp_path: Path) -> None:
    """Without a session id hookline cannot tell the first time."""
    ran: list[str] = []
    engine = an_engine(Sessions(tmp_path / "s"), ran, "a")
    for _ in range(2):
        prompt(engine, "")

    assert ran == ["a", "a"]


@pytest.mark.parametrize("way", ["threads", "loop"])
def test_of_many_at_once_one_runs(tmp_path: Path, way: str) -> None:
    """The others report that it ran, and none is a failure."""
    ran: list[str] = []
    engines = [
        an_engine(Sessions(tmp_path / "s", seconds=30), ran, str(number)) for number in range(8)
    ]
    decisions: list[Any] = []
    if way == "threads":
        ready = threading.Barrier(len(engines))
        threads = [
            threading.Thread(
                target=lambda engine=engine: (ready.wait(), decisions.append(prompt(engine)))
            )
            for engine in engines
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    else:

        async def together() -> list[Any]:
            return await asyncio.gather(
                *(
                    engine.fire_async("prompt.submit", {"session_id": "s1", "prompt": "x"})
                    for engine in engines
                )
            )

        decisions = asyncio.run(together())

    assert len(ran) == 1
    assert sorted(decision.for_agent for decision in decisions) == [("always",)] * 7 + [
        ("hello", "always")
    ]
    assert [
        verdict.fault for decision in decisions for verdict in decision.verdicts if verdict.fault
    ] == []


def test_what_is_cut_short_is_given_back(tmp_path: Path) -> None:
    """A cancelled event has run nothing."""
    ran: list[str] = []
    engine = Engine(sessions=Sessions(tmp_path / "s"))

    @engine.on("prompt.submit", name="once", once=True)
    async def once(_: object) -> None:
        ran.append("x")
        if len(ran) == 1:
            begun.set()
            await asyncio.Event().wait()

    begun = asyncio.Event()

    async def cancelled() -> None:
        task = asyncio.ensure_future(
            engine.fire_async("prompt.submit", {"session_id": "s1", "prompt": "x"})
        )
        await begun.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancelled())
    for _ in range(2):
        prompt(engine)

    assert ran == ["x", "x"]


def test_a_mark_is_the_hooks_place_and_what_it_does() -> None:
    """A file may be edited between two events, and another hook stand in the same place."""
    marks = {
        make_mark(spec)
        for spec in (
            SPEC,
            SPEC.replace(id="i"),
            SPEC.replace(handler=Command(script="b")),
            SPEC.replace(identity="x"),
        )
    }
    python = [SPEC.replace(name="n", handler=InProcess(call=call)) for call in (print, len)]

    assert len(marks) == 4
    assert make_mark(python[0]) == make_mark(python[1])
