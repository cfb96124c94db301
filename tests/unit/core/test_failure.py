"""Failures in a few words."""

from __future__ import annotations

import pytest

from hookline.core.failure import describe
from hookline.model.outcome import Failure, Outcome


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(failure=Failure.TIMED_OUT), "timed out"),
        (Outcome(failure=Failure.NOT_STARTED, detail="no such file"), "could not be started: no such file"),
        (Outcome(exit_code=1), "exited with status 1"),
        (Outcome(exit_code=1, stderr="\n  boom\nmore\n"), "exited with status 1: boom"),
        (Outcome(exit_code=3, stderr="x" * 500), "exited with status 3: " + "x" * 200),
    ],
)
def test_a_failure_is_told_in_a_few_words(outcome: Outcome, words: str) -> None:
    """What happened and the first line of what the hook said about it, never more than a line."""
    assert describe(outcome) == words
