"""Likeness: an event under every name that its tool has in other hosts, for matchers that asked for it."""

from __future__ import annotations

from hookline.model.event import ToolCall
from hookline.model.tools import alike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.match import Predicate
    from hookline.model.event import Event


def named_alike(event: Event) -> Iterator[Event]:
    """The event itself, then once for each other name of its tool."""
    yield event
    body = event.body
    if isinstance(body, ToolCall):
        for name in alike(body.tool, event.dialect):
            yield event.replace(body=body.replace(tool=name))


def of_any_name(predicate: Predicate) -> Predicate:
    """A predicate that holds where it would hold under one of the tool's names."""
    return lambda event: any(map(predicate, named_alike(event)))
