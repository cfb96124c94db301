"""Hooks in runs of Pydantic AI, with a scripted model."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    ToolReturn,
    exceptions,
)
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ExternalToolset
from pydantic_ai.usage import UsageLimits
from pydantic_ai_harness.subagents import SubAgent, SubAgents

import hookline
from hookline import Engine
from hookline.adapters.answers import Call, RunStoppedError
from hookline.adapters.pydantic_ai import HooksCapability, messages_to_json

if TYPE_CHECKING:
    Turn = str | dict[str, Any] | Exception


class Script:
    """A model that plays turns: a text, the input of the tool `run`, or an error."""

    def __init__(self, *turns: Turn) -> None:
        self.turns = list(turns)
        self.tools: list[str] = []  # the tools of the calls, `run` in the end
        self.seen: list[list[dict[str, Any]]] = []

    def answer(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        self.seen.append(messages_to_json(messages))
        turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        if isinstance(turn, str):
            return ModelResponse(parts=[TextPart(turn)])
        tool = self.tools.pop(0) if self.tools else "run"
        return ModelResponse(parts=[ToolCallPart(tool, turn, f"call-{len(self.seen)}")])


class Play:
    """An agent with one tool, its model and the inputs that the tool received."""

    def __init__(self, engine: Engine, *turns: Turn, fails: Any = None, **options: Any) -> None:
        self.script = Script(*turns)
        self.ran: list[Any] = []
        hooks = HooksCapability(engine, **options)
        output = [str, DeferredToolRequests] if options.get("defers") else str
        self.agent = Agent(
            FunctionModel(self.script.answer), output_type=output, capabilities=[hooks]
        )  # type: ignore[call-overload]  # of two kinds

        @self.agent.tool_plain(name="run")
        def run(command: str, times: int = 1) -> Any:
            self.ran.append((command, times))
            if isinstance(fails, Exception):
                raise fails
            return fails or f"ran {command}"

    def go(self, prompt: str | None = "do it", **options: Any) -> Any:
        return asyncio.run(self.agent.run(prompt, **options))

    def last_request(self) -> list[tuple[str, str]]:
        """What the model saw last."""
        return [(entry["role"], entry["content"]) for entry in self.script.seen[-1]]


CALL: dict[str, Any] = {"command": "ls"}


def watched(*kinds: str) -> tuple[Engine, list[str]]:
    """An engine that writes down these events."""
    engine, seen = Engine(), []
    for kind in kinds:
        engine.on(kind)(lambda event: seen.append(event.kind))
    return engine, seen


def test_a_refused_call_does_not_run() -> None:
    """The model reads why, and neither event after a call is fired."""
    engine, seen = watched("tool.after", "tool.failure")
    engine.on("tool.before", command="ls")(lambda _: hookline.deny("not that"))
    play = Play(engine, CALL, "fine")

    assert play.go().output == "fine"
    assert (play.ran, seen) == ([], [])
    assert play.last_request()[-1] == ("tool", "not that")


def test_an_input_is_rewritten_and_validated() -> None:
    """The tool gets it as its signature says, and the history keeps the model's own."""
    engine = Engine()
    engine.on("tool.before")(lambda _: hookline.rewrite({"command": "ls -h", "times": "2"}))
    play = Play(engine, CALL, "fine")
    play.go()

    assert play.ran == [("ls -h", 2)]
    assert play.script.seen[-1][1]["tool_calls"][0]["input"] == CALL


def test_an_input_that_the_tool_does_not_take_is_a_refusal() -> None:
    """A hook cannot make a tool run with what it never takes."""
    engine = Engine()
    engine.on("tool.before")(lambda _: hookline.rewrite({"times": "many"}))
    play = Play(engine, CALL, "fine")
    play.go()

    assert play.ran == []
    assert "a hook rewrote the input" in play.last_request()[-1][1]


