"""The time limit of the matchers that backtrack, for one event."""

from __future__ import annotations

from hookline.model.outcome import Failure, Outcome
from hookline.text.re2_regex import MatchTimeoutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.core.registry import Entry
    from hookline.model.event import Event

EVENT_LIMIT = 0.2  # seconds for all backtracking matchers of one event
_HINT = "write it without look-around or nested repetitions"


class MatchBudget:
    """Counts the seconds that the backtracking matchers of one event take, and keeps the failures.

    A matcher that takes too long selects its hook, which then counts as failed. So a text that is
    hard to match cannot make a guard disappear.
    """

    __slots__ = ("_clock", "_failures", "_spent")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._spent = 0.0
        self._failures: dict[int, Outcome] = {}  # by the identity of an entry

    def is_selected(self, entry: Entry, event: Event) -> bool:
        """Return whether the backtracking matchers of a hook select the event.

        True, and a failure, if that takes too long.
        """
        self._failures.pop(id(entry), None)
        for holds in entry.backtracking:
            if self._spent >= EVENT_LIMIT:
                self._fail(
                    entry, f"the matchers of this event took {EVENT_LIMIT * 1000:g} ms; {_HINT}"
                )
                return True
            began = self._clock()
            try:
                if not holds(event):
                    return False
            except MatchTimeoutError as error:
                self._fail(entry, f"`{error.source}`; {_HINT}")
                return True
            finally:
                self._spent += self._clock() - began
        return True

    def failure(self, entry: Entry) -> Outcome | None:
        """Return the failure of a hook whose matcher took too long at the last attempt."""
        return self._failures.get(id(entry))

    def _fail(self, entry: Entry, detail: str) -> None:
        self._failures[id(entry)] = Outcome(failure=Failure.UNDECIDED, detail=detail)
