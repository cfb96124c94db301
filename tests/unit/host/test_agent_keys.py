"""The keys of an agent file, and the page that lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookline.host import agent_keys
from hookline.host.agent_keys import MISSING_TOOLSETS, TOOLSET_KEYS, TOOLSETS

PAGE = Path(__file__).parents[3] / "docs/formats/agent-file.md"
PARTS = {
    "file": agent_keys.TOP,
    "agent": agent_keys.AGENT,
    "model": agent_keys.MODEL,
    "provider": agent_keys.PROVIDER,
    "`runtime`": agent_keys.RUNTIME,
    "`hookline`": agent_keys.HOST,
}


@pytest.mark.parametrize("part", PARTS)
def test_the_page_lists_each_key(part: str) -> None:
    """In the column of what hookline does with it."""
    text = PAGE.read_text(encoding="utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {part} |")]
    columns = [set(cell.replace("`", "").split(", ")) for cell in row.split("|")[2:-1]]
    columns = [{name.strip() for name in cell} - {""} for cell in columns]

    treatments = (agent_keys.RUNS, agent_keys.ACCEPTED, agent_keys.IGNORED, agent_keys.REFUSED)
    assert columns == [
        {name for name, key in PARTS[part].items() if key.treatment == treatment}
        for treatment in treatments
    ]


def test_what_is_not_followed_has_a_reason() -> None:
    """A user reads it as the hint."""
    tables = (*PARTS.values(), agent_keys.REMOTE, agent_keys.LIFECYCLE, *TOOLSET_KEYS.values())

    assert all(
        bool(key.reason) == (key.treatment in {agent_keys.IGNORED, agent_keys.REFUSED})
        for table in tables
        for key in table.values()
    )


def test_each_toolset_has_keys() -> None:
    """And none is both had and missing."""
    assert set(TOOLSET_KEYS) == set(TOOLSETS)
    assert not set(TOOLSETS) & set(MISSING_TOOLSETS)