@pytest.mark.parametrize("result", ["secret", ToolReturn("secret", content="the secret again")])
def test_a_result_is_rewritten(result: Any) -> None:
    """Nothing of the first result reaches the model."""
    engine = Engine()
    engine.on("tool.after")(lambda _: hookline.rewrite(output="***"))
    play = Play(engine, CALL, "fine", fails=result)
    play.go()

    assert play.last_request()[-1] == ("tool", "***")
    assert "secret" not in str(play.script.seen)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_stop_hook_sends_the_agent_back(streamed: bool) -> None:
    """At most three times in a turn; with `iter` as with `run`."""
    engine, seen = watched("stop")
    engine.on("stop")(lambda _: hookline.deny("run the tests"))
    play = Play(engine, "done", "done", "done", "done", notify=lambda _: None)

    async def iterate() -> str:
        async with play.agent.iter("do it") as run:
            async for _ in run:
                pass
            assert run.result is not None
            return str(run.result.output)

    output = asyncio.run(iterate()) if streamed else play.go().output

    assert (output, len(seen)) == ("done", 4)
    assert [text for role, text in play.last_request() if role == "user"] == [
        "do it",
        *["run the tests"] * 3,
    ]


def test_a_prompt_is_refused_or_rewritten() -> None:
    """A refusal is raised out of the run, before any request."""
    engine = Engine()
    engine.on("prompt.submit")(
        lambda event: (
            hookline.deny("no secrets") if "secret" in event.text else hookline.rewrite(text="HI")
        )
    )
    play = Play(engine, "hello")

    with pytest.raises(RunStoppedError, match="no secrets") as raised:
        play.go("my secret")
    assert raised.value.kind == "prompt.submit"
    assert play.script.seen == []
    play.go("hi")
    assert play.last_request() == [("user", "HI")]


def test_context_is_shown_and_not_kept() -> None:
    """In each request of the run, at its place; the history has none of it."""
    engine = Engine()
    kinds = ("session.start", "prompt.submit", "tool.before", "tool.after")
    for kind in kinds:
        engine.on(kind)(lambda event: hookline.context(event.kind))
    play = Play(engine, CALL, CALL, "fine")
    result = play.go()

    # A model that takes no system message in the middle gets it so.
    said = [("user", f"<system>{kind}</system>") for kind in kinds]
    call = [("assistant", ""), ("tool", "ran ls"), *said[2:]]
    start = [("user", "do it"), *said[:2]]
    assert play.last_request() == [*start, *call, *call]
    assert "system" not in str(messages_to_json(result.all_messages()))


def test_a_session_starts_once() -> None:
    """A conversation is a session, which the caller ends."""
    engine, seen = watched("session.start", "session.end", "prompt.submit")
    hooks = HooksCapability(engine)
    agent = Agent(FunctionModel(Script("a", "b").answer), capabilities=[hooks])

    async def talk() -> None:
        first = await agent.run("one")
        await agent.run("two", message_history=first.all_messages())
        await hooks.end_sessions("exit")

    asyncio.run(talk())
    assert seen == ["session.start", "prompt.submit", "prompt.submit", "session.end"]


@pytest.mark.parametrize(
    ("granted", "ran", "told"),
    [(True, [("ls -h", 1)], "ran ls -h"), (False, [], "the user did not allow it: sure?")],
)
def test_a_person_is_asked(granted: bool, ran: list[Any], told: str) -> None:
    """About the input that the hooks left; the hooks run once."""
    engine, seen = watched("tool.before", "tool.after")
    engine.on("tool.before")(lambda _: hookline.rewrite({"command": "ls -h"}))
    engine.on("tool.before")(lambda _: hookline.ask("sure?"))
    asked: list[Call] = []

    async def ask(question: str, call: Call) -> bool:
        assert question == "sure?"
        asked.append(call)
        return granted

    play = Play(engine, CALL, "fine", ask=ask)
    assert play.go().output == "fine"
    assert (play.ran, play.last_request()[-1]) == (ran, ("tool", told))
    assert [call.input for call in asked] == [{"command": "ls -h", "times": 1}]
    assert seen == ["tool.before", "tool.after"][: 1 + granted]


def test_a_question_without_a_person_refuses() -> None:
    """Unless the caller takes deferred calls."""
    engine = Engine()
    engine.on("tool.before")(lambda _: hookline.ask("sure?"))
    play = Play(engine, CALL, "fine")

    assert play.go().output == "fine"
    assert (play.ran, play.last_request()[-1]) == ([], ("tool", "sure?"))


