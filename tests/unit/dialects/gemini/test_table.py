"""The table of the dialect as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.dialects.gemini.table import TABLE
from hookline.model import kinds
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from hookline.core.dialect import EventRow


def row(native: str) -> EventRow:
    """A row that is there."""
    found = TABLE.row(native)
    assert found is not None
    return found


def test_there_is_a_row_for_each_of_the_11_events() -> None:
    """The events are those of the shared data, under the same canonical names."""
    assert len(TABLE.rows) == 11
    assert {native: row.kind for native, row in TABLE.rows.items()} == dict(
        kinds.native_names("gemini")
    )


def test_only_a_call_can_be_asked_about() -> None:
    """21: column A says BeforeTool."""
    assert [native for native in TABLE.rows if "ask" in row(native).powers] == ["BeforeTool"]


def test_no_event_returns_allow() -> None:
    """1.5: silence is allow."""
    assert [native for native in TABLE.rows if "allow" in row(native).powers] == []


def test_the_events_that_can_be_refused() -> None:
    """The others are advisory."""
    refused = {native for native in TABLE.rows if row(native).blocks is Stance.DENY}

    assert refused == {
        "BeforeAgent",
        "AfterAgent",
        "BeforeModel",
        "AfterModel",
        "BeforeTool",
        "AfterTool",
    }
    assert refused == {native for native in TABLE.rows if {"deny", "halt"} <= row(native).powers}


def test_no_failure_refuses_anything() -> None:
    """1.4: a crash or a timeout lets the action go on."""
    assert {row(native).fails for native in TABLE.rows} == {Stance.SILENT}


@pytest.mark.parametrize("native", TABLE.rows)
def test_a_subject_is_a_fact_that_the_payload_carries(native: str) -> None:
    """A matcher can only be held against what decoding finds."""
    subject = row(native).subject

    assert not subject or subject in {field.fact for field in row(native).fields}
