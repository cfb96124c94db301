"""Outcomes and failures, in words that a person reads."""

from __future__ import annotations

from hookline.model.verdict import Failure, Outcome


def test_every_failure_reads_as_the_end_of_a_sentence() -> None:
    """A failure's value is put behind a hook's name: "hook `x` failed: timed out"."""
    assert [
        failure
        for failure in Failure
        if failure.value != failure.value.lower() or failure.value.endswith(".")
    ] == []


def test_an_outcome_of_nothing_is_no_failure() -> None:
    """A detached run gets it as a placeholder."""
    assert (Outcome().failure, Outcome().exit_code, Outcome().stdout) == (None, None, "")
