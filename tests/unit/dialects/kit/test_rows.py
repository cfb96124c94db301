"""Rows whose powers follow from the keys that an event reads."""

from __future__ import annotations

import pytest

from hookline.dialects.kit.rows import make_row
from hookline.model.verdict import Stance

POWERS = {"tool_input": "input", "llm_response": "return"}


def test_powers_follow_from_what_an_event_reads() -> None:
    """A key uses the power of the table or the row's own, and `does` adds others."""
    row = make_row(
        "gemini", POWERS, "AfterModel", reads="tool_input llm_response=text reason", does="note"
    )

    assert row.reads == {"tool_input": "input", "llm_response": "text", "reason": ""}
    assert row.powers == {"input", "text", "note"}
    assert row.kind == "model.response"


@pytest.mark.parametrize(
    ("does", "blocks"),
    [("deny halt", Stance.DENY), ("halt", Stance.HALT), ("allow", Stance.SILENT)],
)
def test_a_block_means_the_stance_that_the_event_can_take(does: str, blocks: Stance) -> None:
    """A denial if there is one, else a halt."""
    assert make_row("gemini", POWERS, "BeforeTool", does=does).blocks is blocks
