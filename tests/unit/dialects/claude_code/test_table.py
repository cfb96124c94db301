"""The table of the dialect as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.dialects.claude_code.table import KEYS, TABLE
from hookline.model import kinds
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from hookline.core.dialect import EventRow

# Powers that every event has (2.8 rule 5), and those that single ones have beyond their canonical
# kind (2.7).
EVERYWHERE = {"note", "halt", "terminal_sequence"}
BEYOND = {
    "SessionStart": {"watch", "initial_message", "reload_skills"},
    "UserPromptSubmit": {"hide_prompt"},
    "PostToolUse": {"classifier_context"},
    "PreModelSwitch": {"allow", "ask"},
    "Elicitation": {"deny"},
}


def row(native: str) -> EventRow:
    """A row that is there."""
    found = TABLE.row(native)
    assert found is not None
    return found


def test_there_is_a_row_for_each_of_the_33_events() -> None:
    """The events are those of the shared data, under the same canonical names."""
    assert len(TABLE.rows) == 33
    assert {native: row.kind for native, row in TABLE.rows.items()} == dict(
        kinds.native_names("claude")
    )


@pytest.mark.parametrize("native", TABLE.rows)
def test_powers_stay_within_the_kind_but_where_the_host_does_more(native: str) -> None:
    """Whatever goes beyond the vocabulary is listed here, with its clause above."""
    allowed = kinds.kind(row(native).kind).powers | EVERYWHERE | BEYOND.get(native, set())

    assert row(native).powers - allowed == frozenset()


def test_only_task_created_does_not_halt() -> None:
    """`TaskCreated` ignores `continue: false` (docs/formats/claude-code.md 10)."""
    assert [native for native in TABLE.rows if "halt" not in row(native).powers] == ["TaskCreated"]


def test_the_events_on_which_a_top_level_block_works() -> None:
    """Rule 6 of 2.8, word for word, and `PreToolUse` in the old way."""
    assert {native for native in TABLE.rows if "block" in row(native).words} == {
        "UserPromptSubmit", "UserPromptExpansion", "PostToolUse", "PostToolUseFailure",
        "PostToolBatch", "Stop", "SubagentStop",
        "ConfigChange", "PreCompact", "TaskCreated", "PreModelSwitch", "PreToolUse",
    }  # fmt: skip


def test_the_events_whose_plain_stdout_is_context() -> None:
    """1.10."""
    plain = {native for native in TABLE.rows if row(native).plain_context}

    assert plain == {"SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PostModelSwitch"}


def test_the_events_that_know_no_matcher() -> None:
    """The dashes in the table of 2.7."""
    assert {native for native in TABLE.rows if not row(native).subject} == {
        "UserPromptSubmit", "PostToolBatch", "MessageDisplay", "TaskCreated", "TaskCompleted",
        "TeammateIdle", "Stop",
        "CwdChanged", "WorktreeCreate", "WorktreeRemove",
    }  # fmt: skip


@pytest.mark.parametrize("native", TABLE.rows)
def test_a_subject_is_a_fact_that_the_payload_carries(native: str) -> None:
    """A matcher can only be held against what decoding finds."""
    subject = row(native).subject

    assert not subject or subject in {field.fact for field in row(native).fields}


@pytest.mark.parametrize("native", TABLE.rows)
def test_what_can_be_rewritten_has_a_place_in_the_body(native: str) -> None:
    """A rewrite that the body cannot take would be lost on its way."""
    targets = {"input", "output", "text"}.intersection(row(native).reads.values())

    assert targets <= set(row(native).body.rewritable)


def test_every_row_runs_its_hooks_at_once() -> None:
    """2.9."""
    assert all(row(native).parallel for native in TABLE.rows)


def test_a_denial_is_a_power_exactly_where_something_blocks() -> None:
    """The two columns cannot disagree."""
    assert all(
        (row(native).blocks is Stance.DENY) == ("deny" in row(native).powers)
        for native in TABLE.rows
    )


def test_every_key_is_read_by_an_event() -> None:
    """An unused key would promise something false."""
    assert {key for native in TABLE.rows for key in row(native).reads} == set(KEYS)
