"""What the tests of Starchild share: a hook of each event, an event of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookline.core.dialect import Source
from hookline.dialects.starchild import Starchild
from hookline.dialects.starchild.hermes import Hermes

if TYPE_CHECKING:
    from hookline.core.dialect import Dialect, EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

EVENTS = tuple(Starchild().table.rows)
HERMES_EVENTS = tuple(Hermes().table.rows)
FIELDS = {
    "message": "hello", "notification": "hello", "response": "hello", "tool_name": "bash",
    "status": "new", "model": "m",
    "tool_input": {"command": "ls", "cwd": "/"}, "tool_result": "42 rows",
    "last_user_message": "hello",
}  # fmt: skip


def row_of(dialect: Dialect, event: str) -> EventRow:
    """The row of an event."""
    return dialect.table.rows[event]


def hermes_row(event: str) -> EventRow:
    """The row of an event of Hermes."""
    row: EventRow = Hermes().table.rows[event]
    return row


def one_hook(dialect: Dialect, event: str, *, mode: str = "fidelity", **keys: Any) -> HookSpec:
    """A command hook on an event."""
    loaded = dialect.load(
        Source(tree={"hooks": [{"event": event, "command": "guard", **keys}]}, mode=mode)
    )
    assert [problem for problem in loaded.problems if problem.severity == "error"] == []
    return loaded.specs[0]


def one_event(dialect: Dialect, event: str) -> Event:
    """An event as its host raises it."""
    return dialect.decode_event(
        {"session_id": "s-5", "agent_id": "a-1", "cwd": "/srv/shop", **FIELDS}, event
    )


def hermes_hook(event: str, **keys: Any) -> HookSpec:
    """A command hook on an event of Hermes."""
    return Hermes().load(Source(tree={"hooks": {event: [{"command": "guard", **keys}]}})).specs[0]


def hermes_event(event: str) -> Event:
    """An event as Hermes raises it."""
    extra = {
        "result": "r",
        "output": "o",
        "response_text": "t",
        "user_message": "u",
        "final_response": "f",
    }
    return Hermes().decode_event(
        {
            "tool_name": "terminal",
            "tool_input": {"command": "ls"},
            "session_id": "h",
            "extra": extra,
        },
        event,
    )
