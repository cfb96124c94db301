"""Firing: what an engine makes of an event, a name and a payload, and what it keeps."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

import hookline
from hookline import (
    CodecError,
    ConfigError,
    Event,
    Lifecycle,
    Reply,
    Stance,
    Verdict,
)
from tests.unit.engine.in_process import CALL, PROMPT, STOP, an_engine, fired, guarded

if TYPE_CHECKING:
    from typing import Any


NATIVE = {"tool_name": "shell", "tool_input": {"cmd": "ls"}, "session_id": "s1", "cwd": "/w"}


BROKEN = {"hooks": {"pre_tool_use": [{"hooks": [{"type": "comand", "command": "true"}]}]}}


def test_a_canonical_event_is_fired_as_it_is() -> None:
    """Without hooks the decision is silent."""
    decision = an_engine().fire(CALL)

    assert (decision.kind, decision.dialect, decision.native_event, decision.stance) == (
        "tool.before",
        "hookline",
        "tool.before",
        Stance.SILENT,
    )


def test_an_event_is_fired_by_its_canonical_name() -> None:
    """With a payload in canonical words."""
    engine = guarded(hookline.deny("no"))
    decision = engine.fire("tool.before", {"tool": "bash", "input": {"command": "ls"}})

    assert (decision.stance, decision.dialect, decision.native_event) == (
        Stance.DENY,
        "hookline",
        "tool.before",
    )


def test_an_event_is_fired_by_its_native_name() -> None:
    """With the host's own payload, and its dialect by name."""
    decision = guarded(hookline.deny("no")).fire("pre_tool_use", NATIVE, dialect="docker-agent")

    assert (decision.kind, decision.dialect, decision.native_event) == (
        "tool.before",
        "docker-agent",
        "pre_tool_use",
    )
    assert decision.stance is Stance.DENY


def test_a_canonical_name_means_a_dialects_event_where_the_dialect_is_named() -> None:
    """`turn.start` of docker-agent is its `turn_start`."""
    decision = an_engine().fire("turn.start", {}, dialect="docker-agent")

    assert (decision.kind, decision.native_event) == ("turn.start", "turn_start")


def test_a_native_name_needs_no_dialect_where_only_one_loaded_one_has_it() -> None:
    """With docker-agent's hooks loaded, its event needs no dialect."""
    engine = an_engine().add_source({"hooks": {}}, dialect="docker-agent")

    assert engine.fire("pre_tool_use", NATIVE).dialect == "docker-agent"


def test_a_name_belongs_to_the_dialect_whose_hooks_are_there() -> None:
    """`stop` is also docker-agent's.

    Only where no loaded dialect has it is it the canonical event.
    """
    assert an_engine().fire("stop").dialect == "hookline"
    engine = an_engine().add_source({"hooks": {}}, dialect="docker-agent")

    assert engine.fire("stop").dialect == "docker-agent"
    assert engine.fire("stop", dialect="hookline").dialect == "hookline"


@pytest.mark.parametrize(
    ("name", "dialect", "words"),
    [
        ("tool.befor", None, "which dialect's `tool.befor`?"),
        ("pre_tool_usee", "docker-agent", "did you mean `pre_tool_use`?"),
        ("PreToolUse", "docker-agent", "did you mean `pre_tool_use`?"),
        ("zzzz", "docker-agent", "its events: "),
    ],
)
def test_an_unknown_event_is_an_error_with_a_hint(
    name: str, dialect: str | None, words: str
) -> None:
    """A misspelled gate must not be silence."""
    with pytest.raises(CodecError) as caught:
        an_engine().fire(name, NATIVE, dialect=dialect)
    assert caught.value.name == "wire.event"
    assert words in str(caught.value)


def test_an_unknown_event_of_the_only_loaded_dialect_is_told_the_nearest() -> None:
    """Without a dialect named, the loaded one is asked for a suggestion."""
    engine = an_engine().add_source({"hooks": {}}, dialect="docker-agent")
    with pytest.raises(CodecError, match="did you mean `pre_tool_use`"):
        engine.fire("pre_tool_usee", NATIVE)


