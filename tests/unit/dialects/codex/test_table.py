"""The table of the dialect as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.dialects.codex.table import TABLE
from hookline.model import kinds
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from hookline.core.dialect import EventRow

# A `systemMessage` is no matter of the vocabulary; and these stop the run where the canonical kind
# cannot (codex-rs/hooks).
HALTS_BEYOND = {"UserPromptSubmit", "SubagentStop", "PreCompact", "PostCompact"}


def row(native: str) -> EventRow:
    """A row that is there."""
    found = TABLE.row(native)
    assert found is not None
    return found


def test_there_is_a_row_for_each_of_the_13_events() -> None:
    """The events are those of the shared data, under the same canonical names."""
    assert len(TABLE.rows) == 13
    assert {native: row.kind for native, row in TABLE.rows.items()} == dict(
        kinds.native_names("codex")
    )


@pytest.mark.parametrize("native", TABLE.rows)
def test_powers_stay_within_the_kind_but_where_the_host_does_more(native: str) -> None:
    """Whatever goes beyond the vocabulary is listed here."""
    beyond = {"note"} | ({"halt"} if native in HALTS_BEYOND else set())

    assert row(native).powers - kinds.kind(row(native).kind).powers - beyond == frozenset()


def test_nothing_can_be_asked() -> None:
    """21: column A is a dash."""
    assert [native for native in TABLE.rows if "ask" in row(native).powers] == []


def test_the_events_whose_plain_stdout_is_context() -> None:
    """1.10."""
    plain = {native for native in TABLE.rows if row(native).plain_context}

    assert plain == {"SessionStart", "SubagentStart", "UserPromptSubmit"}


def test_the_events_that_know_no_matcher() -> None:
    """A matcher is ignored on prompts and at the end of a turn."""
    assert {native for native in TABLE.rows if not row(native).subject} == {
        "UserPromptSubmit",
        "Stop",
        "Interrupt",
    }


@pytest.mark.parametrize("native", TABLE.rows)
def test_a_subject_is_a_fact_that_the_payload_carries(native: str) -> None:
    """A matcher can only be held against what decoding finds."""
    subject = row(native).subject

    assert not subject or subject in {field.fact for field in row(native).fields}


def test_every_row_runs_its_hooks_at_once() -> None:
    """1.7."""
    assert all(row(native).parallel for native in TABLE.rows)


def test_a_denial_is_a_power_exactly_where_something_blocks() -> None:
    """The two columns cannot disagree."""
    assert all(
        (row(native).blocks is Stance.DENY) == ("deny" in row(native).powers)
        for native in TABLE.rows
    )


@pytest.mark.parametrize("native", TABLE.rows)
def test_what_is_refused_is_known(native: str) -> None:
    """Codex would not read the key anyway."""
    assert row(native).refused <= row(native).accepts | set(row(native).reads)


def test_every_payload_begins_with_the_session_and_names_its_event() -> None:
    """The order of the other fields is each event's own."""
    assert [field.native for field in TABLE.base] == ["session_id"]
    assert all(
        "hook_event_name" in {field.native for field in row(native).fields} for native in TABLE.rows
    )


def test_the_engines_own_cap_on_stop_gates_holds() -> None:
    """Codex has none, so the common one does (docs/architecture.md 4.12)."""
    assert TABLE.redo_limit == 3
