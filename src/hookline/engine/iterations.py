"""Iterations: the number of a model call in its session, for a host that does not send one."""

from __future__ import annotations

from hookline.model.handler import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.plan import Plan
    from hookline.model.event import Event
    from hookline.sessions.memory import Memory
    from hookline.sessions.store import Sessions

KIND = "model.request"
_FACT = "iteration"
# The builtins that read the number.
_READERS = frozenset({"max_iterations"})


def number_call(event: Event, chosen: Plan, sessions: Sessions | Memory) -> Event:
    """Return the event with its number, if a chosen hook reads one and the host sent none."""
    if event.body.value(_FACT) is not None:
        return event
    handlers = [step.spec.handler for group in chosen.groups for step in group.steps]
    if not any(type(each) is Builtin and each.name in _READERS for each in handlers):
        return event
    number = sessions.count(event, "model_requests")
    if not number:
        return event
    return event.replace(body=event.body.replace(facts={**event.body.facts, _FACT: number}))
