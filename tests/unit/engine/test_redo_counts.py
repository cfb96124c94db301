"""Redos: how often a stop gate sends the agent back, across processes, hosts and sub-agents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline import Engine, Event, Sessions, Stance
from hookline.model.event import Prompt, Stop
from tests.unit.engine.background import (
    MESSAGE,
    REWAKE,
    an_engine,
    denied,
    prompt,
    said,
    stop,
    tool,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any


@pytest.fixture(params=["memory", "files"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], dict[str, Any]]:
    """The settings of an engine that keeps what it knows in memory, or in files."""
    return lambda: {"sessions": Sessions(tmp_path / "sessions")} if request.param == "files" else {}


def test_state_that_cannot_be_kept_is_said_once_and_decides_nothing(tmp_path: Path) -> None:
    """As a note for the user, and as a problem of the engine."""
    (tmp_path / "sessions").write_text("", encoding="utf-8")
    engine = an_engine(
        {"command": "exit 2"}, event="Stop", sessions=Sessions(tmp_path / "sessions")
    )
    first, second = stop(engine, stop_hook_active=False), stop(engine, stop_hook_active=True)

    assert (first.redo, second.redo) == (True, False)
    assert [
        len([note for note in each.for_user if "HKL2004" in note]) for each in (first, second)
    ] == [1, 0]
    assert [problem.name for problem in engine.problems] == ["session.unusable"]


def test_an_engine_that_remembers_in_files_counts_with_the_others(tmp_path: Path) -> None:
    """Each stands for a process."""
    hook = {"command": "echo more >&2; exit 2"}
    decisions = [
        stop(an_engine(hook, event="Stop", redo_limit=3, sessions=Sessions(tmp_path / "s")))
        for _ in range(4)
    ]

    assert [decision.redo for decision in decisions] == [True, True, True, False]
    assert decisions[3].for_user == (
        "a hook sent the agent back 3 times in this turn, which is the limit; it may stop now",
    )


def test_a_payload_says_how_often_other_processes_sent_the_agent_back(tmp_path: Path) -> None:
    """`stop_hook_active` and our own count come from the state."""
    seen: list[tuple[bool, object]] = []
    for _ in range(2):
        engine = Engine(sessions=Sessions(tmp_path / "s"))

        @engine.on("stop")
        def more(event: Event) -> object:
            assert isinstance(event.body, Stop)
            seen.append((event.body.stop_hook_active, event.body.facts["stop_block_count"]))
            return denied()

        stop(engine)

    assert seen == [(False, 0), (True, 1)]


def test_a_canonical_event_is_a_turn_too() -> None:
    """A program that fires canonical events has its sessions too."""
    engine = an_engine(
        {"command": said("PreToolUse", context="seen"), "async": True}, event="PreToolUse"
    )
    engine.fire("tool.before", {"session_id": "s1", "tool": "Bash", "input": {}})
    engine.close(seconds=60)
    begins = Event(
        kind="prompt.submit",
        dialect="hookline",
        native_name="prompt.submit",
        session_id="s1",
        cwd="/",
        body=Prompt(prompt="x"),
    )

    assert engine.fire(begins).for_agent == ("seen",)


def test_a_stop_that_is_no_continuation_begins_a_new_count(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """The user interrupted the agent, and no hook gets an event of that.

    The host says so (docs/formats/claude-code.md 7).
    """
    engine = an_engine({"command": "echo more >&2; exit 2"}, event="Stop", redo_limit=2, **kept())
    flags = (False, True, True, False, True, True)

    assert [stop(engine, stop_hook_active=flag).redo for flag in flags] == [
        True,
        True,
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("dialect", "native", "limit"),
    [
        ("starchild", "on_stop", 3),
        ("agenthooks", "pre-agent-turn-stop", 3),
        ("claude-code", "Stop", 8),
    ],
)
def test_after_the_limit_the_next_turn_has_its_gate_again(
    kept: Callable[[], dict[str, Any]], dialect: str, native: str, limit: int
) -> None:
    """Also if the host sends stops only (docs/formats/starchild.md 3; agenthooks.md 11)."""
    engine = Engine(**kept())
    engine.on("stop")(lambda _: denied())
    turn = [False, *[True] * limit]

    def redone(*, flag: bool) -> bool:
        payload = {
            "session_id": "s1",
            "cwd": "/",
            "stop_reason": "no_tool_calls",
            "stop_hook_active": flag,
        }
        return engine.fire(native, payload, dialect=dialect).redo

    assert [redone(flag=flag) for flag in (*turn, *turn)] == [*[True] * limit, False] * 2


@pytest.mark.parametrize(
    ("dialect", "begins", "ends", "limit"),
    [
        ("gemini", "BeforeAgent", "AfterAgent", 3),
        ("qwen", "UserPromptSubmit", "Stop", 8),
        ("copilot", "userPromptSubmitted", "agentStop", 8),
    ],
)
def test_a_refusal_that_comes_back_as_a_prompt_begins_no_turn(
    kept: Callable[[], dict[str, Any]], dialect: str, begins: str, ends: str, limit: int
) -> None:
    """These hosts raise their prompt event for it (docs/formats/gemini.md 7)."""
    engine = Engine(**kept())
    engine.on("stop")(lambda _: denied())

    def redone(*, flag: bool) -> bool:
        base = {"session_id": "s1", "sessionId": "s1", "cwd": "/", "prompt": "more"}
        engine.fire(begins, base, dialect=dialect)
        answer = {"prompt_response": "done", "stop_hook_active": flag}
        return engine.fire(ends, base | answer, dialect=dialect).redo

    turn = [False, *[True] * limit]

    assert [redone(flag=flag) for flag in turn * 2] == [*[True] * limit, False] * 2


def test_hosts_whose_flag_is_not_reliable_are_counted_by_us(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """Kimi always sends false (docs/formats/kimi.md 7), so each stop would be the first."""
    engine = Engine(**kept())
    engine.on("stop")(lambda _: denied())
    stops = [
        engine.fire(
            "Stop", {"session_id": "s1", "cwd": "/", "stop_hook_active": False}, dialect="kimi"
        )
        for _ in range(3)
    ]

    assert [each.redo for each in stops] == [True, False, False]


def test_what_wakes_is_not_lost_where_others_used_up_the_limit_meanwhile(
    kept: Callable[[], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was taken too early, so it goes back and is delivered at the next turn."""
    engine = an_engine(REWAKE, redo_limit=1, **kept())
    tool(engine)
    assert stop(engine).redo
    tool(engine)
    monkeypatch.setattr(
        engine.runtime, "count_redos", lambda _: 0
    )  # as it was when this stop was looked at
    second = stop(engine)

    assert (second.redo, second.stance, second.verdicts) == (False, Stance.SILENT, ())
    assert prompt(engine).for_agent == (MESSAGE,)


