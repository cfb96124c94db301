"""Results of detached hooks: delivered at the next turn, or at a stop if they wake the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline import Sessions, Stance
from hookline.model.verdict import Lowered, Outcome
from hookline.trust.gate import Admission
from hookline.trust.state import APPROVED, HookState
from tests.unit.engine.background import (
    MESSAGE,
    REWAKE,
    an_engine,
    denied,
    fired,
    prompt,
    said,
    stop,
    tool,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from hookline.core.dispatch import Run


pytestmark = pytest.mark.process


OVER = "the hook ran in the background, and its moment was over"


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
    """The host erases it with its context, so the next prompt gets the result."""
    engine = an_engine(
        {"command": said("PostToolUse", context="tests fail"), "async": True}, **kept()
    )
    tool(engine)
    guard = engine.on("prompt.submit", name="guard")(
        lambda event: denied() if event.body.prompt == "go" else None
    )
    refused = prompt(engine)
    told = engine.fire(*fired("UserPromptSubmit", prompt="please"), dialect="claude-code")

    assert (refused.stance, refused.for_agent, guard.__name__) == (Stance.DENY, (), "<lambda>")
    assert told.for_agent == ("tests fail",)


def test_a_dialect_that_hands_nothing_over_hands_nothing_over(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """Codex ignores `async`: the result of such a hook is only in the report of its end."""
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
    """A hook of Claude Code at another agent uses that agent's session and prompt."""
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


def test_a_callable_that_wakes_the_agent_is_called_at_once() -> None:
    """With the session, and the message; what is for the user waits for the turn."""
    woken: list[tuple[str, str]] = []
    engine = an_engine(REWAKE, wake=lambda session, message: woken.append((session, message)))
    tool(engine)

    assert woken == [("s1", MESSAGE)]
    assert stop(engine).redo is False
    assert (prompt(engine).for_user, prompt(engine).for_user) == (("tests failed",), ())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_agent_that_cannot_be_woken_gets_the_result_later() -> None:
    """A callable that raises has not woken the agent."""

    def fails(session: str, message: str) -> None:
        raise ConnectionError(session, message)

    engine = an_engine(REWAKE, wake=fails)
    tool(engine)

    assert stop(engine).reason == MESSAGE


def test_an_agent_that_is_about_to_stop_goes_on(kept: Callable[[], dict[str, Any]]) -> None:
    """The agent gets the message, and may stop after it."""
    engine = an_engine(REWAKE, **kept())
    tool(engine)
    sub, first, second = stop(engine, "SubagentStop"), stop(engine), stop(engine)

    assert (sub.redo, first.redo, second.redo) == (False, True, False)
    assert (first.stance, first.reason, first.for_user) == (Stance.DENY, MESSAGE, ("tests failed",))


def test_a_result_that_no_stop_took_is_told_on_the_next_turn(
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
    """The agent stops, and gets the result at its next turn."""
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
        ({"command": "echo why >&2; exit 2"}, "hook `h` has a result\nwhy"),
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


def test_another_exit_code_does_not_wake_the_agent(kept: Callable[[], dict[str, Any]]) -> None:
    """Without exit 2 it is a hook in the background like any other."""
    engine = an_engine({"command": said("PostToolUse", context="x"), "asyncRewake": True}, **kept())
    tool(engine)

    assert stop(engine).redo is False
    assert prompt(engine).for_agent == ("x",)


class Switched:
    """A gate that lets every hook run until the named ones are withdrawn."""

    def __init__(self) -> None:
        self.off = False

    def check_before(self, run: Run) -> Admission:
        """It runs as it is."""
        return Admission(run=run, state=HookState(spec=run.spec, state=APPROVED))

    def check_after(self, _admission: Admission, outcome: Outcome) -> Outcome:
        """Its answer counts as it is."""
        return outcome

    def find_removed(self) -> tuple[()]:
        """No guard is removed."""
        return ()

    def is_withdrawn(self, run: Run) -> bool:
        """Whichever it is."""
        return self.off and run.spec.detached


def test_a_hook_that_was_switched_off_meanwhile_is_not_heard(
    kept: Callable[[], dict[str, Any]],
) -> None:
    """Its late result does not count; a revoked approval is alike."""
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
    """It runs, but its result reaches no session."""
    engine = an_engine({"command": said("PostToolUse", context="x"), "async": True}, **kept())
    decision = engine.fire(
        "PostToolUse",
        {"cwd": "/", "tool_name": "Bash", "tool_input": {}, "tool_response": "x"},
        dialect="claude-code",
    )
    engine.close(seconds=60)

    assert [note for note in decision.for_user if "HKL2007" in note]
    assert engine.problems[-1].name == "session.nameless"
