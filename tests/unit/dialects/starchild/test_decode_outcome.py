"""Reading an outcome: accepts any output, keeps what the event honours, and lifts no block."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.dialects.starchild import Starchild
from hookline.dialects.starchild.decode_outcome import FAILURES, OWN, SPECIFIC
from hookline.dialects.starchild.hermes import Hermes
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from tests.unit.dialects.starchild.support import (
    EVENTS,
    HERMES_EVENTS,
    hermes_event,
    hermes_hook,
    hermes_row,
    one_event,
    one_hook,
    row_of,
)

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
words = st.sampled_from(["allow", "ask", "deny", "block", "approve", "modify", "continue"])
specific = st.dictionaries(st.sampled_from([*SPECIFIC, "strange"]), trees | words, max_size=4)
outputs = st.dictionaries(
    st.sampled_from([*OWN, "action", "message", "args", "text", "strange"]),
    trees | words | specific,
    max_size=5,
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
extras = st.sampled_from([{}, {"role": "guard"}, {"on_error": "ask"}, {"on_error": "closed"}])


@given(
    outcome=outcomes,
    event_name=st.sampled_from(EVENTS),
    dialect=st.sampled_from([Starchild(), Starchild(approver=True)]),
    keys=extras,
    mode=st.sampled_from(["fidelity", "strict"]),
)
@settings(deadline=None)
def test_any_outcome_is_a_verdict_within_the_table(
    outcome: Outcome, event_name: str, dialect: Starchild, keys: dict[str, object], mode: str
) -> None:
    """Never an exception.

    Never a stance, a rewrite, a context or a note that the event does not have.
    """
    row = row_of(dialect, event_name)
    verdict = dialect.decode_outcome(
        outcome, one_hook(dialect, event_name, mode=mode, **keys), one_event(dialect, event_name)
    )

    assert isinstance(verdict, Verdict)
    assert verdict.stance in {Stance.SILENT, row.blocks, Stance.ASK if row.asks else row.blocks}
    assert verdict.rewrite is None or verdict.rewrite.target in row.powers
    assert not verdict.for_agent or "context" in row.powers
    assert not verdict.for_user or "note" in row.powers
    assert verdict.stance < Stance.ASK or verdict.reason
    assert verdict.ends == (verdict.stance is Stance.DENY and not row.all_run)


@given(
    outcome=outcomes,
    event_name=st.sampled_from(HERMES_EVENTS),
    keys=st.sampled_from([{}, {"fail_closed": True}]),
)
@settings(deadline=None)
def test_any_outcome_is_a_verdict_within_the_table_of_hermes(
    outcome: Outcome, event_name: str, keys: dict[str, object]
) -> None:
    """So it is in the other dialect of the family."""
    row = hermes_row(event_name)
    verdict = Hermes().decode_outcome(
        outcome, hermes_hook(event_name, **keys), hermes_event(event_name)
    )

    assert isinstance(verdict, Verdict)
    assert verdict.stance in {
        Stance.SILENT,
        row.blocks,
        Stance.ASK if not row.ignores_exit else row.blocks,
    }
    assert verdict.rewrite is None or verdict.rewrite.target in row.powers
    assert not verdict.for_agent or "context" in row.powers
    assert verdict.stance < Stance.ASK or verdict.reason


@given(
    stdout=outputs.map(json.dumps) | st.text(max_size=20),
    event_name=st.sampled_from(EVENTS),
    mode=st.sampled_from(["fidelity", "strict"]),
)
@settings(deadline=None)
def test_exit_2_blocks_whatever_stdout_says(stdout: str, event_name: str, mode: str) -> None:
    """No text on stdout weakens a block by exit code."""
    dialect = Starchild()
    outcome = Outcome(exit_code=2, stdout=stdout, stderr="no", truncated=True)
    verdict = dialect.decode_outcome(
        outcome, one_hook(dialect, event_name, mode=mode), one_event(dialect, event_name)
    )

    assert verdict.stance is row_of(dialect, event_name).blocks
    assert verdict.rewrite is None


@pytest.mark.parametrize(("event_name", "failure"), list(product(EVENTS, Failure)))
def test_every_failure_has_its_name(event_name: str, failure: Failure) -> None:
    """A guard blocks on it with hook and cause.

    Any other hook that could have blocked leaves a notice.
    """
    dialect = Starchild()
    row = row_of(dialect, event_name)
    guard, other = (
        dialect.decode_outcome(
            Outcome(failure=failure),
            one_hook(dialect, event_name, **keys),
            one_event(dialect, event_name),
        )
        for keys in ({"role": "guard"}, {})
    )

    name = FAILURES.get(failure, failure.name.lower())
    assert guard.fault == other.fault == f"{name}: {failure.value}"
    assert guard.stance is row.blocks
    assert other.stance is Stance.SILENT
    assert bool(other.for_user) == row.can_block


def test_what_was_lost_says_why() -> None:
    """Each loss names the event and the key, for the person who reads the decision."""
    dialect = Starchild()
    outcome = Outcome(exit_code=0, stdout='{"context": "x", "tool_input": {"new": 1}}')
    verdict = dialect.decode_outcome(
        outcome, one_hook(dialect, "pre_tool_call"), one_event(dialect, "pre_tool_call")
    )

    assert verdict.unsupported == (
        "unknown_key_dropped: `new` is no key of the input",
        "context: `pre_tool_call` does not honour `context`",
    )


def test_a_guard_that_is_not_approved_refuses_and_says_why() -> None:
    """Where no gate decides about it."""
    dialect = Starchild()
    spec = one_hook(dialect, "pre_tool_call", role="guard")
    outcome = Outcome(failure=Failure.UNTRUSTED)
    verdict = dialect.decode_outcome(outcome, spec, one_event(dialect, "pre_tool_call"))

    assert verdict.reason == "policy hook not approved"