def test_a_question_can_be_left_to_the_caller() -> None:
    """The run ends with the call, and a later run resumes it, without asking hooks again."""
    engine, seen = watched("tool.before", "stop")
    engine.on("tool.before")(lambda _: hookline.ask("sure?"))
    play = Play(engine, CALL, "fine", defers=True)

    first = play.go()
    assert first.output.metadata == {"call-1": {"reason": "sure?"}}
    results = DeferredToolResults(approvals={"call-1": True})
    second = play.go(None, message_history=first.all_messages(), deferred_tool_results=results)

    assert (second.output, play.ran) == ("fine", [("ls", 1)])
    assert seen == ["tool.before", "stop"]


def test_a_tools_own_approval_is_a_permission_request() -> None:
    """Hooks on it may answer."""
    engine = Engine()
    engine.on("tool.permission.request")(lambda _: hookline.allow())
    script, ran = Script({}, "fine"), []
    agent = Agent(FunctionModel(script.answer), capabilities=[HooksCapability(engine)])
    agent.tool_plain(name="run", requires_approval=True)(lambda: ran.append("ran"))

    assert asyncio.run(agent.run("do it")).output == "fine"
    assert ran == ["ran"]


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        (hookline.deny("not that"), "not that"),
        (hookline.ask("sure?"), "sure?"),
        (hookline.rewrite({"command": "x"}), "a hook rewrote the input"),
    ],
)
def test_a_call_that_runs_elsewhere_is_refused_here(verdict: hookline.Verdict, told: str) -> None:
    """The run goes on, and the call never leaves; without a hook it does."""
    engine = Engine()
    engine.on("tool.before", command="ls")(lambda _: verdict)
    script = Script(CALL, "fine", {"command": "pwd"})
    agent = Agent(
        FunctionModel(script.answer),
        output_type=[str, DeferredToolRequests],
        toolsets=[ExternalToolset([ToolDefinition(name="run")])],
        capabilities=[HooksCapability(engine)],
    )

    assert asyncio.run(agent.run("do it")).output == "fine"
    assert told in script.seen[-1][-1]["content"]
    left = asyncio.run(agent.run("do it")).output
    assert isinstance(left, DeferredToolRequests)
    assert len(left.calls) == 1


@pytest.mark.parametrize("error", [OSError("disk full"), ModelRetry("disk full")])
def test_a_failed_call_is_a_failure(error: Exception) -> None:
    """Whether it raises or tells the model; it is no result."""
    engine, seen = watched("tool.after")
    engine.on("tool.failure")(lambda event: seen.append(event.body.error))
    engine.on("stop.failure")(lambda event: seen.append(event.raw["type"]))
    play = Play(engine, CALL, "fine", fails=error)

    if isinstance(error, OSError):
        with pytest.raises(OSError, match="disk full"):
            play.go()
    else:
        assert play.go().output == "fine"
    assert "disk full" in seen[0]
    assert seen[1:] == (["OSError"] if isinstance(error, OSError) else [])


def test_a_model_request_is_refused_answered_or_rewritten() -> None:
    """By what the hook returns."""
    verdicts = [
        hookline.deny("too dear"),
        hookline.Verdict(effects={"return": "from the cache"}),
        hookline.rewrite(messages=[{"role": "user", "content": "else"}]),
    ]
    engine = Engine()
    engine.on("model.request")(lambda _: verdicts.pop(0))
    play = Play(engine, "fine")

    with pytest.raises(RunStoppedError, match="too dear"):
        play.go()
    assert play.go().output == "from the cache"
    assert play.go().output == "fine"
    assert play.last_request() == [("user", "else")]


def test_a_response_is_rewritten_or_rejected() -> None:
    """A rejected one is given again."""
    verdicts = [hookline.deny("be polite"), hookline.rewrite(text="good day"), None]
    engine = Engine()
    engine.on("model.response")(lambda _: verdicts.pop(0))
    play = Play(engine, "hey", "hello")

    assert play.go().output == "good day"
    assert "be polite" in play.last_request()[-1][1]