def test_a_name_that_two_loaded_dialects_have_is_ambiguous() -> None:
    """The hint says how to choose."""
    engine = an_engine().add_source({"hooks": {}}, dialect="docker-agent")
    engine.host("starchild")
    shared = sorted(
        set(engine.host("docker-agent").table.rows) & set(engine.host("starchild").table.rows)
    )
    ambiguous = shared or ["pre_tool_use"]
    if not shared:
        engine.host("hermes")
        ambiguous = sorted(
            set(engine.host("hermes").table.rows) & set(engine.host("starchild").table.rows)
        )

    with pytest.raises(CodecError, match="name the dialect"):
        engine.fire(ambiguous[0], {})


def test_an_unknown_dialect_is_an_error_with_a_hint() -> None:
    """Whether it is named beside an event or inside one."""
    with pytest.raises(ConfigError, match="did you mean `docker-agent`"):
        an_engine().fire("pre_tool_use", {}, dialect="docker_agnt")
    with pytest.raises(ConfigError, match="unknown dialect"):
        an_engine().fire(CALL.replace(dialect="nonsense"))


@pytest.mark.parametrize("payload", [{}, {"tool_name": 3}, {**NATIVE, "cwd": []}])
def test_a_payload_that_cannot_be_understood_is_an_error(payload: dict[str, Any]) -> None:
    """No hook is asked about half an event."""
    with pytest.raises(CodecError):
        guarded(hookline.allow()).fire("pre_tool_use", payload, dialect="docker-agent")


def test_an_event_without_a_folder_happens_in_the_engines() -> None:
    """Relative paths need a folder."""
    engine = an_engine(cwd="/project")

    assert engine.event(CALL).cwd == "/project"
    assert (
        engine.event("pre_tool_use", {**NATIVE, "cwd": ""}, dialect="docker-agent").cwd
        == "/project"
    )
    assert engine.event(CALL.replace(cwd="/other")).cwd == "/other"


def test_a_python_hook_needs_no_folder() -> None:
    """The engine looks for an existing folder only if a hook runs in one.

    That costs as much as the rest of an event.
    """
    engine = an_engine(cwd="/")
    folders: list[str] = []
    engine.on("tool.before")(lambda event: folders.append(event.folder))
    engine.fire(CALL.replace(cwd="/gone"))
    assert folders == [""]

    source = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    engine.add_source(source, dialect="claude-code")
    engine.fire(CALL.replace(cwd="/gone"))
    assert folders == ["", "/"]


def test_a_host_hears_hooks_of_other_dialects() -> None:
    """N + M: a docker-agent hook guards a Claude Code host."""
    engine = an_engine().add_source(BROKEN, dialect="docker-agent", mode="strict")
    decision = engine.fire(
        "PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}, dialect="claude-code"
    )

    assert decision.stance >= Stance.ASK


def test_an_unknown_event_can_be_listened_to() -> None:
    """A newer host's event passes under its own name."""
    heard: list[str] = []
    engine = an_engine()
    engine.on("x.docker-agent.dream")(lambda event: heard.append(event.body.value("depth")))
    engine.answer("docker-agent", {"hook_event_name": "dream", "depth": "deep"})

    assert heard == ["deep"]


@pytest.mark.parametrize("answer", [42, "deny", {"decision": "deny"}, [Verdict()], Stance.DENY])
def test_garbage_from_a_hook_is_its_failure(answer: Any) -> None:
    """It denies nothing by accident, and the decision names it."""
    engine = an_engine()
    engine.on("tool.before", name="odd", on_failure=Stance.ASK)(lambda _: answer)
    decision = engine.fire(CALL)

    assert decision.stance is Stance.ASK
    assert "which is no verdict" in decision.reason


def test_an_exception_in_a_hook_is_its_failure() -> None:
    """Named with its class and message."""
    engine = an_engine()

    @engine.on("tool.before", name="odd", on_failure=Stance.DENY)
    def odd(event: Event) -> None:
        raise KeyError(event.tool)

    assert engine.fire(CALL).reason == "hook `odd` failed: raised an exception: KeyError: 'bash'"


def test_an_exception_in_one_hook_leaves_the_others_alone() -> None:
    """The next hook is asked."""
    engine = an_engine()

    @engine.on("tool.before")
    async def odd(event: Event) -> None:
        raise ValueError(event)

    engine.on("tool.before")(lambda _: hookline.deny("no"))

    assert engine.fire(CALL).reason == "no"


