"""Findings: one table says how much each of them matters to whom."""

from __future__ import annotations

from hookline.core.dialect import Source
from hookline.dialects.agenthooks.findings import LINT, LOAD, SEVERITIES, STRICT, Findings
from hookline.errors import CODES


def test_every_finding_has_a_code() -> None:
    """A name without a stable code could not be explained."""
    assert set(SEVERITIES) - set(CODES) == set()


def test_a_finding_weighs_by_manner() -> None:
    """Lint refuses what load tolerates, and strict refuses unknown fields."""
    weights = []
    for manner in (LINT, LOAD, STRICT):
        found = Findings(Source(), manner)
        found.add("field.unknown", "unknown field")
        weights.append(bool(found.refusal()))

    assert weights == [True, False, True]


def test_a_finding_that_a_manner_does_not_report_is_none() -> None:
    """An older trigger loads without a word."""
    found = Findings(Source(), LOAD)
    found.add("trigger.legacy", "older name")

    assert found.problems == []
