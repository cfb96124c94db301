"""What an engine knows of a session: what detached hooks said is told at the next turn, and what wakes the agent at its stop."""

from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import hookline
from hookline import Engine, Event, Sessions, Stance
from hookline.model.event import Prompt, Stop
from hookline.model.verdict import Lowered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from hookline.core.dispatch import Run

pytestmark = pytest.mark.process
OVER = "the hook ran in the background, and its moment was over"


def said(event: str, **answer: object) -> str:
    """A command that prints an answer of Claude Code."""
    specific = (
        {"hookSpecificOutput": {"hookEventName": event, "additionalContext": answer.pop("context")}}
        if "context" in answer
        else {}
    )
    return f"printf %s '{json.dumps({**answer, **specific})}'"


def an_engine(
    *hooks: dict[str, Any],
    event: str = "PostToolUse",
    dialect: str = "claude-code",
    **settings: Any,
) -> Engine:
    """An engine with some command hooks on one event."""
    tree = {"hooks": {event: [{"hooks": [{"type": "command", **hook} for hook in hooks]}]}}
    return Engine.from_config(
        tree, dialect=dialect, environ={"PATH": os.environ["PATH"]}, **settings
    )


def fired(native: str, session: str = "s1", **fields: object) -> tuple[str, dict[str, object]]:
    """An event of Claude Code."""
    return native, {"session_id": session, "cwd": "/", "hook_event_name": native, **fields}


def tool(engine: Engine, session: str = "s1") -> None:
    """A tool has run; the hooks that nobody waits for come to their end."""
    decision = engine.fire(
        *fired("PostToolUse", session, tool_name="Bash", tool_input={}, tool_response="x"),
        dialect="claude-code",
    )
    assert (decision.stance, decision.for_agent, decision.for_user) == (Stance.SILENT, (), ())
    engine.close(seconds=60)


def prompt(engine: Engine, session: str = "s1") -> Any:
    """A turn begins."""
    return engine.fire(*fired("UserPromptSubmit", session, prompt="go"), dialect="claude-code")


def stop(engine: Engine, native: str = "Stop", **fields: object) -> Any:
    """The agent is about to stop."""
    return engine.fire(*fired(native, agent_type="a", **fields), dialect="claude-code")


@pytest.fixture(params=["memory", "files"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], dict[str, Any]]:
    """The settings of an engine that keeps what it knows in memory, or in files."""
    return lambda: {"sessions": Sessions(tmp_path / "sessions")} if request.param == "files" else {}


