"""Hooks of one agent's run, asked without any framework."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import hookline
from hookline import Engine, Stance, Verdict
from hookline.adapters.agent_hooks import AgentHooks
from hookline.adapters.answers import Call, RunStoppedError


class BrokenEngine(Engine):
    """An engine that cannot ask its hooks."""

    async def fire_async(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("out of order")


def engine_that(kind: str, verdict: Any, **options: Any) -> Engine:
    """An engine with one hook, which always returns this verdict."""
    engine = Engine()
    engine.on(kind, **options)(lambda _: verdict)
    return engine


def test_a_denied_call_is_a_refusal_and_a_rewrite_the_input() -> None:
    """Each with the reason or value of the hook."""
    denied = AgentHooks(engine_that("tool.before", hookline.deny("not that")))
    changed = AgentHooks(engine_that("tool.before", hookline.rewrite({"flag": "-h"})))

    refused = asyncio.run(denied.before_tool("shell", {"command": "ls"}, "1"))
    rewritten = asyncio.run(changed.before_tool("shell", {"command": "ls"}, "1"))

    assert refused.refusal == "not that"
    assert rewritten.input == {"command": "ls", "flag": "-h"}
    assert rewritten.refusal == ""


def test_the_answer_about_a_call_is_stored_until_the_call_is_over() -> None:
    """A framework that asks again gets it, and the hook runs once."""
    engine, asked = Engine(), []

    @engine.on("tool.before")
    def count(event: hookline.Event) -> Verdict:
        asked.append(event.input)
        return hookline.ask("sure?")

    async def run() -> list[str]:
        hooks = AgentHooks(engine)
        first = await hooks.before_tool("t", {"a": 1}, "1")
        again = await hooks.before_tool("t", {"a": 1}, "1")
        other = await hooks.before_tool("t", {"a": 2}, "1")
        await hooks.after_tool("t", {"a": 2}, "1", "done")
        await hooks.before_tool("t", {"a": 2}, "1")
        return [first.question, again.question, other.question]

    assert asyncio.run(run()) == ["sure?"] * 3
    assert asked == [{"a": 1}, {"a": 2}, {"a": 2}]


def test_a_tool_has_the_name_that_hooks_know() -> None:
    """So that a hook for `Bash` selects the framework's own shell tool."""
    engine = Engine.load(
        {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "echo no >&2; exit 2"}]}]}},
        dialect="claude-code",
    )  # fmt: skip
    hooks = AgentHooks(engine, tools={"run_command": "shell"})

    answer = asyncio.run(hooks.before_tool("run_command", {"command": "ls"}, "1"))
    other = asyncio.run(hooks.before_tool("weather", {"command": "ls"}, "2"))

    assert (answer.refusal, other.refusal) == ("no", "")


@pytest.mark.parametrize(
    ("given", "granted", "reason"),
    [
        (None, False, "sure?"),
        (True, True, ""),
        (False, False, "the user did not allow it: sure?"),
        (OSError("no terminal"), False, "the user did not allow it: sure?"),
    ],
)
def test_a_question_needs_a_person(given: Any, granted: bool, reason: str) -> None:
    """Without one, or if asking fails, the call is refused."""
    seen: list[Call] = []
    notices: list[str] = []

    async def answer(_: str, call: Call) -> bool:
        seen.append(call)
        if isinstance(given, Exception):
            raise given
        return bool(given)

    hooks = AgentHooks(Engine(), ask=None if given is None else answer, notify=notices.append)
    approval = asyncio.run(hooks.approve("shell", {"command": "ls"}, "1", "sure?"))

    assert (approval.granted, approval.reason) == (granted, reason)
    assert approval.answered is (given is not None)
    assert seen == [Call(tool="shell", input={"command": "ls"}, call_id="1")] * len(seen)
    assert bool(notices) is isinstance(given, Exception)


@pytest.mark.parametrize(
    ("verdict", "granted"), [(hookline.allow(), True), (hookline.deny("never"), False)]
)
def test_a_hook_can_answer_for_the_person(verdict: Verdict, granted: bool) -> None:
    """A hook on permission requests decides before a person is asked."""
    engine, resolved = engine_that("tool.permission.request", verdict), []
    engine.on("tool.permission.resolved")(lambda event: resolved.append(event.raw["source"]))

    approval = asyncio.run(AgentHooks(engine).approve("shell", {}, "1", "sure?"))

    assert (approval.granted, approval.answered) == (granted, True)
    assert resolved == ["hook"]


def test_a_prompt_can_be_refused_rewritten_and_accompanied() -> None:
    """A question about a prompt is a refusal if there is no person."""
    kind = "prompt.submit"
    hooks = [
        AgentHooks(engine_that(kind, verdict))
        for verdict in (
            hookline.deny("no secrets"),
            hookline.rewrite(text="HELLO"),
            hookline.context("it is Monday"),
            hookline.ask("really?"),
        )
    ]
    for refusing, reason in ((hooks[0], "no secrets"), (hooks[3], "really?")):
        with pytest.raises(RunStoppedError, match=reason):
            asyncio.run(refusing.submit_prompt("hello"))
    rewritten, accompanied = (asyncio.run(each.submit_prompt("hello")) for each in hooks[1:3])

    assert (rewritten.text, accompanied.text) == ("HELLO", "hello")
    assert accompanied.context == ("it is Monday",)


def test_a_stop_sends_back_until_the_limit() -> None:
    """The engine counts, by session and by sub-agent; a prompt begins a new turn."""
    notices: list[str] = []
    engine = engine_that("stop", hookline.deny("run the tests"))

    async def run() -> list[str]:
        hooks = AgentHooks(engine, session_id="s", notify=notices.append)
        told = [await hooks.stop("done") for _ in range(4)]
        await hooks.submit_prompt("again")
        return [*told, await hooks.stop("done"), await hooks.child("a").stop("done")]

    said = asyncio.run(run())

    assert said == ["run the tests"] * 3 + ["", "run the tests", ""]
    assert notices == [
        "a hook sent the agent back 3 times in this turn, which is the limit; it may stop now"
    ]


