"""The a3s dialect in an engine: options, combining, results for its host, other hosts' events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hookline
from hookline.core.dialect import Source
from hookline.core.match import holds
from hookline.dialects.a3s import A3S
from hookline.dialects.a3s.decode_outcome import NO_HANDLER
from hookline.dialects.a3s.encode_decision import to_result
from hookline.dialects.a3s.table import TABLE
from hookline.dialects.claude_code import ClaudeCode
from hookline.engine.catalog import make_dialect
from hookline.errors import CodecError, ConfigError
from hookline.model import kinds
from hookline.model.event import Event, Rewrite, ToolCall
from hookline.model.spec import Broken
from hookline.model.verdict import Decision, Failure, Outcome, Stance, Verdict

if TYPE_CHECKING:
    from hookline.model.spec import HookSpec

A = A3S()
GATES = {
    "pre_tool_use",
    "permission_request",
    "pre_compact",
    "pre_prompt",
    "pre_planning",
    "pre_run_control",
}


def spec_of(event: str = "pre_tool_use", **config: object) -> HookSpec:
    """A hook on an event."""
    loaded = A.load(Source(tree={"id": "h", "event_type": event, "config": config}))
    assert loaded.problems == ()
    return loaded.specs[0]


def decided(*verdicts: Verdict, **fields: object) -> Decision:
    """A decision about a tool call."""
    return Decision(
        kind="tool.before", dialect="a3s", native_event="pre_tool_use", verdicts=verdicts, **fields
    )  # type: ignore[arg-type]


# -- table -----------------------------------------------------------------------------------------


def test_the_gates_are_those_of_the_page() -> None:
    """Six events of 28 fail closed."""
    rows = list(TABLE.rows.values())

    assert len(rows) == 28
    assert {row.native for row in rows if row.fails is Stance.DENY} == GATES
    assert {row.native for row in rows if row.can_block} == GATES | {"generate_start"}
    assert {row.native for row in rows if "input" in row.powers} == {
        "pre_tool_use",
        "permission_request",
    }
    assert {row.native for row in rows if row.sessionless} == {"skill_load", "skill_unload"}


def test_the_kinds_are_canonical_or_our_own() -> None:
    """Six kinds are canonical, the others `x.a3s.*`, and no two events share one."""
    found = [row.kind for row in TABLE.rows.values()]

    assert len(set(found)) == len(found)
    assert all(kind in kinds.NAMES or kind.startswith("x.a3s.") for kind in found)
    for native, kind in kinds.native_names("seed2-a3s").items():
        row = TABLE.row(native)
        assert row is not None
        assert row.kind == kind


# -- options and combining -------------------------------------------------------------------------


def test_the_catalogue_makes_it() -> None:
    """By name, with its option; any other is refused."""
    assert make_dialect("a3s", {"invalid_regex": "substring"}).table is TABLE
    with pytest.raises(ConfigError, match="has no option"):
        make_dialect("a3s", {"exact": True})
    with pytest.raises(ConfigError, match="invalid_regex"):
        A3S(invalid_regex="python")


def test_definitions_of_several_sources_are_one_registry() -> None:
    """A later source replaces the definition of an earlier one by its id, in its place."""
    engine = hookline.Engine.from_config(
        {"hooks": [{"id": "b", "event_type": "SessionEnd"}]}, dialect="a3s"
    )
    engine.add_source(
        [{"id": "b", "event_type": "pre_tool_use"}, {"id": "a", "event_type": "pre_tool_use"}],
        dialect="a3s",
    )  # type: ignore[arg-type]

    assert [(hook.name, hook.native_event) for hook in engine.hooks] == [
        ("a", "pre_tool_use"),
        ("b", "pre_tool_use"),
    ]


def test_definitions_without_handlers_say_so() -> None:
    """In an engine that knows definitions only, they do nothing, and a note tells."""
    engine = hookline.Engine.from_config({"id": "h", "event_type": "PreToolUse"}, dialect="a3s")

    decision = engine.fire(
        "pre_tool_use", {"session_id": "s", "tool": "Bash", "args": {}}, dialect="a3s"
    )

    assert decision.allowed
    assert decision.for_user == ("hook `h` has no handler and does nothing",)
    assert (
        A.decode_outcome(Outcome(answer=NO_HANDLER), spec_of(), Event(kind="tool.before")).fault
        is None
    )


def test_a_source_that_is_no_configuration_is_reported() -> None:
    """Unreadable text leaves a broken hook at each event whose host would have acted."""
    loaded = A.load(Source(file="hooks.json", text="{"))

    assert [problem.name for problem in loaded.problems] == ["config.syntax"]
    assert {spec.native_event for spec in loaded.specs} == GATES | {"generate_start"}
    assert A.load(Source(tree={"hooks": 5})).problems[0].name == "config.type"
    assert A.load(Source(tree=[5])).problems[0].name == "value.type"


def test_a_glob_too_large_to_compile_is_refused_and_narrows_nothing() -> None:
    """Its broken hook counts for every path."""
    loaded = A.load(
        Source(
            tree={
                "id": "h",
                "event_type": "pre_tool_use",
                "matcher": {"path_pattern": "?" * 60_000},
            }
        )
    )
    event = A.decode_event(
        {"event_type": "pre_tool_use", "payload": {"tool": "Write", "args": {"file_path": "a"}}}
    )

    assert [problem.name for problem in loaded.problems] == ["matcher.regex"]
    assert isinstance(loaded.specs[0].handler, Broken)
    assert all(holds(condition, event) for condition in loaded.specs[0].conditions)


# -- outcomes --------------------------------------------------------------------------------------


@given(
    answer=st.none() | st.text() | st.dictionaries(st.text(max_size=8), st.text(max_size=4)),
    exit_code=st.sampled_from([None, 0, 1]),
)
def test_reading_an_outcome_never_raises(answer: object, exit_code: int | None) -> None:
    """Whatever a handler did is a verdict."""
    outcome = Outcome(answer=answer, exit_code=exit_code, stdout="{" if exit_code == 0 else "")

    assert isinstance(A.decode_outcome(outcome, spec_of(), Event(kind="tool.before")), Verdict)


@pytest.mark.parametrize("failure", Failure)
def test_every_failure_denies_a_gate_and_no_observer(failure: Failure) -> None:
    """And ends the chain of the gate only."""
    event = Event(kind="tool.before")

    on_gate = A.decode_outcome(Outcome(failure=failure), spec_of(), event)
    on_observer = A.decode_outcome(Outcome(failure=failure), spec_of("session_end"), event)

    assert (on_gate.stance, on_gate.ends) == (Stance.DENY, True)
    assert on_gate.reason.startswith("Required hook 'h' failed: ")
    assert (on_observer.stance, on_observer.ends) == (Stance.SILENT, False)
    assert on_observer.fault


# -- results ---------------------------------------------------------------------------------------


def test_a_denial_of_another_dialect_is_stronger_than_a_retry() -> None:
    """A Retry delays an operation; a denial refuses it."""
    retry = Verdict(hook_id="r", stance=Stance.DENY, retry_after=1.0, reason="busy")
    deny = Verdict(hook_id="d", stance=Stance.DENY, reason="no")

    both = to_result(decided(retry, deny, stance=Stance.DENY, reason="busy", retry_after=1.0))
    alone = to_result(decided(retry, stance=Stance.DENY, reason="busy", retry_after=1.0))

    assert (both.action, both.reason, both.hook_id) == ("Block", "no", "d")
    assert (alone.is_retry(), alone.retry_delay_ms, alone.reason) == (True, 1000, "busy")


def test_an_ask_of_another_dialect_blocks() -> None:
    """This protocol cannot ask, and an ask is no permission."""
    assert to_result(
        decided(Verdict(stance=Stance.ASK, reason="sure?"), stance=Stance.DENY, reason="sure?")
    ).to_dict() == {
        "action": "Block",
        "reason": "sure?",
    }
    assert TABLE.ask_becomes is Stance.DENY


def test_a_result_is_json_without_what_is_not_there() -> None:
    """A silent decision has no keys, and notes are passed on."""
    event = Event(kind="tool.before")

    assert A.encode_decision(decided(), event).stdout == ""
    assert json.loads(
        A.encode_decision(decided(rewrite=Rewrite(target="input", value={})), event).stdout
    ) == {
        "action": "Continue",
        "modified": {},
    }
    assert to_result(decided(for_user=("look",))).to_dict() == {
        "action": "Continue",
        "notes": ["look"],
    }
    assert to_result(decided(Verdict(retry_after=0.0005), retry_after=0.0005)).retry_delay_ms == 0.5


# -- other hosts -----------------------------------------------------------------------------------


def test_a_hook_is_sent_the_event_of_another_host_in_its_own_words() -> None:
    """A result of Claude Code is described as a3s does."""
    claude = ClaudeCode()
    payload = {
        "session_id": "c",
        "cwd": "/srv",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    event = claude.decode_event({**payload, "tool_response": {"stdout": "a"}})

    assert json.loads(A.encode_event(event, spec_of("post_tool_use"))) == {
        "event_type": "post_tool_use",
        "payload": {
            "session_id": "c",
            "tool": "Bash",
            "args": {"command": "ls"},
            "result": {"success": True, "output": '{"stdout": "a"}', "duration_ms": 0},
        },
    }


def test_a_failed_call_of_another_host_is_no_success() -> None:
    """An error stands in for an output that is not there."""
    body = ToolCall(tool="Bash", input={}, error="boom", facts={"duration": 0.25})
    event = Event(kind="tool.after", dialect="x", session_id="s", body=body)

    assert json.loads(A.encode_event(event, spec_of("post_tool_use")))["payload"]["result"] == {
        "success": False,
        "output": "boom",
        "duration_ms": 250,
    }


@given(
    document=st.recursive(
        st.none() | st.text(max_size=6),
        lambda p: st.dictionaries(st.sampled_from(["event_type", "payload", "tool"]), p),
    )
)
def test_decoding_raises_codec_errors_only(document: object) -> None:
    """Whatever a host sends is an event or a codec error."""
    try:
        event = A.decode_event(document)
    except CodecError:
        return
    assert event.dialect == "a3s"
