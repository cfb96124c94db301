"""hookline.a3s: what the API promises beyond the document's examples."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from hookline import a3s
from hookline.a3s import (
    EventChannel,
    Hook,
    HookConfig,
    HookEngine,
    HookEvent,
    HookEventType,
    HookMatcher,
    HookResponse,
    PostToolUseEvent,
    PreToolUseEvent,
    SessionStartEvent,
    SkillLoadEvent,
)
from hookline.a3s.events import PAYLOADS
from hookline.dialects.a3s.table import TABLE, pascal
from hookline.errors import CodecError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

CALL = PreToolUseEvent(
    session_id="s", tool="Bash", args={"command": "ls"}, working_directory="/srv", recent_tools=[]
)
DONE = PostToolUseEvent(
    session_id="s",
    tool="Bash",
    args={"command": "ls"},
    result={"success": True, "output": "", "duration_ms": 1},
)


def engine_with(*hooks: tuple[Hook | dict[str, Any], Any]) -> HookEngine:
    """An engine with these definitions and handlers."""
    engine = HookEngine.new()
    for hook, handler in hooks:
        engine.register(hook, handler)
    return engine


def gate(hook_id: str = "h", **config: Any) -> Hook:
    """A definition on every tool call."""
    return Hook.new(hook_id, HookEventType.PreToolUse).with_config(config)


def answering(action: str, **fields: Any) -> Callable[[HookEvent], dict[str, Any]]:
    """A handler that always says the same."""
    return lambda _: {"action": action, **fields}


# -- names -----------------------------------------------------------------------------------------


def test_the_public_names_are_there_and_sorted() -> None:
    """What the package exports exists, in order."""
    assert a3s.__all__ == sorted(a3s.__all__)
    assert all(hasattr(a3s, name) for name in a3s.__all__)


def test_every_event_has_a_member_and_a_payload() -> None:
    """The enumeration, the payload classes and the table hold the same 28 events."""
    assert {member.name: member.value for member in HookEventType} == {
        pascal(native): native for native in TABLE.rows
    }
    assert len(HookEventType) == 28
    assert list(PAYLOADS) == list(TABLE.rows)


def test_an_event_type_is_read_in_both_spellings() -> None:
    """A member is its snake_case name, and is found by its PascalCase one."""
    assert HookEventType("PreToolUse") is HookEventType.PreToolUse
    assert HookEventType.PreToolUse == "pre_tool_use"
    assert str(HookEventType.PreToolUse) == "pre_tool_use"
    assert Hook.new("h", "SessionEnd").event_type is HookEventType.SessionEnd


# -- registry --------------------------------------------------------------------------------------


def test_definitions_and_handlers_are_two_maps() -> None:
    """A definition without a handler counts and does nothing.

    A handler without a definition is never reached.
    """
    engine = HookEngine.new()
    engine.register_handler("h", answering("Block"))
    assert engine.hook_count() == 0
    assert engine.fire_sync(CALL).is_continue()

    engine.register(gate())
    assert engine.fire_sync(CALL).is_block()

    engine.unregister_handler("h")
    assert (engine.hook_count(), engine.fire_sync(CALL).action) == (1, "Continue")


def test_unregister_returns_the_definition_and_keeps_the_handler() -> None:
    """The handler of an unregistered definition does not run, until the next definition."""
    engine = engine_with((gate(), answering("Block")))

    assert engine.unregister("h") == gate()
    assert engine.unregister("h") is None
    assert (engine.get_hook("h"), engine.all_hooks(), engine.fire_sync(CALL).action) == (
        None,
        [],
        "Continue",
    )
    engine.register(gate())
    assert engine.fire_sync(CALL).is_block()


def test_the_same_id_replaces() -> None:
    """Another definition of an id replaces the former, whose event is forgotten.

    Another handler likewise.
    """
    engine = engine_with(
        (gate(), answering("Block", reason="old")),
        (Hook.new("h", "post_tool_use"), answering("Block", reason="new")),
    )

    assert engine.hook_count() == 1
    assert engine.fire_sync(CALL).is_continue()
    assert engine.fire_sync(DONE).reason == "new"


def test_hooks_of_equal_priority_run_by_id() -> None:
    """Lower priorities run first, then ids in ascending order.

    The order of registration does not count.
    """
    ran: list[str] = []
    engine = HookEngine.new()
    for hook_id, priority in (("z", 100), ("m", 100), ("y", 5), ("a", 100), ("b", -1)):
        engine.register(
            gate(hook_id, priority=priority), lambda _, hook_id=hook_id: ran.append(hook_id)
        )
    engine.register(gate("z", timeout_ms=5))

    assert engine.fire_sync(CALL).is_continue()
    assert ran == ["b", "y", "a", "m", "z"]
    assert [hook.id for hook in engine.matching_hooks(CALL)] == ran
    assert [hook.id for hook in engine.all_hooks()] == ["z", "m", "y", "a", "b"]


def test_a_result_prints_as_one_short_line() -> None:
    """The line leaves out the whole account, and keeps a rewrite that is false."""
    blocked = engine_with((gate(), answering("Block", reason="a\nb"))).fire_sync(CALL)
    done = engine_with((Hook.new("h", "post_tool_use"), answering("Continue", modified=False)))

    assert repr(blocked) == "HookResult({'action': 'Block', 'reason': 'a\\nb', 'hook_id': 'h'})"
    assert repr(done.fire_sync(DONE)) == "HookResult({'action': 'Continue', 'modified': False})"


def test_a_registration_during_a_fire_does_not_change_it() -> None:
    """The hooks of a fire are those that were registered when it began."""
    engine = HookEngine.new()
    late = gate("z")
    engine.register(gate("a"), lambda _: engine.register(late, answering("Block")))

    assert engine.fire_sync(CALL).is_continue()
    assert engine.fire_sync(CALL).is_block()


def test_a_definition_without_a_handler_is_reported_once() -> None:
    """It is inert, shields no later hook, and is a problem once, when it is first asked."""
    engine = engine_with((gate("a"), None), (gate("b"), answering("Block")))
    assert engine.problems == ()

    assert engine.fire_sync(CALL).hook_id == "b"
    engine.fire_sync(CALL)

    assert [problem.name for problem in engine.problems] == ["hook.never-runs"]


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        (Hook.new("h", "pre_tool_uze"), "did you mean `pre_tool_use`?"),
        (gate().with_matcher({"pathPattern": "*"}), "did you mean `path_pattern`?"),
        (gate(timeoutMs=5), "did you mean `timeout_ms`?"),
        (gate().with_matcher(HookMatcher.command("(")), "invalid expression"),
        (gate().with_config(HookConfig(timeout_ms=0)), "out of range"),
        ({"event_type": "pre_tool_use"}, "`id`"),
        ({"hooks": []}, "one hook"),
    ],
)
def test_what_cannot_be_used_is_refused_at_registration(
    hook: Hook | dict[str, Any], said: str
) -> None:
    """The error says what is wrong, and nothing is registered."""
    engine = HookEngine.new()

    with pytest.raises(ConfigError) as caught:
        engine.register(hook, answering("Continue"))

    assert said in str(caught.value)
    assert engine.hook_count() == 0


def test_what_cannot_handle_events_is_refused() -> None:
    """A handler is an object with `handle`, or can be called."""
    with pytest.raises(ConfigError, match="cannot handle events"):
        HookEngine.new().register_handler("h", "echo")  # type: ignore[arg-type]


def test_an_odd_definition_is_a_problem() -> None:
    """An asynchronous gate is registered, and awaited, with a warning."""
    engine = engine_with((gate(async_execution=True), answering("Block")))

    assert [problem.name for problem in engine.problems] == ["async.cannot-block"]
    assert engine.fire_sync(CALL).is_block()


def test_an_invalid_expression_may_be_a_substring() -> None:
    """For migration, an expression that does not compile is searched as it stands."""
    engine = HookEngine(invalid_regex="substring")
    engine.register(gate().with_matcher(HookMatcher.command("rm (")), answering("Block"))

    assert engine.fire_sync(PreToolUseEvent(tool="Bash", args={"command": "rm ("})).is_block()
    assert engine.problems[0].name == "matcher.regex"


# -- definitions as JSON ---------------------------------------------------------------------------


def test_a_definition_is_its_json() -> None:
    """A definition written and read is the same, in either spelling of its event."""
    matcher = (
        HookMatcher.new().with_tool("Bash").with_path("*.rs").with_command("rm").with_session("")
    )
    hook = (
        Hook.new("h", "PreToolUse")
        .with_matcher(matcher)
        .with_config(HookConfig(priority=-1, fail_mode="open", max_retries=2))
    )

    engine = HookEngine.new()
    engine.register(json.loads(json.dumps(hook.to_dict())))
    assert engine.get_hook("h") == hook
    assert hook.to_dict()["event_type"] == "pre_tool_use"


@pytest.mark.parametrize("event", HookEventType)
def test_an_event_goes_through_json(event: HookEventType) -> None:
    """Events of every type, read in both spellings and written in snake_case."""
    fired = HookEvent(event.name, {"session_id": "s", "tool": "Bash", "args": {}})

    assert HookEvent.of(json.dumps(fired)) == fired
    assert json.loads(json.dumps(fired))["event_type"] == event.value


def test_a_matcher_has_factories_and_builders() -> None:
    """It is a dict of its fields."""
    assert HookMatcher.tool("Bash") == {"tool": "Bash"}
    assert HookMatcher.skill("pdf").with_skill("x*") == {"skill": "x*"}
    assert HookMatcher.path("*").with_command("x").with_session("s") == HookMatcher(
        path_pattern="*", command_pattern="x", session_id="s"
    )
    assert HookMatcher.new() == HookMatcher() == {}


# -- events ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "event",
    [
        CALL,
        HookEvent(HookEventType.PreToolUse, CALL),
        HookEvent("PreToolUse", dict(CALL)),
        {"event_type": "PreToolUse", "payload": dict(CALL)},
        json.dumps(HookEvent("pre_tool_use", CALL)),
    ],
)
def test_an_event_may_be_said_in_many_ways(event: Any) -> None:
    """Payload, event, document or JSON: handlers are given the same event."""
    given: list[HookEvent] = []
    engine = engine_with((gate(), given.append))

    assert engine.fire_sync(event).is_continue()
    assert given == [HookEvent("pre_tool_use", CALL)]
    assert given[0]["payload"]["args"] == given[0].payload.args == {"command": "ls"}
    assert (given[0].session_id, given[0].event_type.name) == ("s", "PreToolUse")


@pytest.mark.parametrize(
    "event",
    [
        {"payload": {}},
        {"event_type": "nope"},
        "[]",
        "{",
        {"event_type": "pre_tool_use", "payload": []},
    ],
)
def test_what_is_no_event_is_refused(event: Any) -> None:
    """An unknown event, or a document that is none, is a codec error."""
    with pytest.raises(CodecError):
        HookEngine.new().fire_sync(event)


def test_optional_fields_read_as_none() -> None:
    """A field that an event may leave out is None; a name that it never has is an error."""
    assert SkillLoadEvent(skill_name="pdf").version is None
    with pytest.raises(AttributeError, match="there is no `args`"):
        _ = SkillLoadEvent(skill_name="pdf").args
    with pytest.raises(KeyError):
        HookEvent("skill_load")["id"]


def test_an_absent_argument_reads_as_none() -> None:
    """The document's `args.timeout || 30000` works when the call has no `timeout`."""
    seen: list[Any] = []
    engine = engine_with((gate(), lambda event: seen.append(event.payload.args.timeout or 30000)))

    assert engine.fire_sync(CALL).is_continue()
    assert seen == [30000]