def test_what_is_said_in_the_background_is_told_on_the_next_turn(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """Once, to its own session, and with the hook that said it (docs/formats/claude-code.md 4)."""
    engine = an_engine(
        {"command": said("PostToolUse", systemMessage="note", context="tests fail"), "async": True},
        **kept(),
    )
    tool(engine)
    other, told, again = prompt(engine, "s2"), prompt(engine), prompt(engine)

    assert (told.for_agent, told.for_user, told.stance) == (
        ("tests fail",),
        ("note",),
        Stance.SILENT,
    )
    assert [(verdict.hook_id, verdict.late) for verdict in told.verdicts] == [
        (engine.hooks[0].id, True)
    ]
    assert [(each.for_agent, each.verdicts) for each in (other, again)] == [((), ()), ((), ())]


def test_within_a_turn_nothing_is_told(kept: Callable[[], dict[str, Any]]) -> None:
    """A tool's event and an ordinary stop are in the same turn."""
    engine = an_engine(
        {"command": said("PostToolUse", context="tests fail"), "async": True}, **kept()
    )
    tool(engine)

    assert stop(engine).verdicts == ()
    assert stop(engine, "SubagentStop").verdicts == ()
    tool(engine)
    assert prompt(engine).for_agent == ("tests fail", "tests fail")


def test_answers_are_told_in_the_order_in_which_they_came(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """Whatever the order of the hooks."""
    engine = an_engine({"command": said("PostToolUse", context="x"), "async": True}, **kept())
    tool(engine)
    engine.add_source({"hooks": {"PostToolUse": []}}, dialect="claude-code")
    tool(engine)

    assert [verdict.late for verdict in prompt(engine).verdicts] == [True, True]


def test_plain_output_is_told_where_the_event_makes_it_context(
    kept: Callable[[], dict[str, Any]], tmp_path: Path
) -> None:
    """On `UserPromptSubmit` it is, on others it is a log (docs/formats/claude-code.md 7)."""
    token = tmp_path / "token"  # that one run takes and goes on
    waits = f"until mv {token} {token}.taken 2>/dev/null; do sleep 0.01; done; echo branch: main"
    engine = an_engine({"command": waits, "async": True}, event="UserPromptSubmit", **kept())
    assert prompt(engine).for_agent == ()
    token.touch()
    engine.close(seconds=60)

    assert prompt(engine).for_agent == ("branch: main",)
    token.touch()
    engine.close(seconds=60)


def test_a_late_stance_never_counts(kept: Callable[[], dict[str, Any]]) -> None:
    """It is listed as lost, and blocks nothing."""
    engine = an_engine({"command": "echo no >&2; exit 2", "async": True}, **kept())
    tool(engine)
    told = prompt(engine)

    assert (told.stance, told.for_agent) == (Stance.SILENT, ())
    assert told.lowered == (Lowered(effect="deny", reason=OVER, hook=engine.hooks[0].id),)


def test_a_prompt_that_is_refused_takes_nothing_along(kept: Callable[[], dict[str, Any]]) -> None:
    """It is erased, and what goes along with it would be, too; the next one is told."""
    engine = an_engine(
        {"command": said("PostToolUse", context="tests fail"), "async": True}, **kept()
    )
    tool(engine)
    guard = engine.on("prompt.submit", name="guard")(
        lambda event: _denied() if event.body.prompt == "go" else None
    )
    refused = prompt(engine)
    told = engine.fire(*fired("UserPromptSubmit", prompt="please"), dialect="claude-code")

    assert (refused.stance, refused.for_agent, guard.__name__) == (Stance.DENY, (), "<lambda>")
    assert told.for_agent == ("tests fail",)


def _denied() -> Any:
    """A verdict that refuses."""
    return hookline.deny("not now")


def test_a_dialect_that_hands_nothing_over_hands_nothing_over(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """Codex parses `async` and does no more with it: what such a hook says is in the account of its end, and nowhere else."""
    ends: list[Any] = []
    engine = an_engine(
        {"command": said("PostToolUse", context="x"), "async": True},
        dialect="codex",
        finished=ends.append,
        **kept(),
    )
    engine.fire(
        "PostToolUse",
        {"session_id": "s1", "tool_name": "Bash", "tool_input": {}, "tool_response": "x"},
        dialect="codex",
    )
    engine.close(seconds=60)

    assert [end.verdict.for_agent for end in ends] == ["x"]
    assert (
        engine.fire(
            "UserPromptSubmit", {"session_id": "s1", "prompt": "go"}, dialect="codex"
        ).for_agent
        == ()
    )


def test_a_hook_of_another_host_is_told_in_the_hosts_session() -> None:
    """Claude Code's settings in another agent: its session, its prompt."""
    engine = an_engine(
        {"command": said("PreToolUse", context="seen"), "async": True}, event="PreToolUse"
    )
    engine.fire(
        "pre_tool_use",
        {"session_id": "s1", "cwd": "/", "tool_name": "shell", "tool_input": {"cmd": "ls"}},
        dialect="docker-agent",
    )
    engine.close(seconds=60)
    told = engine.fire(
        "user_prompt_submit",
        {"session_id": "s1", "cwd": "/", "prompt": "x"},
        dialect="docker-agent",
    )

    assert told.for_agent == ("seen",)


# -- waking ------------------------------------------------------------------------------------------------------------

REWAKE = {
    "command": "echo 3 tests fail >&2; exit 2",
    "asyncRewake": True,
    "rewakeMessage": "The tests are done:",
    "rewakeSummary": "tests failed",
}
MESSAGE = "The tests are done:\n3 tests fail"


def test_whoever_can_wake_the_agent_is_told_at_once() -> None:
    """With the session, and the message; what is for the user waits for the turn."""
    woken: list[tuple[str, str]] = []
    engine = an_engine(REWAKE, wake=lambda session, message: woken.append((session, message)))
    tool(engine)

    assert woken == [("s1", MESSAGE)]
    assert stop(engine).redo is False
    assert (prompt(engine).for_user, prompt(engine).for_user) == (("tests failed",), ())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_who_cannot_be_woken_is_told_later() -> None:
    """A callable that raises has woken nobody."""

    def fails(session: str, message: str) -> None:
        raise ConnectionError(session, message)

    engine = an_engine(REWAKE, wake=fails)
    tool(engine)

    assert stop(engine).reason == MESSAGE


def test_an_agent_that_is_about_to_stop_goes_on(kept: Callable[[], dict[str, Any]]) -> None:
    """That is what waking is for; once it is told, the agent may stop."""
    engine = an_engine(REWAKE, **kept())
    tool(engine)
    sub, first, second = stop(engine, "SubagentStop"), stop(engine), stop(engine)

    assert (sub.redo, first.redo, second.redo) == (False, True, False)
    assert (first.stance, first.reason, first.for_user) == (Stance.DENY, MESSAGE, ("tests failed",))


def test_what_nobody_stopped_for_is_told_on_the_next_turn(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """Like anything else that came late."""
    engine = an_engine(REWAKE, **kept())
    tool(engine)
    told = prompt(engine)

    assert (told.stance, told.for_agent, told.for_user) == (
        Stance.SILENT,
        (MESSAGE,),
        ("tests failed",),
    )


def test_the_limit_of_redos_holds_for_waking_too(kept: Callable[[], dict[str, Any]]) -> None:
    """The agent stops, and is told on its next turn: nothing is lost."""
    engine = an_engine(REWAKE, redo_limit=1, **kept())
    tool(engine)
    first = stop(engine)
    tool(engine)
    second = stop(engine)

    assert (first.redo, second.redo, second.stance) == (True, False, Stance.SILENT)
    assert prompt(engine).for_agent == (MESSAGE,)


@pytest.mark.parametrize(
    ("hook", "message"),
    [
        ({"command": "echo why >&2; exit 2"}, "hook `h` wants to be heard\nwhy"),
        ({"command": "exit 2", "rewakeSummary": "sum"}, "sum"),
        ({"command": "exit 2", "rewakeMessage": "msg", "rewakeSummary": "sum"}, "msg"),
    ],
)
def test_a_message_is_never_empty(hook: dict[str, Any], message: str) -> None:
    """The hook's name stands in for what it does not say."""
    engine = an_engine({"asyncRewake": True, **hook})
    tool(engine)
    name = engine.hooks[0].name

    assert stop(engine).reason == message.replace("`h`", f"`{name}`")


def test_another_exit_wakes_nobody(kept: Callable[[], dict[str, Any]]) -> None:
    """Without exit 2 it is a hook in the background like any other."""
    engine = an_engine({"command": said("PostToolUse", context="x"), "asyncRewake": True}, **kept())
    tool(engine)

    assert stop(engine).redo is False
    assert prompt(engine).for_agent == ("x",)


# -- the state itself --------------------------------------------------------------------------------------------------


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
            return _denied()

        stop(engine)

    assert seen == [(False, 0), (True, 1)]


def test_a_canonical_event_is_a_turn_too() -> None:
    """An embedder that fires canonical events has its sessions there."""
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


# -- what counts as a redo ---------------------------------------------------------------------------------------------


def test_a_stop_that_is_no_continuation_begins_a_new_count(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """The user interrupted the agent, which no hook is told of; the host says so (docs/formats/claude-code.md 7)."""
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
    """Also for a host that tells of nothing but its stops (docs/formats/starchild.md 3; docs/formats/agenthooks.md 11; docs/formats/claude-code.md 7)."""
    engine = Engine(**kept())
    engine.on("stop")(lambda _: _denied())
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


def test_hosts_whose_flag_is_not_reliable_are_counted_by_us(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """Kimi's is always false (docs/formats/kimi.md 7), so that each of its stops would be the first."""
    engine = Engine(**kept())
    engine.on("stop")(lambda _: _denied())
    stops = [
        engine.fire(
            "Stop", {"session_id": "s1", "cwd": "/", "stop_hook_active": False}, dialect="kimi"
        )
        for _ in range(3)
    ]

    assert [each.redo for each in stops] == [True, False, False]


def test_hooks_that_are_asked_at_once_are_within_the_limit_together(tmp_path: Path) -> None:
    """Each engine stands for a process, in which all hooks have been asked before any of them is answered; nobody waits for a lock meanwhile."""
    engines, together = (
        [Engine(sessions=Sessions(tmp_path / "s", seconds=600)) for _ in range(8)],
        threading.Barrier(8),
    )
    for engine in engines:

        @engine.on("stop")
        def more(_: Event) -> object:
            together.wait(600)
            return _denied()

    payload = {"session_id": "s1", "cwd": "/", "hook_event_name": "Stop", "stop_hook_active": False}
    with ThreadPoolExecutor(8) as pool:
        decisions = list(
            pool.map(lambda engine: engine.fire("on_stop", payload, dialect="starchild"), engines)
        )

    capped = [each for each in decisions if not each.redo]
    assert len(capped) == 5
    assert {each.for_user for each in capped} == {
        ("a hook sent the agent back 3 times in this turn, which is the limit; it may stop now",)
    }


def test_what_wakes_is_not_lost_where_others_used_up_the_limit_meanwhile(
    kept: Callable[[], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was taken already when that was known: it goes back, and is told at the next turn."""
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


def test_a_stop_that_nobody_refuses_ends_the_turn(
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
    """The agent goes on for it in Claude Code (docs/formats/claude-code.md 7), and so it would for ever."""
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
    """A gate used up the redos: the agent stops, and is told on its next turn."""
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


# -- who is not heard any more -----------------------------------------------------------------------------------------


class Switched:
    """A gate that lets every hook run, until those of this name are not heard any more."""

    def __init__(self) -> None:
        self.off = False

    def check_before(self, run: Run) -> None:
        """It runs as it is."""

    def find_removed(self) -> tuple[()]:
        """No guard is removed."""
        return ()

    def is_withdrawn(self, run: Run) -> bool:
        """Whichever it is."""
        return self.off and run.spec.detached


def test_a_hook_that_was_switched_off_meanwhile_is_not_heard(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """Or whose approval was revoked: what it said in the background does not count."""
    gate: Any = Switched()
    engine = an_engine(
        {"command": said("PostToolUse", context="tests fail"), "async": True}, gate=gate, **kept()
    )
    tool(engine)
    gate.off = True
    silent = prompt(engine)
    gate.off = False

    assert (silent.for_agent, silent.verdicts) == ((), ())
    assert prompt(engine).for_agent == ()


def test_a_hook_behind_an_event_without_a_session_is_said(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """It runs, but nobody can be told what it says."""
    engine = an_engine({"command": said("PostToolUse", context="x"), "async": True}, **kept())
    decision = engine.fire(
        "PostToolUse",
        {"cwd": "/", "tool_name": "Bash", "tool_input": {}, "tool_response": "x"},
        dialect="claude-code",
    )
    engine.close(seconds=60)

    assert [note for note in decision.for_user if "HKL2007" in note]
    assert engine.problems[-1].name == "session.nameless"
