"""Reading an outcome: what holds for every output, on every event and at every exit code."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.dialects.copilot import Copilot
from hookline.dialects.copilot.table import CONTRACTS
from hookline.model.event import Event
from hookline.model.verdict import Failure, Outcome, Stance, Verdict

DIALECT = Copilot()
KEYS = [
    "permissionDecision", "permissionDecisionReason", "modifiedArgs", "modifiedResult",
    "modifiedPrompt", "modifiedTransformedPrompt",
    "modifiedResponse", "additionalContext", "behavior", "message", "interrupt", "decision",
    "reason", "hookSpecificOutput",
    "textResultForLlm", "resultType", "type", "x",
]  # fmt: skip
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["block", "deny", "allow", "ask", "progress", ""]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=8,
)
OUTPUTS = st.text(max_size=30) | st.dictionaries(st.sampled_from(KEYS), VALUES).map(json.dumps)
STANCES = {Stance.ALLOW: "allow", Stance.ASK: "ask", Stance.DENY: "deny", Stance.HALT: "halt"}


def read(native: str, mode: str = "fidelity", **outcome: Any) -> Verdict:
    """The verdict of a hook that ended like this."""
    (spec,) = DIALECT.load(
        Source(tree={"version": 1, "hooks": {native: [{"bash": "guard"}]}}, mode=mode)
    ).specs
    return DIALECT.decode_outcome(
        Outcome(**{"exit_code": 0, **outcome}), spec, Event(kind=spec.kind)
    )


@given(
    st.sampled_from(list(CONTRACTS)),
    OUTPUTS,
    st.sampled_from([0, 1, 2, 127]),
    st.sampled_from(["fidelity", "strict"]),
)
def test_no_output_makes_reading_raise_or_exceeds_the_event(
    native: str, stdout: str, code: int, mode: str
) -> None:
    """The verdict always fits the event, and a refusal has a reason."""
    powers = CONTRACTS[native].powers
    verdict = read(native, mode, stdout=stdout, exit_code=code, stderr="words")

    assert verdict.stance is Stance.SILENT or STANCES[verdict.stance] in powers
    assert verdict.stance <= Stance.ASK or verdict.reason
    assert verdict.rewrite is None or verdict.rewrite.target in powers
    assert not verdict.for_agent or "context" in powers
    assert set(verdict.effects) <= powers


@given(st.sampled_from(list(CONTRACTS)), OUTPUTS, st.sampled_from([1, 2, 127]))
def test_no_output_lifts_a_refusal_by_exit_code(native: str, stdout: str, code: int) -> None:
    """`preToolUse` denies at any code but 0, a request at 2."""
    verdict = read(native, stdout=stdout, exit_code=code)

    if native in ("preToolUse", "PreToolUse") or (
        code == 2 and native in ("permissionRequest", "PermissionRequest")
    ):
        assert verdict.stance >= Stance.DENY
    else:
        assert verdict.stance is Stance.SILENT


@given(st.sampled_from(list(CONTRACTS)), st.sampled_from(Failure))
def test_a_failure_is_told_on_every_event(native: str, failure: Failure) -> None:
    """As the reason of a refusal, or as a warning."""
    verdict = read(native, exit_code=None, failure=failure)

    assert verdict.fault
    assert verdict.fault in (verdict.reason or verdict.for_user)


@given(st.sampled_from(list(CONTRACTS)))
def test_only_a_timeout_is_forgiven(native: str) -> None:
    """On `preToolUse` every other failure denies; elsewhere none does."""
    closed = {
        failure
        for failure in Failure
        if read(native, exit_code=None, failure=failure).stance is not Stance.SILENT
    }

    assert closed == (set(Failure) - {Failure.TIMED_OUT} if CONTRACTS[native].fails else set())


def test_a_deep_answer_is_no_answer() -> None:
    """Nesting past all measure is a fault, not an exception."""
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000

    assert read("preToolUse", stdout=deep).fault
    assert (
        read("preToolUse", stdout='{"type": "progress", "a":' + deep + "}").stance is Stance.SILENT
    )
