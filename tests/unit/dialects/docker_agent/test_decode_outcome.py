"""Reading an outcome: total for any output, and no output lifts a block."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hookline
from hookline.dialects.docker_agent import DockerAgent
from hookline.dialects.docker_agent.decode_outcome import _SPECIFIC, _TOP
from hookline.dialects.docker_agent.table import PROFILES
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from tests.unit.dialects.docker_agent.support import EVENTS, one_event, one_hook, row_of

DIALECTS = [
    DockerAgent(profile=profile, exact=exact) for profile, exact in product(PROFILES, (False, True))
]

leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
)
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
words = st.sampled_from(["allow", "ask", "deny", "block", "route"])
specific = st.dictionaries(
    st.sampled_from([*_SPECIFIC, "hookEventName", "strange"]), trees | words, max_size=4
)
outputs = st.dictionaries(
    st.sampled_from([*_TOP, "systemMessage", "strange"]), trees | words | specific, max_size=4
)
outcomes = st.builds(
    Outcome,
    exit_code=st.sampled_from([0, 0, 0, 1, 2, 127, None]),
    stdout=outputs.map(json.dumps) | st.text(max_size=20) | trees.map(json.dumps),
    stderr=st.text(max_size=8),
    failure=st.none() | st.sampled_from(Failure),
    truncated=st.booleans(),
    leftovers=st.booleans(),
)


@given(
    outcome=outcomes,
    event_name=st.sampled_from(EVENTS),
    dialect=st.sampled_from(DIALECTS),
    keys=st.sampled_from([{}, {"strict_output": True}, {"on_error": "ignore"}]),
)
@settings(deadline=None)
def test_any_outcome_is_a_verdict_within_the_contract(
    outcome: Outcome, event_name: str, dialect: DockerAgent, keys: dict[str, object]
) -> None:
    """Never an exception.

    Never a stance, a rewrite, a context or metadata that the event does not have.
    """
    row = row_of(dialect, event_name)
    verdict = dialect.decode_outcome(
        outcome, one_hook(dialect, event_name, **keys), one_event(dialect, event_name)
    )

    assert isinstance(verdict, Verdict)
    assert verdict.stance in {Stance.SILENT, row.blocks, row.fails, *row.verdicts.values()}
    assert verdict.rewrite is None or verdict.rewrite.target in row.powers
    assert not verdict.for_agent or "context" in row.powers
    assert verdict.evidence is None or "metadata" in row.powers
    assert set(verdict.effects) <= row.powers
    # As the program has it, exit 2 without stderr refuses without a word.
    assert verdict.stance < Stance.DENY or verdict.reason or outcome.exit_code == 2


@pytest.mark.parametrize("dialect", DIALECTS, ids=["d2", "d2-exact", "d1", "d1-exact"])
@given(stdout=outputs.map(json.dumps) | st.text(max_size=20), event_name=st.sampled_from(EVENTS))
@settings(deadline=None)
def test_exit_2_blocks_whatever_stdout_says(
    dialect: DockerAgent, stdout: str, event_name: str
) -> None:
    """No text on stdout weakens a block by exit code."""
    outcome = Outcome(exit_code=2, stdout=stdout, stderr="no")
    verdict = dialect.decode_outcome(
        outcome, one_hook(dialect, event_name), one_event(dialect, event_name)
    )

    assert verdict.stance is row_of(dialect, event_name).blocks
    assert verdict.rewrite is None


@pytest.mark.parametrize("event_name", EVENTS)
@pytest.mark.parametrize(
    "failure", [failure for failure in Failure if failure is not Failure.UNSERIALISABLE]
)
def test_every_failure_is_told(failure: Failure, event_name: str) -> None:
    """A hook that failed denies on a deny-always event.

    Elsewhere the user is told, in the same words.
    """
    dialect = DockerAgent()
    row = row_of(dialect, event_name)
    verdict = dialect.decode_outcome(
        Outcome(failure=failure),
        one_hook(dialect, event_name, name="n"),
        one_event(dialect, event_name),
    )

    assert verdict.fault is not None
    assert verdict.stance is row.fails
    told = verdict.reason if row.fails else verdict.for_user
    assert told.startswith(f'{row.payload_name} hook failed to execute: hook "n": {failure.value}')


OUTPUTS = {
    "input": {"updated_input": {}},
    "messages": {"updated_messages": [1]},
    "output": {"updated_tool_response": ""},
    "summary": {"summary": "s"},
}


@pytest.mark.parametrize("event_name", EVENTS)
@pytest.mark.parametrize("strict_output", [False, True])
def test_a_lost_rewrite_is_reported(strict_output: bool, event_name: str) -> None:
    """Of several rewrites the event's own counts, and all others are reported.

    Under `strict_output` they are a failure.
    """
    dialect = DockerAgent()
    powers = row_of(dialect, event_name).powers
    said = json.dumps(
        {
            "hook_specific_output": {
                key: value for output in OUTPUTS.values() for key, value in output.items()
            }
        }
    )
    hook = one_hook(dialect, event_name, strict_output=strict_output, name="n")
    verdict = dialect.decode_outcome(
        Outcome(exit_code=0, stdout=said), hook, one_event(dialect, event_name)
    )

    if strict_output or row_of(dialect, event_name).always_strict:
        assert verdict.fault is not None
        assert verdict.rewrite is None
    else:
        assert ([verdict.rewrite.target] if verdict.rewrite else []) == [
            target for target in OUTPUTS if target in powers
        ]
        assert list(verdict.unsupported) == [target for target in OUTPUTS if target not in powers]


FIELDS = {
    "allow": {"permission_decision": "allow"},
    "ask": {"permission_decision": "ask"},
    "deny": {"permission_decision": "deny"},
    "context": {"additional_context": "x"},
    "instruction_context": {"instruction_context": ["x"]},
    "metadata": {"metadata": {"a": "b"}},
    "transition": {"transition": {"action": "route", "agent": "b"}},
}


@pytest.mark.parametrize("event_name", EVENTS)
@pytest.mark.parametrize("field", FIELDS)
def test_strict_output_knows_only_what_the_event_may_return(field: str, event_name: str) -> None:
    """Each event reads the fields of its contract, and fails on every other one."""
    dialect = DockerAgent()
    row = row_of(dialect, event_name)
    has = field in row.verdicts if "permission_decision" in FIELDS[field] else field in row.powers
    said = Outcome(exit_code=0, stdout=json.dumps({"hook_specific_output": FIELDS[field]}))
    verdict = dialect.decode_outcome(
        said, one_hook(dialect, event_name, strict_output=True), one_event(dialect, event_name)
    )

    assert (verdict.fault is None) == has
    assert has or verdict.fault.endswith("is not supported on this event")
    assert verdict.unsupported == ()


def test_a_host_that_can_replace_a_prompt_gets_the_redacted_one() -> None:
    """`updated_input` with the one key `prompt` rewrites the prompt."""
    script = """echo '{"hook_specific_output":{"updated_input":{"prompt":"my key is ***"}}}'"""
    engine = hookline.Engine.from_config(
        {"hooks": {"user_prompt_submit": [{"type": "command", "command": script}]}},
        dialect="docker-agent",
    )

    decision = engine.fire("prompt.submit", {"prompt": "my key is sk-1"}, dialect="hookline")

    assert decision.rewrite is not None
    assert (decision.rewrite.target, decision.rewrite.value) == ("text", "my key is ***")
    assert decision.lowered == ()
