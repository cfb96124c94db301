"""Reading an outcome: what holds for every output, and what a vector cannot script."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.dialects.codex import Codex
from hookline.dialects.codex.table import TABLE
from hookline.model.verdict import Failure, Outcome, Stance, Verdict

DIALECT = Codex()
TOP_KEYS = [
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "hookSpecificOutput",
    "x",
]
SPECIFIC_KEYS = [
    "hookEventName", "additionalContext", "permissionDecision", "permissionDecisionReason",
    "updatedInput", "decision", "behavior",
    "message", "interrupt", "updatedMCPToolOutput",
]  # fmt: skip
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["block", "approve", "deny", "allow", "ask", "PreToolUse", ""]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(SPECIFIC_KEYS), inner, max_size=4)
    ),
    max_leaves=8,
)
OUTPUTS = st.text(max_size=30) | st.dictionaries(st.sampled_from(TOP_KEYS), VALUES).map(json.dumps)


def read(native: str, mode: str = "fidelity", **outcome: Any) -> Verdict:
    """The verdict of a hook that ended like this."""
    tree = {"hooks": {native: [{"hooks": [{"type": "command", "command": "guard"}]}]}}
    (spec,) = DIALECT.load(Source(tree=tree, mode=mode)).specs
    event = DIALECT.decode_event(
        {"hook_event_name": native, "tool_name": "Bash", "tool_input": {"command": "ls"}}
    )
    return DIALECT.decode_outcome(Outcome(**{"exit_code": 0, **outcome}), spec, event)


@given(
    st.sampled_from(list(TABLE.rows)),
    OUTPUTS,
    st.sampled_from([0, 1, 2, 127]),
    st.sampled_from(["fidelity", "strict"]),
)
def test_no_output_makes_reading_raise_or_exceeds_the_event(
    native: str, stdout: str, code: int, mode: str
) -> None:
    """The verdict always fits the event, and a refusal has a reason."""
    row = TABLE.row(native)
    verdict = read(native, mode, stdout=stdout, exit_code=code, stderr="words")
    stances = {Stance.ALLOW: "allow", Stance.DENY: "deny", Stance.HALT: "halt"}

    assert row is not None
    assert verdict.stance is Stance.SILENT or stances[verdict.stance] in row.powers
    assert verdict.stance <= Stance.ALLOW or verdict.reason
    assert verdict.rewrite is None or "input" in row.powers
    assert not verdict.for_agent or "context" in row.powers


@given(st.sampled_from(list(TABLE.rows)), OUTPUTS)
def test_a_failed_hook_is_seen(native: str, stdout: str) -> None:
    """The user gets a notice of a fault at every event, as in Codex."""
    verdict = read(native, stdout=stdout)

    assert not verdict.fault or verdict.fault in verdict.for_user


def test_every_failure_is_seen() -> None:
    """Whatever went wrong, on a gate or elsewhere."""
    for failure in Failure:
        for native in TABLE.rows:
            assert read(native, failure=failure, exit_code=None).for_user


def test_a_byte_order_mark_makes_text_of_json() -> None:
    """Codex does not read it as JSON, and hookline does not either."""
    assert (
        read("PreToolUse", stdout='\ufeff{"decision": "block", "reason": "r"}').stance
        is Stance.SILENT
    )


def test_an_answer_beside_a_halt_is_not_looked_at() -> None:
    """`continue: false` wins, also over an error in the rest."""
    verdict = read(
        "PostToolUse", stdout='{"continue": false, "suppressOutput": true, "decision": "block"}'
    )

    assert (verdict.stance, verdict.fault) == (Stance.HALT, None)


def test_a_hook_of_an_event_that_is_unknown_has_failed() -> None:
    """Its file is newer than this table."""
    tree = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "guard"}]}]}}
    (spec,) = DIALECT.load(Source(tree=tree)).specs
    event = DIALECT.decode_event({"hook_event_name": "Stop"})

    assert DIALECT.decode_outcome(
        Outcome(exit_code=0), spec.replace(native_event="Later"), event
    ).fault
