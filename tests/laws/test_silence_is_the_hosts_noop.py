"""Decoding an event and having no opinion on it is, to every host, as if no hook were there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from hookline.core.dispatch import dispatch
from hookline.core.plan import plan
from hookline.core.registry import Registry
from hookline.engine.catalog import NAMES
from hookline.model.verdict import Decision, Reply, Verdict
from tests.laws.strategies import DIALECTS, FEWER, json_values, least_payload

if TYPE_CHECKING:
    from hookline.core.dialect import Dialect, EventRow
    from hookline.model.event import Event, Json

ROWS = [(dialect, row) for dialect in DIALECTS for row in dialect.table.rows.values()]


def silent(dialect: Dialect, event: Event) -> Decision:
    """What an engine without hooks decides."""
    with pytest.raises(StopIteration) as stopped:
        next(dispatch(plan(Registry(), event, dialect), event))
    decision: Decision = stopped.value.value
    return decision


def test_every_dialect_is_held_to_it() -> None:
    """No dialect of the catalogue is missing from this law."""
    assert {dialect.table.name for dialect in DIALECTS} == {*NAMES} - {"hookline"}


@pytest.mark.parametrize(
    ("dialect", "row"), ROWS, ids=[f"{dialect.table.name}-{row.native}" for dialect, row in ROWS]
)
def test_silence_is_exit_zero_without_a_word(dialect: Dialect, row: EventRow) -> None:
    """With no hooks, and with hooks that have no opinion, each row's reply is nothing at all."""
    event = dialect.decode_event(least_payload(dialect, row), row.native)
    decision = silent(dialect, event)
    heard = decision.replace(verdicts=(Verdict(hook_id="a"), Verdict(hook_id="b")))

    assert Reply(stdout="", stderr="", exit_code=0) == dialect.encode_decision(decision, event)
    assert Reply(stdout="", stderr="", exit_code=0) == dialect.encode_decision(heard, event)


@FEWER
@given(json_values)
@pytest.mark.parametrize(
    ("dialect", "row"),
    [(dialect, row) for dialect, row in ROWS if row.body.__name__ == "ToolCall"][::4],
)
def test_silence_does_not_depend_on_the_payload(
    dialect: Dialect, row: EventRow, value: Json
) -> None:
    """Whatever a tool is called with, silence is silence."""
    fields = {
        field.native: value for field in row.fields if field.fact in ("input", "result", "error")
    }
    event = dialect.decode_event({**least_payload(dialect, row), **fields}, row.native)

    assert Reply() == dialect.encode_decision(silent(dialect, event), event)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.table.name)
def test_an_unknown_event_is_a_noop_too(dialect: Dialect) -> None:
    """A newer host's event degrades to logging."""
    event = dialect.decode_event({}, "brand_new_event")

    assert event.kind == f"x.{dialect.table.name}.brand_new_event"
    assert Reply() == dialect.encode_decision(silent(dialect, event), event)
