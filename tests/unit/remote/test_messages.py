"""Hooks and answers arrive as they were written, and hostile ones are failures."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookline import ConfigError, Engine
from hookline.a3s import Hook, HookConfig, HookMatcher, HookResponse
from hookline.a3s.definitions import read_definition
from hookline.dialects.a3s import A3S
from hookline.dialects.a3s.response import read_response
from hookline.model.verdict import Failure, Outcome, RemoteHandlerError
from hookline.remote.bridge import Bridge
from hookline.remote.messages import (
    find_traceparent,
    read_answer,
    read_hooks,
    to_message,
    to_result,
    use_traceparent,
)
from hookline.remote.proto import bridge_pb2 as pb
from hookline.wire.hookoutput import UnreadableError
from tests.unit.remote.support import CALL, attached, on_loop

# -- hooks -----------------------------------------------------------------------------------------

HOOKS = [
    Hook.new("plain", "PreToolUse"),
    Hook.new("all", "pre_tool_use").with_matcher(
        HookMatcher(tool="Bash", path_pattern="*.rs", command_pattern="x", session_id="s")
    ),
    Hook.new("skill", "skill_load").with_matcher(HookMatcher.skill("pdf*")),
    Hook.new("empty", "pre_tool_use").with_matcher(HookMatcher(tool="", command_pattern="")),
    Hook.new("run", "pre_prompt").with_config(
        HookConfig(priority=-5, timeout_ms=1, fail_mode="open", max_retries=2)
    ),
    Hook.new("first", "pre_prompt").with_config(HookConfig(priority=0, fail_mode="closed")),
    Hook.new("watch", "session_end").with_config(HookConfig(async_execution=True)),
]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.id)
def test_a_definition_arrives_as_it_was_written(hook: Hook) -> None:
    """The engine reads it as this process would."""
    here = read_definition(hook, A3S()).spec
    sent = pb.HookSpec.FromString(to_message(hook).SerializeToString())
    (there,), rejected = read_hooks([sent])
    told = ("id", "kind", "native_event", "rank", "timeout", "detached", "on_failure", "facts")

    assert [getattr(there, field) for field in told] == [getattr(here, field) for field in told]
    assert repr(there.conditions) == repr(here.conditions)
    assert rejected == {}


def test_what_is_not_said_has_its_default() -> None:
    """A priority of 0 equals a missing one (docs/formats/a3s.md 10.2)."""
    (spec,), _ = read_hooks([pb.HookSpec(id="a", event_type="pre_tool_use")])

    assert (spec.rank, spec.timeout) == (0, 30.0)


REJECTED = [
    ("an unknown event", {"event_type": "pre_tool_uze"}, "did you mean `pre_tool_use`?", 0),
    ("a bad expression", {"matcher": pb.Matcher(command_pattern="(")}, "`(`", 1),
    ("an unknown fail mode", {"fail_mode": 7}, "fail_mode", 1),
    ("a limit that is none", {"timeout_ms": 2**32 - 1}, "timeout_ms", 1),
    ("no id", {"id": ""}, "is empty", 1),
]


@pytest.mark.parametrize(
    ("fields", "said", "specs"), [row[1:] for row in REJECTED], ids=[row[0] for row in REJECTED]
)
def test_a_hook_is_rejected_in_the_loaders_words(fields, said, specs) -> None:
    """A hook with a known event takes part as a broken hook."""
    hook = pb.HookSpec(**{"id": "bad", "event_type": "pre_tool_use", **fields})
    found, rejected = read_hooks([hook])

    assert said in rejected[hook.id]
    assert len(found) == specs


def test_patterns_without_an_end_are_refused() -> None:
    """The check comes before their compilation."""
    matcher = pb.Matcher(path_pattern="*" * 50_000)
    hooks = [pb.HookSpec(id=f"{at}", event_type="pre_tool_use", matcher=matcher) for at in range(3)]
    with pytest.raises(ConfigError, match="3 hooks with 150,000 characters of matchers"):
        read_hooks(hooks)


# -- answers ---------------------------------------------------------------------------------------

SAID: list[tuple[str, Any]] = [
    ("nothing", None),
    ("a block", HookResponse.block("no")),
    ("a block without a reason", HookResponse.block()),
    ("an empty reason stays one", HookResponse.block("")),
    ("a retry at once", HookResponse.retry(0)),
    ("a skip", {"action": "skip"}),
    ("a rewrite", {"action": "Continue", "modified": {"a": [1, None]}}),
    ("a rewrite that is nothing much", {"action": "Continue", "modified": 0}),
]


@pytest.mark.parametrize("answer", [row[1] for row in SAID], ids=[row[0] for row in SAID])
def test_what_is_said_arrives(answer) -> None:
    """The engine decodes the answer that the handler gave."""
    sent = to_result(Outcome(answer=answer), "1").SerializeToString()

    assert read_response(read_answer(pb.Result.FromString(sent))) == read_response(answer)


FAILED = [
    ("an exception", Outcome(failure=Failure.RAISED, detail="ValueError: x"), "ValueError: x"),
    ("no thread", Outcome(failure=Failure.NOT_STARTED, detail="64 run"), "64 run"),
    ("an unknown action", Outcome(answer={"action": "allow"}), "unknown action"),
    ("no answer at all", Outcome(answer=7), "the answer is `7`, not an object"),
    ("words that are no UTF-8", Outcome(failure=Failure.RAISED, detail="\ud800"), "\\ud800"),
]


@pytest.mark.parametrize(
    ("outcome", "words"), [row[1:] for row in FAILED], ids=[row[0] for row in FAILED]
)
def test_a_failure_arrives_in_its_words(outcome, words) -> None:
    """The engine never takes it for a Continue."""
    result = to_result(outcome, "1")

    assert result.action == pb.ACTION_UNSPECIFIED
    with pytest.raises(RemoteHandlerError) as caught:
        read_answer(result)
    assert caught.value.failure is Failure.UNREADABLE
    assert words in caught.value.detail


HOSTILE = [
    ("garbage", {"action": 1, "modified_json": b"{"}, "is no JSON"),
    ("nothing", {"action": 1, "modified_json": b""}, "is no JSON"),
    ("a number that is none", {"action": 1, "modified_json": b"NaN"}, "NaN"),
    ("nested without an end", {"action": 1, "modified_json": b"[" * 9000}, "is no JSON"),
    ("an unknown action", {"action": 9}, "9"),
    ("no action", {}, "unknown action"),
    ("a failure beside an action", {"action": 1, "failure": "broken"}, "broken"),
    ("a failure without a word", {"action": 1, "failure": ""}, "gave no reason"),
]


@pytest.mark.parametrize(
    ("fields", "words"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE]
)
def test_what_cannot_be_used_is_a_failure(fields, words) -> None:
    """The bridge or the dialect checks every field."""
    with pytest.raises((RemoteHandlerError, UnreadableError), match=words):
        read_response(read_answer(pb.Result(invocation_id="1", **fields)))


def test_a_huge_delay_can_be_sent() -> None:
    """The delay is cut at 2**53 ms, which blocks for ever all the same."""
    result = to_result(Outcome(answer=HookResponse.retry(1e300)), "1")

    assert read_answer(result)["retry_delay_ms"] == 2**53


def test_a_failures_words_have_an_end() -> None:
    """Users read them."""
    with pytest.raises(RemoteHandlerError) as caught:
        read_answer(pb.Result(failure="x" * 100_000))
    assert len(caught.value.detail) == 4000


# -- tracing ---------------------------------------------------------------------------------------

CARRIED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("given", "told"),
    [(CARRIED, CARRIED), ("", ""), (7, ""), ("\ud800", "")],
    ids=["one", "none", "a number", "no UTF-8"],
)
@on_loop
async def test_what_an_event_carries_goes_along(given: object, told: str) -> None:
    """If it is text that can be sent."""
    end = await attached(Bridge(engine := Engine()))
    asked = asyncio.ensure_future(
        engine.fire_async("pre_tool_use", {**CALL, "traceparent": given}, dialect="a3s")
    )
    invoke = await end.next("invoke")
    end.answer(invoke)
    await asked

    assert invoke.traceparent == told


def test_without_tracing_handlers_run_as_they_are() -> None:
    """Tracing needs OpenTelemetry; handlers do not."""
    with use_traceparent("nonsense"):
        assert find_traceparent(Engine().event("pre_tool_use", CALL, dialect="a3s")) == ""


@on_loop
async def test_the_span_that_an_event_is_raised_in_goes_along() -> None:
    """With OpenTelemetry, the handler's spans are children of that span."""
    trace = pytest.importorskip("opentelemetry.trace", reason="the extra `otel` is not installed")
    sdk: Any = pytest.importorskip(
        "opentelemetry.sdk.trace", reason="the SDK of OpenTelemetry is not installed"
    )
    end = await attached(Bridge(engine := Engine()))
    tracer = sdk.TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("turn") as turn:
        asked = asyncio.ensure_future(engine.fire_async("pre_tool_use", CALL, dialect="a3s"))
    invoke = await end.next("invoke")
    end.answer(invoke)
    await asked
    context = turn.get_span_context()

    assert invoke.traceparent[:-2] == f"00-{context.trace_id:032x}-{context.span_id:016x}-"
    with use_traceparent(invoke.traceparent), tracer.start_as_current_span("handler") as handler:
        assert handler.parent.span_id == context.span_id
    assert trace.get_current_span().get_span_context().span_id == 0
