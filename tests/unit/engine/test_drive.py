"""Two drivers: processes in parallel, coroutines awaited, and no rest after a cancellation."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

import hookline
from hookline import Engine, Event, Limits, Stance, ToolCall
from tests.unit.engine.processes import ends

if TYPE_CHECKING:
    from pathlib import Path

CALL = Event(
    kind="tool.before",
    dialect="docker-agent",
    native_name="pre_tool_use",
    session_id="s1",
    cwd="/",
    body=ToolCall(tool="shell", input={}),
)
pytestmark = pytest.mark.process


def an_engine(tmp_path: Path, *commands: str, profile: str = "d1") -> Engine:
    """An engine with command hooks that start at once (in the profile d1)."""
    hooks = [{"type": "command", "command": command, "on_error": "block"} for command in commands]
    environ = {"PATH": os.environ["PATH"], "FOLDER": str(tmp_path)}
    return Engine.from_config(
        {"hooks": {"pre_tool_use": [{"hooks": hooks}]}},
        dialect="docker-agent",
        profile=profile,
        environ=environ,
        limits=Limits(grace=0.1),
    )


@pytest.mark.parametrize("asynchronous", [False, True])
def test_commands_of_a_batch_run_at_once(tmp_path: Path, *, asynchronous: bool) -> None:
    """Each of two hooks waits for the other, which ends only when both are there."""
    for name in ("one", "two"):
        os.mkfifo(tmp_path / name)
    engine = an_engine(
        tmp_path,
        'echo hello > "$FOLDER/one"; read line < "$FOLDER/two"; echo "got $line" >&2; exit 2',
        'read line < "$FOLDER/one"; echo back > "$FOLDER/two"; echo "got $line" >&2; exit 2',
    )
    decision = asyncio.run(engine.fire_async(CALL)) if asynchronous else engine.fire(CALL)

    assert decision.reason == "got back\ngot hello"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_verdicts_stand_in_plan_order_whichever_hook_ends_first(
    tmp_path: Path, *, asynchronous: bool
) -> None:
    """The first hook ends last, and still gives the first reason."""
    os.mkfifo(tmp_path / "go")
    engine = an_engine(
        tmp_path,
        'read line < "$FOLDER/go"; echo first >&2; exit 2',
        'echo second >&2; echo on > "$FOLDER/go"; exit 2',
    )
    decision = asyncio.run(engine.fire_async(CALL)) if asynchronous else engine.fire(CALL)

    assert decision.reason == "first\nsecond"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_one_prints_garbage_and_the_other_blocks(tmp_path: Path, *, asynchronous: bool) -> None:
    """The block stands, with its reason."""
    engine = an_engine(tmp_path, "echo '{'; exit 0", "echo no >&2; exit 2", profile="d2")
    decision = asyncio.run(engine.fire_async(CALL)) if asynchronous else engine.fire(CALL)

    assert decision.stance is Stance.DENY
    assert "no" in decision.reason.splitlines()


def test_hooks_have_what_is_left_of_the_time_for_all(tmp_path: Path) -> None:
    """A slower hook times out like any other.

    What the others said counts.
    """
    engine = an_engine(tmp_path, "echo no >&2; exit 2", "sleep 1000", profile="d2")
    decision = asyncio.run(engine.fire_async(CALL, seconds=0.3))

    assert decision.stance is Stance.DENY
    assert ["timed out" in (verdict.fault or "") for verdict in decision.verdicts] == [False, True]


def test_a_coroutine_alone_has_that_time_too() -> None:
    """Also without a dispatcher."""
    engine = Engine(environ={})

    @engine.on("tool.before", on_failure=Stance.DENY)
    async def hook(_: Event) -> None:
        await asyncio.Event().wait()

    decision = asyncio.run(engine.fire_async(CALL, seconds=0.01))

    assert decision.stance is Stance.DENY
    assert "timed out" in (decision.verdicts[0].fault or "")


def test_a_cancelled_fire_leaves_no_process(tmp_path: Path) -> None:
    """A cancellation ends the hooks and what they started before it is raised."""
    os.mkfifo(tmp_path / "pid")
    engine = an_engine(tmp_path, 'sleep 1000 & echo $$ $! > "$FOLDER/pid"; wait')

    async def cancelled() -> list[int]:
        loop = asyncio.get_running_loop()
        fire = asyncio.ensure_future(engine.fire_async(CALL))
        written = await loop.run_in_executor(None, (tmp_path / "pid").read_text)
        fire.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fire
        return [int(pid) for pid in written.split()]

    pids = asyncio.run(cancelled())

    assert all(ends(pid) for pid in pids)


def test_a_cancelled_fire_cancels_the_hook_that_it_awaits() -> None:
    """A coroutine hears of it, and can clean up."""
    heard: list[str] = []
    engine = Engine(environ={})

    async def cancelled() -> None:
        begun = asyncio.Event()

        @engine.on("tool.before")
        async def hook(event: Event) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                heard.append(event.tool)
                raise

        fire = asyncio.ensure_future(engine.fire_async(CALL))
        await begun.wait()
        fire.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fire

    asyncio.run(cancelled())

    assert heard == ["shell"]
    assert engine.fire(CALL.replace(kind="stop")).stance is Stance.SILENT


def test_after_a_cancellation_the_event_can_be_fired_again() -> None:
    """The cancellation removes the mark of the running event."""
    engine = Engine(environ={})
    waits = [True]

    @engine.on("tool.before")
    async def hook(event: Event) -> hookline.Verdict:
        if waits.pop() if waits else False:
            await asyncio.Event().wait()
        return hookline.deny(event.tool)

    async def twice() -> hookline.Decision:
        fire = asyncio.ensure_future(engine.fire_async(CALL))
        await asyncio.sleep(0)
        fire.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fire
        return await engine.fire_async(CALL)

    assert asyncio.run(twice()).reason == "shell"


def test_a_process_does_not_block_the_loop(tmp_path: Path) -> None:
    """While a hook waits, the loop runs: here, it is the loop that lets the hook go on."""
    os.mkfifo(tmp_path / "go")
    engine = an_engine(tmp_path, 'read line < "$FOLDER/go"; echo "$line" >&2; exit 2')

    async def both() -> hookline.Decision:
        loop = asyncio.get_running_loop()
        fire = asyncio.ensure_future(engine.fire_async(CALL))
        await loop.run_in_executor(None, (tmp_path / "go").write_text, "from the loop\n")
        return await fire

    assert asyncio.run(both()).reason == "from the loop"