def test_a_stop_without_a_refusal_ends_the_turn(
    kept: Callable[[], dict[str, Any]], tmp_path: Path
) -> None:
    """Where the host does not say what a stop comes after."""
    engine = an_engine(
        {"command": f"test -e '{tmp_path}/done' || {{ echo more >&2; exit 2; }}"},
        event="Stop",
        redo_limit=2,
        **kept(),
    )
    first, second = stop(engine).redo, stop(engine).redo
    (tmp_path / "done").touch()
    third = stop(engine).redo
    (tmp_path / "done").unlink()

    assert (first, second, third) == (True, True, False)
    assert [stop(engine).redo for _ in range(3)] == [True, True, False]


def test_context_at_a_stop_counts_like_a_block(kept: Callable[[], dict[str, Any]]) -> None:
    """In Claude Code the agent goes on for it (docs/formats/claude-code.md 7)."""
    engine = an_engine(
        {"command": said("Stop", context="look again")}, event="Stop", redo_limit=2, **kept()
    )
    decisions = [stop(engine) for _ in range(3)]

    assert [decision.for_agent for decision in decisions] == [("look again",), ("look again",), ()]
    assert [each.effect for each in decisions[2].lowered] == ["context"]


def test_each_sub_agent_has_its_own_count(kept: Callable[[], dict[str, Any]]) -> None:
    """Ten of them may stop at the same time."""
    engine = an_engine(
        {"command": "echo more >&2; exit 2"}, event="SubagentStop", redo_limit=1, **kept()
    )

    assert [stop(engine, "SubagentStop", agent_id=name).redo for name in ("a", "b", "a", "b")] == [
        True,
        True,
        False,
        False,
    ]


def test_what_wakes_the_agent_is_not_spent_on_a_stop_that_is_over_its_limit(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """A gate used up the redos: the agent stops, and gets the result at its next turn."""
    gate = {"type": "command", "command": "echo more >&2; exit 2"}
    tree = {
        "hooks": {
            "Stop": [{"hooks": [gate]}],
            "PostToolUse": [{"hooks": [{"type": "command", **REWAKE}]}],
        }
    }
    engine = Engine.from_config(
        tree, dialect="claude-code", environ={"PATH": os.environ["PATH"]}, redo_limit=1, **kept()
    )
    first = stop(engine)
    tool(engine)
    second = stop(engine)

    assert (first.redo, first.reason, second.redo) == (True, "more", False)
    assert prompt(engine).for_agent == (MESSAGE,)
