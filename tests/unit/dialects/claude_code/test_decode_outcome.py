"""Reading an outcome: what holds for every output, and what a vector cannot script."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.dialects.claude_code import ClaudeCode
from hookline.dialects.claude_code.table import KEYS, TABLE
from hookline.model.event import Event, ToolCall
from hookline.model.verdict import Failure, Outcome, Stance, Verdict

if TYPE_CHECKING:
    from hookline.model.spec import HookSpec

DIALECT = ClaudeCode()
TOP_KEYS = [
    "continue",
    "stopReason",
    "systemMessage",
    "decision",
    "reason",
    "hookSpecificOutput",
    "terminalSequence",
    "x",
]
SPECIFIC_KEYS = [
    *KEYS,
    "permissionDecisionReason",
    "hookEventName",
    "behavior",
    "interrupt",
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["block", "approve", "deny", "allow", "ask", "defer", "accept", ""]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(SPECIFIC_KEYS), inner, max_size=4)
    ),
    max_leaves=8,
)
ANSWERS = st.dictionaries(st.sampled_from(TOP_KEYS), VALUES)
OUTPUTS = st.text(max_size=30) | ANSWERS.map(json.dumps)
EVENTS = st.sampled_from(list(TABLE.rows))
TOOL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def hook(native: str, mode: str = "fidelity") -> HookSpec:
    """A command hook on an event."""
    tree = {"hooks": {native: [{"hooks": [{"type": "command", "command": "guard"}]}]}}
    return DIALECT.load(Source(tree=tree, mode=mode)).specs[0]


def read(native: str, mode: str = "fidelity", **outcome: Any) -> Verdict:
    """The verdict of a hook that ended like this."""
    event = DIALECT.decode_event({"hook_event_name": native, "source": "user_settings", **TOOL})
    return DIALECT.decode_outcome(Outcome(**{"exit_code": 0, **outcome}), hook(native, mode), event)


def answered(native: str, specific: dict[str, Any], **top: Any) -> Verdict:
    """The verdict of a hook that printed this for its event."""
    return read(
        native,
        stdout=json.dumps({"hookSpecificOutput": {"hookEventName": native, **specific}, **top}),
    )


@given(EVENTS, OUTPUTS, st.sampled_from([0, 1, 2, 127]), st.sampled_from(["fidelity", "strict"]))
def test_no_output_makes_reading_raise_or_exceeds_the_event(
    native: str, stdout: str, code: int, mode: str
) -> None:
    """Whatever is printed, the verdict stays within what the event honours."""
    row = TABLE.row(native)
    verdict = read(native, mode, stdout=stdout, exit_code=code, stderr="words")
    stances = {Stance.ALLOW: "allow", Stance.ASK: "ask", Stance.DENY: "deny", Stance.HALT: "halt"}

    assert row is not None
    assert verdict.stance is Stance.SILENT or stances[verdict.stance] in row.powers
    assert set(verdict.effects) <= row.powers
    assert verdict.rewrite is None or verdict.rewrite.target in row.powers
    assert not verdict.for_agent or "context" in row.powers
    assert verdict.stance < Stance.DENY or verdict.reason


@given(EVENTS, OUTPUTS)
def test_exit_two_blocks_whatever_is_printed(native: str, stdout: str) -> None:
    """Rule 2 of 2.8, for every event that can block."""
    row = TABLE.row(native)
    verdict = read(native, stdout=stdout, exit_code=2, stderr="words")

    assert row is not None
    if row.blocks is not Stance.SILENT and not row.ignores_exit:
        assert verdict.stance >= Stance.DENY


def test_output_over_the_limit_is_a_failure() -> None:
    """The cut part could have been a denial."""
    assert (
        read("PreToolUse", stdout="{" + "x" * 100, truncated=True).fault
        == "its output exceeds the limit of 1 MiB a stream"
    )
    assert (
        read("PreToolUse", stdout="x", truncated=True, exit_code=2, stderr="no").stance
        is Stance.DENY
    )


def test_in_strict_mode_an_exit_code_is_not_excused_by_an_answer_that_says_nothing() -> None:
    """`{"result": "block"}` with exit 1 was meant as a block (22.3)."""
    assert (
        read("PreToolUse", "strict", stdout='{"result": "block"}', exit_code=1).stance is Stance.ASK
    )
    assert read("PreToolUse", stdout='{"result": "block"}', exit_code=1).stance is Stance.SILENT


@pytest.mark.parametrize("failure", [Failure.NOT_STARTED, Failure.KILLED])
def test_a_worktree_that_no_hook_made_is_not_there(failure: Failure) -> None:
    """Every end but a success or a timeout fails the creation."""
    assert read("WorktreeCreate", exit_code=None, failure=failure).stance is Stance.DENY
    assert read("WorktreeCreate", exit_code=None, failure=Failure.TIMED_OUT).stance is Stance.SILENT


def test_a_byte_order_mark_does_not_hide_an_answer() -> None:
    """Windows shells print one."""
    assert read("Stop", stdout='\ufeff{"decision": "block", "reason": "r"}').reason == "r"


def test_a_denied_request_grants_nothing() -> None:
    """Input and permissions travel with an allow only."""
    verdict = answered(
        "PermissionRequest",
        {"decision": {"behavior": "deny", "updatedPermissions": [1], "updatedInput": {"a": 1}}},
    )

    assert (verdict.effects, verdict.rewrite) == ({}, None)
    assert set(verdict.unsupported) == {"input", "grant"}


def test_a_request_without_a_behavior_is_unreadable() -> None:
    """The host's own check refuses it."""
    assert (
        answered("PermissionRequest", {"decision": {}}).fault
        == "`decision.behavior` must be `allow` or `deny`"
    )


@pytest.mark.parametrize("word", ["yes", "block"])
def test_an_unknown_permission_is_unreadable(word: str) -> None:
    """Its author meant something, so the hook must not count as silent."""
    assert (
        answered("PreToolUse", {"permissionDecision": word}).fault
        == f"unknown permission decision `{word}`"
    )


def test_the_strongest_of_two_claims_in_one_answer_counts() -> None:
    """The old word and the new one may stand side by side."""
    verdict = answered(
        "PreToolUse", {"permissionDecision": "allow"}, decision="block", reason="old"
    )

    assert (verdict.stance, verdict.reason) == (Stance.DENY, "old")


def test_a_hook_hears_a_foreign_event_in_its_own_words() -> None:
    """A call of another host arrives in Claude Code's format, without the unknown facts."""
    event = Event(
        kind="tool.before",
        dialect="hookline",
        native_name="tool.before",
        cwd="/w",
        body=ToolCall(tool="Bash", input={"command": "ls"}),
    )

    assert json.loads(DIALECT.encode_event(event, hook("PreToolUse"))) == {
        "session_id": "", "transcript_path": "", "cwd": "/w", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "",
    }  # fmt: skip


def test_a_path_is_a_line_and_not_less() -> None:
    """The last line, also if a folder's name holds an unusual line separator."""
    assert read("WorktreeCreate", stdout="made\n/trees/a\u2028b\n").effects == {
        "path": "/trees/a\u2028b"
    }
