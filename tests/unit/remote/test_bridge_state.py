"""What a bridge shares with its peers: counters, ids, the trace context."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from hookline.model.event import Event
from hookline.remote.bridge_state import BridgeState
from hookline.remote.limits import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable


def state(trace: Callable[[], str] | None = None) -> BridgeState:
    """A state with the real clock."""
    return BridgeState(Bounds(), time.monotonic, asyncio.sleep, trace)


def test_counts_are_a_copy() -> None:
    """A change of the copy does not reach the counters."""
    bridge = state()
    bridge.count("late")
    bridge.count("late")
    bridge.counts["late"] = 7

    assert bridge.counts == {"late": 2}


def test_ids_differ_also_between_bridges() -> None:
    """Handlers that are attached to two engines can tell their invocations apart."""
    one, other = state(), state()

    assert len({one.next_id(), one.next_id(), other.next_id(), other.next_id()}) == 4


def test_a_trace_of_its_own_goes_before_that_of_the_event() -> None:
    """Without one, the event's own trace context counts."""
    carried = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    event = Event(kind="tool.before", dialect="a3s", raw={"traceparent": carried})

    assert state(lambda: "mine").trace(event) == "mine"
    assert state().trace(event) == carried
