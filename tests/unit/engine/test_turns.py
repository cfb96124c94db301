"""Turns: hooks that run once, stop gates that send the agent back, and raised events."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

import hookline
from hookline import (
    Decision,
    Engine,
    Event,
    Stance,
    Stop,
    ToolCall,
    Verdict,
)
from hookline.handlers.recursion_guard import hook_mark
from tests.unit.engine.in_process import CALL, PROMPT, STOP, an_engine, fired, guarded


def test_a_hook_that_runs_once_runs_once() -> None:
    """In a session, also after a source was added, which makes a new registry."""
    heard: list[str] = []
    engine = an_engine()
    engine.on("tool.before", once=True)(lambda event: heard.append(event.command))
    engine.fire(CALL)
    engine.fire(CALL)
    engine.add_source({"hooks": {}}, dialect="docker-agent")
    engine.loader.drop_dialect("docker-agent")
    engine.fire(CALL)

    assert heard == ["ls"]
    engine.fire(CALL.replace(session_id="another"))
    assert heard == ["ls", "ls"]


def test_a_hook_that_failed_has_not_run() -> None:
    """It has another chance."""
    heard: list[str] = []
    engine = an_engine()

    @engine.on("tool.before", once=True)
    def hook(event: Event) -> None:
        heard.append(event.command)
        if len(heard) == 1:
            raise ValueError

    for _ in range(3):
        engine.fire(CALL)

    assert len(heard) == 2


def test_a_hook_that_did_not_take_part_has_not_run() -> None:
    """Its condition did not hold."""
    heard: list[str] = []
    engine = an_engine()
    engine.on("tool.before", once=True, command="rm")(lambda event: heard.append(event.command))
    engine.fire(CALL)
    engine.fire(CALL.replace(body=ToolCall(tool="bash", input={"command": "rm x"})))

    assert heard == ["rm x"]


def test_a_stop_gate_sends_the_agent_back_three_times_a_turn() -> None:
    """Then the agent may stop, with a notice; a new prompt begins a new turn."""
    engine = guarded(hookline.deny("run the tests"), "stop")
    redos = [engine.fire(STOP).redo for _ in range(5)]
    capped = engine.fire(STOP)
    engine.fire(PROMPT)

    assert redos == [True, True, True, False, False]
    assert (capped.stance, capped.reason) == (Stance.SILENT, "")
    assert capped.for_user == (
        "a hook sent the agent back 3 times in this turn, which is the limit; it may stop now",
    )
    assert [entry.effect for entry in capped.lowered] == ["deny"]
    assert engine.fire(STOP).redo


def test_each_session_has_its_own_turns() -> None:
    """The stop gate of one agent does not use up the redos of another."""
    engine = guarded(hookline.deny("more"), "stop", redo_limit=1)

    assert [engine.fire(STOP).redo for _ in range(2)] == [True, False]
    assert engine.fire(STOP.replace(session_id="s2")).redo


@pytest.mark.parametrize(("limit", "redos"), [(1, 1), (5, 5), (0, 8), (None, 3)])
def test_the_limit_can_be_set(limit: int | None, redos: int) -> None:
    """0 is no limit, None what the host's dialect says."""
    engine = guarded(hookline.deny("more"), "stop", redo_limit=limit)

    assert sum(engine.fire(STOP).redo for _ in range(8)) == redos


def test_a_stop_gate_is_told_how_often_it_sent_the_agent_back() -> None:
    """So that a hook can give up by itself (docs/architecture.md 4.12)."""
    told: list[tuple[bool, int, int]] = []
    engine = an_engine()

    @engine.on("stop")
    def gate(event: Event) -> Verdict:
        assert isinstance(event.body, Stop)
        told.append(
            (
                event.body.stop_hook_active,
                event.body.value("stop_block_count"),
                event.body.value("stop_block_limit"),
            )
        )
        return hookline.deny("more")

    for _ in range(3):
        engine.fire(STOP)

    assert told == [(False, 0, 3), (True, 1, 3), (True, 2, 3)]


def test_a_hook_that_fires_its_own_event_is_cut() -> None:
    """The inner event is answered by the failure of its hooks, not by asking them for ever."""
    depths: list[Decision] = []
    engine = an_engine()

    @engine.on("tool.before", name="eager", on_failure=Stance.DENY)
    def eager(event: Event) -> Verdict:
        depths.append(engine.fire(event))
        return hookline.allow()

    outer = engine.fire(CALL)

    assert outer.stance is Stance.ALLOW
    assert [inner.stance for inner in depths] == [Stance.DENY]
    assert depths[0].verdicts[0].fault == "called again from inside itself"