def test_a_sub_agent_has_its_own_events() -> None:
    """With its id, in the session of the agent that started it."""
    engine, seen = Engine(), []
    engine.on("subagent.start")(lambda event: hookline.context(f"task {event.raw['task']}"))
    engine.on("subagent.stop")(lambda event: seen.append(event.raw))

    async def run() -> Any:
        child = AgentHooks(engine, session_id="s").child("7", "reviewer")
        start = await child.begin_turn("review")
        await child.stop("fine")
        return start

    assert asyncio.run(run()).context == ("task review",)
    assert [(raw["session_id"], raw["agent_id"], raw["agent_type"]) for raw in seen] == [
        ("s", "7", "reviewer")
    ]


def test_results_requests_and_responses_can_be_changed() -> None:
    """Each answer carries the value to use."""
    engine = Engine()
    engine.on("tool.after")(lambda _: hookline.rewrite(output="***"))
    engine.on("tool.failure")(lambda _: hookline.context("try later"))
    engine.on("model.request")(lambda _: hookline.rewrite(messages=[]))
    engine.on("model.response")(lambda _: hookline.rewrite(text="short"))
    engine.on("model.error")(lambda _: hookline.retry(2))
    hooks = AgentHooks(engine)

    async def run() -> list[Any]:
        return [
            (await hooks.after_tool("t", {}, "1", "secret", 0.1)).result,
            (await hooks.tool_failed("t", {}, "1", "boom")).context,
            (await hooks.before_model("m", [{"role": "user", "content": "x"}])).messages,
            (await hooks.after_model("m", "long", {"input_tokens": 1})).response,
            await hooks.model_error("m", OSError("down")),
        ]

    expected = ["***", ("try later",), [], "short", 2]
    assert asyncio.run(run()) == expected


def test_a_halt_ends_the_run() -> None:
    """Before a call, after it, and after a response."""

    def ends(kind: str) -> Any:
        hooks = AgentHooks(engine_that(kind, hookline.halt("enough")))
        match kind:
            case "tool.before":
                return hooks.before_tool("t", {}, "1")
            case "tool.after":
                return hooks.after_tool("t", {}, "1", 1)
            case _:
                return hooks.after_model("m", "text", {})

    for kind in ("tool.before", "tool.after", "model.response"):
        with pytest.raises(RunStoppedError, match="enough") as caught:
            asyncio.run(ends(kind))
        assert caught.value.kind == kind


def test_a_response_that_the_model_cannot_repeat_ends_the_run() -> None:
    """Before that, the model answers again."""
    hooks = AgentHooks(engine_that("model.response", hookline.deny("no emoji")))

    assert asyncio.run(hooks.after_model("m", "text", {})).refusal == "no emoji"
    with pytest.raises(RunStoppedError, match="no emoji"):
        asyncio.run(hooks.after_model("m", "text", {}, is_last=True))


def test_context_before_a_call_comes_with_its_result() -> None:
    """That of a refused call is a part of the refusal, and that of a result stands beside it."""

    async def run(*verdicts: Verdict) -> Any:
        engine = Engine()
        for verdict in verdicts:
            engine.on("tool.before")(lambda _, verdict=verdict: verdict)
        hooks = AgentHooks(engine)
        before = await hooks.before_tool("t", {})
        return before, await hooks.after_tool("t", {}, "", "done")

    note = hookline.context("mind the gap")
    ran, after = asyncio.run(run(note))
    refused, _ = asyncio.run(run(note, hookline.deny("no")))

    assert (ran.context, after.context) == ((), ("mind the gap",))
    assert refused.refusal == "no\n\nmind the gap"


def test_a_gate_that_cannot_be_asked_stays_closed() -> None:
    """What only observes goes on, and the user is told of both."""
    notices: list[str] = []
    hooks = AgentHooks(BrokenEngine(), notify=notices.append)

    async def stopped(asked: Any) -> str:
        with pytest.raises(RunStoppedError) as caught:
            await asked
        return caught.value.reason

    async def run() -> list[Any]:
        return [
            (await hooks.before_tool("t", {}, "1")).refusal,
            await stopped(hooks.submit_prompt("x")),
            await stopped(hooks.before_model("m", [])),
            (await hooks.approve("t", {}, "1", "sure?")).granted,
            (await hooks.after_tool("t", {}, "1", "secret")).result,
            await hooks.stop("done"),
        ]

    closed = "hookline could not ask the hooks: out of order"
    withheld = "hookline withheld the result, because it could not ask the hooks about it"
    assert asyncio.run(run()) == [closed, closed, closed, False, withheld, ""]
    assert notices[0] == f"tool.before: {closed}"
    asyncio.run(hooks.end_session("exit"))
    assert notices[-1] == f"session.end: {closed}"


def test_a_guard_that_fails_decides_as_it_says() -> None:
    """The failure rule of the hook counts, and the user is told."""

    def fails(_: hookline.Event) -> None:
        raise ValueError("bad")

    notices: list[str] = []
    engine = Engine()
    engine.on("tool.before", tool="closed", on_failure=Stance.DENY)(fails)
    engine.on("tool.before", tool="open")(fails)
    hooks = AgentHooks(engine, notify=notices.append)

    closed = asyncio.run(hooks.before_tool("closed", {}, "1"))
    opened = asyncio.run(hooks.before_tool("open", {}, "2"))

    assert "bad" in closed.refusal
    assert opened.refusal == ""
    assert any("bad" in each for each in notices)