def test_handlers_get_their_own_copy() -> None:
    """Editing the event in place changes nothing, neither for later hooks nor for the host."""
    given = PreToolUseEvent(tool="Bash", args={"command": "ls", "deep": [{"a": 1}]})
    seen: list[Any] = []

    def edit(event: HookEvent) -> None:
        event.payload.args["command"] = "rm"
        event.payload.args.deep[0]["a"] = 2

    engine = engine_with(
        (gate("a"), edit), (gate("b"), lambda event: seen.append(event.payload.args))
    )

    assert engine.fire_sync(given).modified is None
    assert seen == [{"command": "ls", "deep": [{"a": 1}]}]
    assert given.args["deep"] == [{"a": 1}]


def test_the_event_channel_never_waits() -> None:
    """Every event is cloned into the channel, hooks or not.

    A full one drops the oldest, and counts it.
    """
    channel = EventChannel(2)
    engine = HookEngine.new().with_event_channel(channel)
    for session in "abc":
        engine.fire_sync(SessionStartEvent(session_id=session))

    async def receive() -> HookEvent:
        waiting = asyncio.ensure_future(channel.receive())
        await asyncio.sleep(0)
        await engine.fire(SessionStartEvent(session_id="d"))
        return await waiting

    taken = [channel.take(), channel.take(), channel.take()]
    assert [event.session_id if event else None for event in taken] == ["b", "c", None]
    assert (channel.dropped, len(channel)) == (1, 0)
    assert asyncio.run(receive()).session_id == "d"
    with pytest.raises(ValueError, match="at least one"):
        EventChannel(0)


def test_closing_waits_for_threads() -> None:
    """An engine is a context manager, which drains its asynchronous hooks."""
    started, ended = threading.Event(), []
    with HookEngine.new() as engine:
        engine.register(
            Hook.new("h", "post_tool_use").with_config({"async_execution": True}),
            lambda _: (started.wait(5), ended.append(1)),
        )
        engine.fire_sync(DONE)
        started.set()

    assert ended == [1]
    assert HookResponse.skip().with_hook_id("h").to_dict() == {"action": "Skip", "hook_id": "h"}
