"""The rows are those of docs/formats/starchild.md 2, cell by cell."""

from __future__ import annotations

import pytest

from hookline.dialects.starchild import Starchild
from hookline.dialects.starchild.hermes import Hermes
from hookline.model import kinds
from tests.unit.dialects.starchild.support import EVENTS, row_of

# event -> may return
PAGE = {
    "on_user_message": "block message note context",
    "pre_tool_call": "block tool_input note",
    "post_tool_call": "",
    "transform_tool_result": "note tool_result",
    "pre_llm_call": "context",
    "post_llm_call": "response",
    "on_response_end": "response note",
    "on_stop": "block note",
    "on_outbound_message": "block notification note",
    "on_completion_claim": "block note",
    "on_session_start": "",
    "on_session_end": "",
}
_KEYS = {"deny": "block", "input": "tool_input", "output": "tool_result"}


@pytest.mark.parametrize("event", EVENTS)
def test_a_row_is_the_one_of_the_page(event: str) -> None:
    """What a hook may return, in the page's own keys."""
    row = row_of(Starchild(), event)

    assert {
        row.rewrites if power == "text" else _KEYS.get(power, power) for power in row.powers
    } == set(PAGE[event].split())
    assert row.can_block == ("block" in PAGE[event].split())


def test_every_event_is_there() -> None:
    """Twelve, by the names of the vocabulary."""
    assert set(EVENTS) == set(PAGE) == set(kinds.native_names("seed3-starchild"))


@pytest.mark.parametrize("event", EVENTS)
def test_an_approver_adds_asks_where_something_is_to_happen(event: str) -> None:
    """Not at the gates that send the agent back: there is nothing to approve."""
    row = row_of(Starchild(approver=True), event)

    assert ("ask" in row.powers) == (row.can_block and not kinds.kind(row.kind).redo)


def test_what_the_same_name_means_elsewhere() -> None:
    """Starchild's model call is a request, Hermes' is a turn; so is the end of a session."""
    starchild, hermes = Starchild().table.rows, Hermes().table.rows

    assert (starchild["pre_llm_call"].kind, hermes["pre_llm_call"].kind) == (
        "model.request",
        "turn.start",
    )
    assert (starchild["on_session_end"].kind, hermes["on_session_end"].kind) == (
        "session.end",
        "turn.end",
    )