@pytest.mark.parametrize("through", ["fire_async", "fire in a loop"])
def test_an_asynchronous_hook_that_fires_its_own_event_is_cut(through: str) -> None:
    """Also where the hook runs on a loop in a thread of its own."""
    inner: list[Decision] = []
    engine = an_engine()

    @engine.on("tool.before", on_failure=Stance.DENY)
    async def eager(event: Event) -> None:
        await asyncio.sleep(0)
        inner.append(
            await engine.fire_async(event) if through == "fire_async" else engine.fire(event)
        )

    fired(engine, through)

    assert [decision.stance for decision in inner] == [Stance.DENY]


@pytest.mark.parametrize(
    "event", [PROMPT, CALL.replace(session_id="s2")], ids=["another event", "another session"]
)  # fmt: skip
def test_a_hook_may_fire_other_events(event: Event) -> None:
    """Another kind, or another session's agent, is no circle."""
    inner: list[Decision] = []
    engine = an_engine()
    engine.on(event.kind, tool=None, name="other")(
        lambda e: (
            hookline.note("heard")
            if e.session_id == event.session_id and e.kind == event.kind
            else None
        )
    )
    engine.on("tool.before", name="outer")(
        lambda e: inner.append(engine.fire(event)) if e.session_id == "s1" else None
    )
    engine.fire(CALL)

    assert [decision.for_user for decision in inner] == [("heard",)]


def test_two_engines_do_not_get_into_each_others_way() -> None:
    """A hook may ask another engine about the same event."""
    other = guarded(hookline.deny("the other says no"))
    engine = an_engine()
    engine.on("tool.before")(lambda event: hookline.deny(other.fire(event).reason))

    assert engine.fire(CALL).reason == "the other says no"


@pytest.mark.process
def test_a_process_inside_a_hook_on_this_event_asks_every_other_hook(tmp_path: Path) -> None:
    """The environment that hooks inherit tells which of them are being asked, and about what."""
    stat = Path(f"/proc/{os.getppid()}/stat").read_text(encoding="utf-8")
    above = f"{os.getppid()}:{stat.rpartition(')')[2].split()[19]}"
    tree = {
        "hooks": {
            "PreToolUse": [
                {"hooks": [{"type": "command", "command": text}]}
                for text in ("echo one >&2; exit 2", "exit 0")
            ]
        }
    }
    marks = [hook_mark(spec) for spec in Engine.from_config(tree, dialect="claude-code").hooks]

    def faults(kind: str, mark: str, times: int = 1) -> list[str | None]:
        home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        parts = [*[f"stop:{above}:x"] * times, f"{kind}:{above}:{mark}"]
        environ = {
            **home,
            "HOOKLINE_FIRING": ",".join(parts),
        }
        engine = Engine.from_config(tree, dialect="claude-code", environ=environ)
        return [
            verdict.fault
            for verdict in engine.fire(
                "PreToolUse", {"tool_name": "Bash", "tool_input": {}}, dialect="claude-code"
            ).verdicts
        ]

    again = "called again from inside itself"
    assert faults("tool.before", marks[0]) == [again, None]
    assert faults("tool.before", marks[1]) == [None, again]
    assert faults("stop", marks[0]) == [None, None]
    assert faults("tool.before", "0") == [None, None]
    assert faults("tool.before", "0", 7) == [f"{again}: hooks are nested 8 deep"] * 2


def test_an_unsigned_environment_variable_skips_no_hook() -> None:
    """No process that asks such a hook is above this one, and that is said."""
    engine = guarded(hookline.deny("no"), environ={"HOOKLINE_FIRING": "tool.before"})

    assert engine.fire(CALL).reason == "no"
    assert [problem.code for problem in engine.problems] == ["HKL2008"]


def test_events_that_follow_each_other_are_no_circle() -> None:
    """Also after a hook raised, the mark of the event is gone."""
    engine = an_engine()

    @engine.on("tool.before")
    def odd(event: Event) -> None:
        raise ValueError(event)

    assert [engine.fire(CALL).verdicts[0].fault for _ in range(2)] == [
        engine.fire(CALL).verdicts[0].fault
    ] * 2
