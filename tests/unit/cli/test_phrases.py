"""Words for powers."""

from __future__ import annotations

import pytest

from hookline.cli import phrases
from hookline.model import kinds


@pytest.mark.parametrize("kind", kinds.NAMES)
def test_every_power_has_its_words(kind: str) -> None:
    """Those of the vocabulary; a dialect's own are told by their names until they have some."""
    assert kinds.kind(kind).powers <= set(phrases.POWERS)


def test_a_power_without_words_is_told_by_its_name() -> None:
    """Rather than not at all."""
    assert phrases.describe_powers(["deny", "zap"]) == ["refuse it", "zap"]
