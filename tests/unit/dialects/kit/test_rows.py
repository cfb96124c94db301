"""Rows whose powers follow from the keys that an event reads."""

from __future__ import annotations

import pytest

from hookline.dialects.kit.dialect import make_row
from hookline.model.event import ToolCall
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
    ("does", "blocks", "stops"),
    [
        ("deny halt", Stance.DENY, Stance.HALT),
        ("halt", Stance.SILENT, Stance.HALT),
        ("allow", Stance.SILENT, Stance.SILENT),
    ],
)
def test_what_an_event_can_do_says_what_a_block_means(
    does: str, blocks: Stance, stops: Stance
) -> None:
    """A block denies where something can deny, and `continue: false` halts where something can halt."""
    row = make_row("gemini", POWERS, "BeforeTool", does=does)

    assert (row.blocks, row.stops, row.body) == (blocks, stops, ToolCall)


def test_what_a_block_means_is_a_power() -> None:
    """So no row can say one thing in two ways."""
    row = make_row("gemini", {}, "BeforeTool", blocks=Stance.HALT)

    assert row.powers == {"halt"}
