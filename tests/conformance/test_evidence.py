"""Nothing that a dialect promises of an event is without a vector that shows it."""

from __future__ import annotations

import pytest

from hookline.engine.catalog import NAMES
from tests.conformance.evidence import evidence, missing

DIALECTS = [name for name in NAMES if name != "hookline"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_promise_of_an_event_is_shown(dialect: str) -> None:
    """Each event's payload byte for byte, and everything that a decision may carry there."""
    assert missing(dialect) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_event_is_fired(dialect: str) -> None:
    """By at least one vector."""
    assert [native for native, shown in evidence(dialect).items() if not shown.fired] == []
