"""What a result means, whatever it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.dialects.kimi.table import TABLE, UNEXPLAINED
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from tests.unit.dialects.kimi.support import DIALECT, one_event, one_hook

KEYS = [
    "hookSpecificOutput",
    "permissionDecision",
    "permissionDecisionReason",
    "hookEventName",
    "decision",
    "continue",
    "updatedInput",
    "x",
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["deny", "allow", "ask", "block", ""]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=8,
)
OUTPUTS = st.text(max_size=30) | st.dictionaries(st.sampled_from(KEYS), VALUES).map(json.dumps)
EVENTS = st.sampled_from(list(TABLE.rows))


def read(native: str, mode: str = "fidelity", **outcome: Any) -> Verdict:
    """The verdict of a hook that ended like this."""
    return DIALECT.decode_outcome(
        Outcome(**{"exit_code": 0, **outcome}), one_hook(native, mode=mode), one_event(native)
    )


def printed(native: str, document: Any) -> Verdict:
    """The verdict of a hook that printed this."""
    return read(native, stdout=json.dumps(document))


@given(EVENTS, OUTPUTS, st.sampled_from([0, 1, 2, 127]), st.sampled_from(["fidelity", "strict"]))
def test_nothing_but_a_block_is_ever_meant(native: str, stdout: str, code: int, mode: str) -> None:
    """The verdict always fits the event, and never rewrites, asks or adds context."""
    row = TABLE.row(native)
    verdict = read(native, mode, stdout=stdout, exit_code=code, stderr="words")

    assert row is not None
    assert verdict.stance in (Stance.SILENT, row.blocks)
    assert verdict.rewrite is None
    assert verdict.for_agent == ""
    assert set(verdict.effects) <= {"stdout"}


@given(EVENTS, OUTPUTS)
def test_exit_two_blocks_whatever_is_printed(native: str, stdout: str) -> None:
    """Its stdout is not read.

    Where nothing can be blocked, the block is accounted for, with its reason.
    """
    row = TABLE.row(native)
    verdict = read(native, stdout=stdout, exit_code=2, stderr="words")

    assert row is not None
    if row.blocks is Stance.DENY:
        assert (verdict.stance, verdict.reason, verdict.unsupported) == (Stance.DENY, "words", ())
    else:
        assert verdict.unsupported == (f"deny: `{native}` ignores a block, whose reason is: words",)


@given(st.sampled_from(Failure), st.sampled_from(["PreToolUse", "UserPromptSubmit", "Stop"]))
def test_every_failure_is_a_fault_and_closes_only_in_strict_mode(
    failure: Failure, native: str
) -> None:
    """Section 9."""
    opened, closed = (
        read(native, mode, failure=failure, exit_code=None) for mode in ("fidelity", "strict")
    )

    assert (opened.stance, opened.fault) == (Stance.SILENT, failure.value)
    assert (closed.stance, closed.fault) == (Stance.DENY, failure.value)


def test_a_block_without_a_reason_is_explained() -> None:
    """A host that overlooks a block without a reason must not overlook this one."""
    assert read("Stop", exit_code=2).reason == UNEXPLAINED


def test_plain_stdout_is_returned() -> None:
    """Decision 1: the hook's result holds it."""
    assert dict(read("SessionStart", stdout="branch: main\n").effects) == {"stdout": "branch: main"}


@pytest.mark.parametrize(
    ("document", "ignored"),
    [
        (
            {"decision": "block", "reason": "no"},
            ["deny: Kimi does not read `decision`", "reason: Kimi does not read `reason`"],
        ),
        ({"continue": False}, ["halt: Kimi does not read `continue`"]),
        ({"continue": True, "systemMessage": "", "x": None, "suppressOutput": True}, []),
        ({"updatedInput": {"a": 1}}, ["input: Kimi does not read `updatedInput`"]),
        (
            {"hookSpecificOutput": {"additionalContext": "c"}},
            ["context: Kimi does not read `additionalContext`"],
        ),
        (
            {"hookSpecificOutput": {"permissionDecision": "defer"}},
            ["defer: Kimi knows no `defer`, so the call goes on"],
        ),
        (
            {"hookSpecificOutput": {"permissionDecision": ["deny"]}},
            ['permissionDecision: `["deny"]` is none'],
        ),
        ({"hookSpecificOutput": []}, ["hookSpecificOutput: it is no object"]),
    ],
)
def test_what_kimi_does_not_read_is_reported(document: Any, ignored: list[str]) -> None:
    """Section 5: in the words of the vocabulary, and with the key."""
    verdict = printed("PreToolUse", document)

    assert list(verdict.unsupported) == ignored
    assert verdict.stance is Stance.SILENT
