"""Every vector holds, is named as it should be, and there are enough of them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.conformance.player import VECTORS, mismatches, vectors

if TYPE_CHECKING:
    from pathlib import Path

AT_LEAST = {
    "docker-agent": 120,
    "claude-code": 60,
    "cursor": 200,
    "codex": 80,
    "copilot": 150,
    "kimi": 60,
    "gemini": 200,
    "agenthooks": 120,
    "a3s": 120,
    "starchild": 120,
    "qwen": 140,
    "openhands": 60,
    "cline": 60,
    "hookline": 60,
}


@pytest.mark.parametrize("path", vectors(), ids=lambda path: path.stem)
def test_a_vector_holds(path: Path) -> None:
    """What the vector expects is what happens."""
    vector = json.loads(path.read_text(encoding="utf-8"))
    if "skip" in vector:
        pytest.skip(vector["skip"])

    assert mismatches(vector, path.parent.name) == []


def test_vectors_are_well_formed() -> None:
    """Each vector has an id that begins its file name, a clause, a title and an expectation."""
    for path in vectors():
        vector = json.loads(path.read_text(encoding="utf-8"))

        assert path.stem.startswith(vector["id"] + "-"), path
        assert vector["clause"], path
        assert vector["title"], path
        assert vector["expect"], path


def test_ids_are_unique() -> None:
    """No two vectors share an id."""
    counts = Counter(json.loads(path.read_text(encoding="utf-8"))["id"] for path in vectors())

    assert [vector_id for vector_id, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("dialect", AT_LEAST)
def test_there_are_enough_vectors(dialect: str) -> None:
    """Each dialect is pinned by at least the promised number of vectors."""
    assert len(list((VECTORS / dialect).glob("*.json"))) >= AT_LEAST[dialect]
