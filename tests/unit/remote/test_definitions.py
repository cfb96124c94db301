"""Definitions as they are sent are the definitions that were written."""

from __future__ import annotations

import pytest

from hookline.a3s import Hook, HookConfig, HookMatcher
from hookline.a3s.definitions import read_definition
from hookline.dialects.a3s import A3S
from hookline.remote.definitions import read_hooks, to_message
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb

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
    """The engine reads what it would read here."""
    here = read_definition(hook, A3S()).spec
    (there,) = read_hooks(
        [pb.HookSpec.FromString(to_message(hook).SerializeToString())], A3S(), Bounds()
    ).specs
    told = ("id", "kind", "native_event", "rank", "timeout", "detached", "on_failure", "facts")

    assert [getattr(there, field) for field in told] == [getattr(here, field) for field in told]
    assert repr(there.conditions) == repr(here.conditions)


def test_what_is_not_said_has_its_default() -> None:
    """Only the priority counts as it stands: the wire cannot tell 0 from nothing (docs/formats/a3s.md 10.2)."""
    (spec,) = read_hooks([pb.HookSpec(id="a", event_type="pre_tool_use")], A3S(), Bounds()).specs

    assert (spec.rank, spec.timeout) == (0, 30.0)


def test_an_event_that_nobody_knows_is_rejected() -> None:
    """And takes part in nothing, because nobody knows in what."""
    found = read_hooks([pb.HookSpec(id="a", event_type="tool_error")], A3S(), Bounds())

    assert found.specs == ()
    assert "unknown event `tool_error`" in found.rejected["a"]