@pytest.mark.parametrize("through", ["fire", "fire_async", "fire in a loop"])
def test_an_asynchronous_hook_has_its_time(through: str) -> None:
    """One that waits for ever is ended by its own limit, however it was fired."""
    engine = an_engine()
    ended: list[bool] = []

    @engine.on("tool.before", name="slow", timeout=0.01, on_failure=Stance.DENY)
    async def slow(event: Event) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    decision = fired(engine, through)

    assert decision.reason == "hook `slow` failed: timed out: after 0.01 s"
    assert ended == [True]


@pytest.mark.parametrize("through", ["fire", "fire_async", "fire in a loop"])
def test_hooks_of_both_sorts_are_asked_in_order(through: str) -> None:
    """Plain and asynchronous ones see each other's rewrites."""
    engine = an_engine()

    @engine.on("tool.before")
    def first(event: Event) -> Verdict:
        return hookline.rewrite({"command": event.command + "1"})

    @engine.on("tool.before")
    async def second(event: Event) -> Verdict:
        await asyncio.sleep(0)
        return hookline.rewrite({"command": event.command + "2"})

    @engine.on("tool.before")
    def third(event: Event) -> Verdict:
        return hookline.deny(event.command)

    decision = fired(engine, through)

    assert decision.reason == "ls12"
    assert decision.rewrite is not None
    assert decision.rewrite.value == {"command": "ls12"}


def test_an_answer_is_in_the_hosts_words() -> None:
    """The host's payload goes in, what a hook of that host would print comes out."""
    reply = guarded(hookline.deny("no")).answer(
        "docker-agent", {"hook_event_name": "pre_tool_use", **NATIVE}
    )

    assert reply.exit_code == 0
    assert json.loads(reply.stdout)["hook_specific_output"]["permission_decision"] == "deny"


def test_a_payload_may_be_a_text() -> None:
    """It is what a host sends."""
    payload = {"hook_event_name": "pre_tool_use", **NATIVE}
    engine = guarded(hookline.deny("no"))

    assert engine.answer("docker-agent", json.dumps(payload)) == engine.answer(
        "docker-agent", payload
    )
    with pytest.raises(CodecError):
        engine.answer("docker-agent", "{")


def test_no_opinion_is_answered_with_nothing() -> None:
    """The exact no-op of the host."""
    assert (
        guarded(None).answer("docker-agent", {"hook_event_name": "pre_tool_use", **NATIVE})
        == Reply()
    )


def test_what_cannot_be_understood_is_not_answered() -> None:
    """The caller decides what that means to the host."""
    for payload in (None, [], {}, {"hook_event_name": "pre_tool_use"}):
        with pytest.raises(CodecError):
            an_engine().answer("docker-agent", payload)


def test_an_observer_is_told_every_event_and_its_decision() -> None:
    """Also the silent ones and those that were cut."""
    seen: list[tuple[str, Stance]] = []
    engine = guarded(
        hookline.deny("no"),
        observe=lambda event, decision: seen.append((event.kind, decision.stance)),
    )
    engine.fire(CALL)
    engine.fire(PROMPT)
    asyncio.run(engine.fire_async(CALL))

    assert seen == [
        ("tool.before", Stance.DENY),
        ("prompt.submit", Stance.SILENT),
        ("tool.before", Stance.DENY),
    ]


def test_an_observer_sees_what_the_host_is_told() -> None:
    """At the limit of redos: leave to stop."""
    seen: list[bool] = []
    engine = guarded(
        hookline.deny("more"),
        "stop",
        redo_limit=1,
        observe=lambda _, decision: seen.append(decision.redo),
    )
    engine.fire(STOP)
    engine.fire(STOP)

    assert seen == [True, False]


def test_an_engine_is_a_context_manager() -> None:
    """Closing one that started nothing is nothing, also twice."""
    with an_engine() as engine:
        assert engine.fire(CALL).allowed
    engine.close()


def test_a_decision_tells_how_long_it_took() -> None:
    """In seconds, in the decision and in each verdict."""
    decision = guarded(hookline.allow()).fire(CALL)

    assert decision.seconds > 0
    assert decision.verdicts[0].seconds > 0


def test_facts_of_a_lifecycle_event_reach_the_hook() -> None:
    """An event without a body of its own brings everything as facts."""
    heard: list[Any] = []
    engine = an_engine()
    engine.on("config.change")(lambda event: heard.append(event.body.value("source")))
    engine.fire(Event(kind="config.change", body=Lifecycle(facts={"source": "user"})))

    assert heard == ["user"]
