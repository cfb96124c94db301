"""Memory: the session state of one process, for as long as it lives."""

from __future__ import annotations

import time
from _thread import allocate_lock  # most processes never need `threading`

from hookline.core.deferred_results import count_characters
from hookline.core.guardrails import RedoCounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    from hookline.core.deferred_results import DeferredResult
    from hookline.model.event import Event
    from hookline.model.problem import Problem
    from hookline.sessions.failures import Failures

# Limits of one session: waiting answers, and their characters. And the most sessions to remember.
MOST_WAITING = 32
MOST_CHARACTERS = 131_072
_MOST_SESSIONS = 256


class Memory:
    """Redos, late answers and facts, by session; the in-process counterpart of `store.Sessions`.

    Sessions are separate for each host (`Event.dialect`); those used last are kept. Events without a session id
    only count redos. `clock`: seconds since 1970. `lasting`: whether the state outlives the process; `problems`: what could not be kept.
    """

    lasting = False

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.problems: tuple[Problem, ...] = ()
        self._redos: dict[tuple[str, str], RedoCounts] = {}
        self._late: dict[tuple[str, str], list[DeferredResult]] = {}
        self._dropped: dict[tuple[str, str], dict[str, int]] = {}
        self._facts: dict[tuple[str, str], dict[str, Any]] = {}
        self._counted: dict[tuple[str, str], dict[str, int]] = {}
        self._failures: Mapping[str, Failures] = {}
        self._lock = allocate_lock()

    # -- redos -----------------------------------------------------------------------------------------------------

    def redos(self, event: Event) -> int:
        """Return how often the stop gate of this event sent the agent back in this turn."""
        known = self._redos.get(_key(event))
        return known.count(event) if known is not None else 0

    def send_back(
        self, event: Event, limit: int, *, follows: bool | None = None, lasted: float = 0.0
    ) -> int | None:
        """Count a redo if its series has fewer than `limit` (0: no limit), in one step; return how many it had.

        `follows` as from `guardrails.follows_redo`; `lasted`: how many seconds its hooks ran.
        """
        key, now = _key(event), self.clock()
        with self._lock:
            redos = self._redos.get(key, RedoCounts())
            had = redos.count_before(event, follows=follows, began=now - lasted, now=now)
            if limit <= 0 or had < limit:
                self._redos.pop(key, None)
                _put(self._redos, key, redos.with_redo(event, had, follows=follows, now=now))
        return had

    def settle(
        self, event: Event, *, follows: bool | None = None, lasted: float = 0.0, ends: bool = False
    ) -> None:
        """Forget the counts of a finished turn (`guardrails.RedoCounts.with_stop`), after an event that sent no agent back.

        `ends`: the session is over. The engine itself retires the hooks that run once.
        """
        key, now = _key(event), self.clock()
        if ends:
            self._counted.pop(key, None)
        if key not in self._redos:
            return
        with self._lock:
            redos = self._redos.pop(key, RedoCounts())
            after = (
                RedoCounts()
                if ends
                else redos.with_stop(event, follows=follows, began=now - lasted, now=now)
            )
            if after.counts:
                _put(self._redos, key, after)

    # -- counts ----------------------------------------------------------------------------------------------------

    def count(self, event: Event, what: str) -> int:
        """Count one more of something in the event's session, and return the count; 0 without a session id."""
        if not event.session_id:
            return 0
        with self._lock:
            counts = self._counted.get(_key(event), {})
            number = counts.get(what, 0) + 1
            _put(self._counted, _key(event), {**counts, what: number})
        return number

    # -- failures --------------------------------------------------------------------------------------------------

    def failures(self) -> Mapping[str, Failures]:
        """Return the hooks that failed when they last ran, each with its failures in a row."""
        return self._failures

    def record_failures(self, failed: Collection[str], succeeded: Collection[str]) -> None:
        """Count a failure of some hooks, and forget the failures of those that succeeded."""
        from hookline.sessions.failures import count_failures  # noqa: PLC0415 - few formats count failures

        with self._lock:
            self._failures = count_failures(self._failures, failed, succeeded, self.clock())

    # -- late answers ----------------------------------------------------------------------------------------------

    def prepare(self, event: Event) -> None:
        """Check that an answer can be delivered later, and report it now if not."""
        if not event.session_id:
            with self._lock:
                self.problems = self.problems or (make_nameless_problem(event),)

    def begin(self, event: Event, hook_id: str) -> None:
        """Record the start of a detached hook; does nothing here, because this state ends with the process too."""

    def over(self, event: Event, hook_id: str) -> None:
        """Record the end of a detached hook."""

    def keep(self, event: Event, late: DeferredResult) -> None:
        """Keep a late answer for the next turn of the event's session; drop the oldest if there are too many."""
        key = _key(event)
        if not event.session_id:
            return
        with self._lock:
            waiting = self._late.setdefault(key, [])
            waiting.append(late)
            while len(waiting) > MOST_WAITING or (
                len(waiting) > 1 and count_characters(waiting) > MOST_CHARACTERS
            ):
                self._count_dropped(key, [waiting.pop(0)])
            while len(self._late) > _MOST_SESSIONS:
                gone = next(iter(self._late))
                self._count_dropped(gone, self._late.pop(gone))

    def _count_dropped(self, key: tuple[str, str], fallen: list[DeferredResult]) -> None:
        counts = self._dropped.setdefault(key, {})
        for late in fallen:
            counts[late.hook_id] = counts.get(late.hook_id, 0) + 1
        while len(self._dropped) > _MOST_SESSIONS:
            del self._dropped[next(iter(self._dropped))]

    def take(self, event: Event, *, wakes: bool) -> tuple[list[DeferredResult], Mapping[str, int]]:
        """Return the waiting answers, each only once, and how many of each hook were dropped; with `wakes` only those that wake."""
        if not self._late and not self._dropped:
            return [], {}
        key = _key(event)
        with self._lock:
            waiting = self._late.pop(key, [])
            kept = [late for late in waiting if wakes and not late.wake]
            if kept:
                self._late[key] = kept
            dropped = {} if wakes else self._dropped.pop(key, {})
        return [late for late in waiting if late.wake or not wakes], dropped

    # -- facts -----------------------------------------------------------------------------------------------------

    def facts(self, event: Event) -> Mapping[str, Any]:
        """Return the facts of the event's session."""
        return dict(self._facts.get(_key(event), {}))

    def remember(self, event: Event, name: str, value: Any) -> None:
        """Set a fact of the event's session to a JSON value; None removes it."""
        if event.session_id:
            with self._lock:
                facts = {**self._facts.get(_key(event), {}), name: value}
                _put(
                    self._facts,
                    _key(event),
                    {known: kept for known, kept in facts.items() if kept is not None},
                )


def make_nameless_problem(event: Event) -> Problem:
    """Return the problem that answers of background hooks cannot be delivered without a session id."""
    from hookline.model.problem import Problem  # noqa: PLC0415 - usually there is no problem

    return Problem(
        name="session.nameless",
        message=f"this `{event.native_name}` names no session, so hookline cannot deliver later what its background hooks answer",
        hint="have the host send a `session_id`, or do not let the hook run in the background",
        severity="warning",
    )


def _put(known: dict[tuple[str, str], Any], key: tuple[str, str], value: Any) -> None:
    """Make this the newest entry; drop the oldest if there are too many."""
    known.pop(key, None)
    known[key] = value
    while len(known) > _MOST_SESSIONS:
        del known[next(iter(known))]


def _key(event: Event) -> tuple[str, str]:
    return (event.dialect, event.session_id)
