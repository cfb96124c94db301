"""Nesting: the dispatch of an event that came from inside of hooks, in which these are not asked again, and all others are."""

from __future__ import annotations

from hookline.handlers.recursion_guard import hook_mark
from hookline.model.outcome import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dispatch import Dispatch
    from hookline.model.verdict import Decision

_AGAIN = Outcome(failure=Failure.REENTERED)


def leaving_out(asked: Dispatch, inside: frozenset[str]) -> Dispatch:
    """The dispatch, in which a hook whose mark is `inside` has failed at once, because it is what raised the event."""
    try:
        runs = next(asked)
        while True:
            again = [hook_mark(run.spec) in inside for run in runs]
            going = tuple(run for run, is_again in zip(runs, again, strict=True) if not is_again)
            done = iter((yield going) if going else ())
            runs = asked.send(tuple(_AGAIN if is_again else next(done) for is_again in again))
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision
