"""The cap on model calls: blocks the call after the last, and only with a valid limit."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.model.builtins import BUILTINS
from hookline.model.event import Event, Generation
from tests.unit.handlers.builtins.support import output


def call_of_model(iteration: Any) -> Event:
    return Event(
        kind="model.request",
        native_name="before_llm_call",
        body=Generation(facts={"iteration": iteration}),
    )


def blocked(limit: int) -> dict[str, str]:
    return {
        "decision": "block",
        "reason": f"Agent terminated: max_iterations builtin reached its limit of {limit} model "
        f"call(s).",
    }


@pytest.mark.parametrize(
    ("iteration", "args", "blocks"),
    [
        (1, ("1",), False),
        (2, ("1",), True),
        (5, ("5",), False),
        (6, ("5",), True),
        (7, ("5", "9"), True),
        (2, ("01",), True),
    ],
)
def test_the_call_after_the_last_is_blocked(iteration, args, blocks):
    """The first N calls pass, whatever the other arguments are."""
    assert output("max_iterations", call_of_model(iteration), *args) == (
        blocked(int(args[0])) if blocks else None
    )


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("",),
        ("0",),
        ("-1",),
        ("+1",),
        ("1.5",),
        ("five",),
        (" 1",),
        ("1_0",),
        ("\u0661",),
        ("9" * 5000,),
    ],
)
def test_a_bad_limit_is_none(args):
    """A missing, bad, zero or negative limit is no cap of zero."""
    assert output("max_iterations", call_of_model(10**6), *args) is None


@pytest.mark.parametrize("iteration", [None, 0, -1, "9", True, 9.5, [9]])
def test_what_is_no_count_is_not_capped(iteration):
    """A host without a count is not capped."""
    assert output("max_iterations", call_of_model(iteration), "1") is None


@pytest.mark.parametrize("kind", ["model.response", "turn.start", "stop"])
def test_another_event_is_not_capped(kind):
    """A wrong event is no error."""
    assert output("max_iterations", call_of_model(9).replace(kind=kind), "1") is None


def test_the_builtins_are_in_order():
    """Their names, as the table has them."""
    assert list(BUILTINS) == sorted(BUILTINS)
