"""What an engine adds to an event."""

from __future__ import annotations

from hookline.engine.firing import add_redo_count, add_time
from hookline.model.event import Event, Prompt, Stop


def test_the_time_is_added_once() -> None:
    """In UTC; what the host sent stays."""
    timed = add_time(Event(kind="prompt.submit", body=Prompt(prompt="x")), 0.0)

    assert timed.body.facts["timestamp"] == "1970-01-01T00:00:00Z"
    assert add_time(timed, 5.0) is timed


def test_a_stop_tells_how_often_it_was_refused() -> None:
    """A host that says it is active is right, whatever was counted."""
    first = add_redo_count(Event(kind="stop", body=Stop()), 0, 3)
    second = add_redo_count(Event(kind="stop", body=Stop()), 2, 3)
    told = add_redo_count(Event(kind="stop", body=Stop(stop_hook_active=True)), 0, 3)

    assert first.body.facts == {"stop_block_count": 0, "stop_block_limit": 3}
    assert [each.body.value("stop_hook_active") for each in (first, second, told)] == [
        False, True, True,
    ]  # fmt: skip
