"""Interception: answers some runs of a dispatch at once, so that only the others are performed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.core.dispatch import Dispatch, Run
    from hookline.model.outcome import Outcome
    from hookline.model.verdict import Decision


def intercept(asked: Dispatch, find_outcome: Callable[[Run], Outcome | None]) -> Dispatch:
    """Return the dispatch in which a run has the outcome that `find_outcome` returns; with None it is performed."""
    try:
        runs = next(asked)
        while True:
            known = [find_outcome(run) for run in runs]
            free = tuple(run for run, each in zip(runs, known, strict=True) if each is None)
            done = iter((yield free) if free else ())
            runs = asked.send(tuple(each or next(done) for each in known))
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision
    finally:
        asked.close()  # now, and not at garbage collection: it may have claimed hooks that did not run