@pytest.mark.skipif(
    not hasattr(exceptions, "RetryModelRequest"), reason="Pydantic AI 2.64 is the first that can"
)
def test_a_failed_request_is_repeated_if_a_hook_wants_it() -> None:
    """At most three times."""
    engine, seen = watched("model.error", "stop.failure")
    engine.on("model.error")(lambda _: hookline.retry(0))
    play = Play(engine, OSError("down"), "fine", *[OSError("down")] * 3)

    assert play.go().output == "fine"
    with pytest.raises(OSError, match="down"):
        play.go()
    assert seen == ["model.error"] * 4 + ["stop.failure"]


def test_a_limit_is_reported() -> None:
    """It is no other failure."""
    engine, seen = watched("limit.iterations", "stop.failure")
    play = Play(engine, CALL, "fine")

    with pytest.raises(UsageLimitExceeded):
        play.go(usage_limits=UsageLimits(request_limit=1))
    assert seen == ["limit.iterations"]


@pytest.mark.parametrize("kind", ["prompt.submit", "tool.before", "tool.after", "model.response"])
def test_a_halt_ends_the_run(kind: str) -> None:
    """With the reason of the hook."""
    engine = Engine()
    engine.on(kind)(lambda _: hookline.halt("enough"))

    with pytest.raises(RunStoppedError, match="enough") as raised:
        Play(engine, CALL, "fine").go()
    assert raised.value.kind == kind


def test_an_agent_inside_a_tool_is_a_sub_agent() -> None:
    """Its calls are asked about, with its id; its stop is that of a sub-agent."""
    engine, seen = Engine(), []
    for kind in ("prompt.submit", "subagent.start", "tool.before", "subagent.stop", "stop"):
        engine.on(kind)(lambda event: seen.append((event.kind, event.raw.get("agent_type", ""))))
    engine.on("subagent.stop")(
        lambda event: None if event.body.stop_hook_active else hookline.deny("and now?")
    )
    child = Play(engine, CALL, "half", "whole")
    child.agent.name = "helper"
    outer = Agent(
        FunctionModel(Script({"task": "help"}, "fine").answer),
        capabilities=[HooksCapability(engine)],
    )

    @outer.tool_plain(name="run")
    async def delegate(task: str) -> str:
        return str((await child.agent.run(task)).output)

    assert asyncio.run(outer.run("do it")).output == "fine"
    helper = ("subagent.stop", "helper")
    assert seen == [
        ("prompt.submit", ""),
        ("tool.before", ""),
        ("subagent.start", "helper"),
        ("tool.before", ""),
        helper,
        helper,
        ("stop", ""),
    ]


def test_sub_agents_of_the_harness_inherit_the_hooks() -> None:
    """Agents without the capability; and the agent itself, which has it then twice, only once."""
    engine, seen = watched("subagent.start", "subagent.stop", "stop")
    engine.on("tool.before", tool="run")(lambda _: seen.append("run") or hookline.deny("not that"))
    hooks, ran = HooksCapability(engine), []
    for name in ("helper", "self"):
        script = Script({"task": "help", "agent_name": name}, CALL, "half", "fine")
        helper = Agent(FunctionModel(script.answer), name="helper")
        delegating = SubAgents[None](
            agents=[SubAgent(helper)],
            shared_capabilities=[hooks],
            include_self=True,
            tool_name="run_helper",
        )
        outer = Agent(FunctionModel(script.answer), capabilities=[hooks, delegating])
        for agent in (helper, outer):
            agent.tool_plain(name="run")(lambda command: ran.append(command))  # noqa: PLW0108 - the model names it
        script.tools = ["run_helper", "run"]

        assert asyncio.run(outer.run("do it")).output == "fine"
        assert "not that" in script.seen[2][-1]["content"]
    assert ran == []
    assert seen == ["subagent.start", "run", "subagent.stop", "stop"] * 2


def test_a_broken_guard_closes() -> None:
    """The failure rule of the hook counts."""

    def fails(_: hookline.Event) -> None:
        raise ValueError("bad")

    engine = Engine()
    engine.on("tool.before", on_failure=hookline.Stance.DENY)(fails)
    play = Play(engine, CALL, "fine", notify=lambda _: None)
    play.go()

    assert play.ran == []
    assert "bad" in play.last_request()[-1][1]
