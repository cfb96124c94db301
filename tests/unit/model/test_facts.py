"""The files of facts are read by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookline.model import facts

FILES = sorted(path.name for path in Path(facts.__file__).parent.glob("*.json"))


@pytest.mark.parametrize("name", FILES)
def test_a_file_beside_the_module_is_read(name: str) -> None:
    """Each is an object."""
    assert facts.read_facts(name)


def test_there_are_facts_of_events_and_of_tools() -> None:
    """A file that is missing would pass the test above."""
    assert FILES == ["events.json", "tools.json"]
