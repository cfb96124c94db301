"""The table of the dialect as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.dialects.kimi.table import TABLE
from hookline.model import kinds
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from hookline.core.dialect import EventRow

NEWER = {"UserPromptQueued", "PermissionRequest", "PermissionResult", "Interrupt"}
BLOCKABLE = {"PreToolUse", "UserPromptSubmit", "Stop"}


def row(native: str) -> EventRow:
    """A row that is there."""
    found = TABLE.row(native)
    assert found is not None
    return found


def test_there_is_a_row_for_each_event_of_the_shared_data() -> None:
    """Thirteen of the page and four of the newer edition, under their canonical names."""
    assert {native: row.kind for native, row in TABLE.rows.items()} == dict(
        kinds.native_names("kimi")
    )
    assert {native for native in TABLE.rows if row(native).newer} == NEWER


def test_three_events_can_be_blocked_and_nothing_else_can_be_done() -> None:
    """The last column of the table of events.

    An output is a block or nothing (docs/formats/kimi.md 2, 5).
    """
    assert {native for native in TABLE.rows if row(native).blocks is Stance.DENY} == BLOCKABLE
    assert {native: set(row(native).powers) for native in TABLE.rows if row(native).powers} == {
        native: {"deny"} for native in BLOCKABLE
    }


@pytest.mark.parametrize("native", TABLE.rows)
def test_powers_stay_within_the_kind(native: str) -> None:
    """Kimi does nothing that the vocabulary does not know."""
    assert row(native).powers <= kinds.kind(row(native).kind).powers


def test_the_events_that_are_waited_for() -> None:
    """Section 2, fifth column; what can be blocked is among them."""
    awaited = {native for native in TABLE.rows if row(native).awaited}

    assert awaited == BLOCKABLE | {"SessionStart", "SessionEnd", "SubagentStart", "PreCompact"}
    limited = {native: row(native).longest for native in TABLE.rows if row(native).longest}
    assert limited == {"SessionEnd": 5.0}


def test_the_base_fields_come_first() -> None:
    """Section 2: `hook_event_name`, `session_id`, `cwd`."""
    assert [field.native for field in TABLE.base] == ["hook_event_name", "session_id", "cwd"]


def test_the_rules_of_the_whole_dialect() -> None:
    """All hooks of an event at once, 30 s each, one block of the stop a turn, ASCII on the wire."""
    assert all(row.parallel for row in TABLE.rows.values())
    assert (
        TABLE.default_timeout,
        TABLE.redo_limit,
        TABLE.ascii_only,
        TABLE.echo_safe,
        TABLE.compact,
    ) == (30.0, 1, True, True, False)
