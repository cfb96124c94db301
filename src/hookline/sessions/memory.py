"""Memory: what is known of a session beyond one event, for as long as this process lives.

`store.Sessions` keeps it in files.
"""

from __future__ import annotations

import json
import sys
import time
from _thread import allocate_lock  # most processes never need `threading`

from hookline.core.guardrails import RedoCounts, is_flagged
from hookline.model.event import Event
from hookline.model.frozen import Frozen
from hookline.model.spec import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    from hookline.core.deferred_results import DeferredResult

    Change = Callable[[dict[str, Any]], None]

# Limits of one session: waiting answers, their characters, and the characters of its facts as JSON.
MOST_WAITING = 32
MOST_CHARACTERS = 131_072
_MOST_FACTS = 65_536
_MOST_SESSIONS = 256  # in memory
BACKGROUND_SECONDS = 10.0  # how long a process in the background waits for the lock
_MOST_FAILURES = 256  # hooks whose failures are kept, latest first
# Stands for all sessions; no host is called `hookline hooks`.
_EVERY_SESSION = Event(kind="session.start", dialect="hookline hooks", session_id="failures")


class Failures(Frozen):
    """The failures of one hook since it last succeeded.

    `count`: how many. `at`: the time of the last one, in seconds since 1970.
    """

    count: int = 0
    at: float = 0.0


class Memory:
    """Redos, hooks that ran once, counts, late answers and facts, by session, for as long as this process lives.

    Sessions are separate for each host (`Event.dialect`); those used last are kept. Events without
    a session id only count redos and hooks that ran once. `clock`: seconds since 1970. `lasting`:
    whether the state outlives the process; `problems`: what could not be kept.
    """

    lasting = False
    asker = ""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.problems: tuple[Problem, ...] = ()
        self._lock = allocate_lock()
        self._states: dict[tuple[str, str], dict[str, Any]] = {}

    def _state(self, event: Event) -> Mapping[str, Any]:
        """Return the state of the event's session; empty if there is none."""
        return self._states.get((event.dialect, event.session_id), {})

    # Files need it.
    def _change(self, event: Event, change: Change, seconds: float = 0.0) -> bool:  # noqa: ARG002
        """Change the state in one step; return whether that worked.

        `seconds`: how long to wait for other processes.
        """
        key = (event.dialect, event.session_id)
        with self._lock:
            state = dict(self._states.get(key, {}))
            change(state)
            self._states.pop(key, None)
            self._states[key] = state  # now the newest
            if len(self._states) > _MOST_SESSIONS:
                del self._states[next(iter(self._states))]
        return True

    def _add_problem(self, name: str, message: str, hint: str) -> None:
        new = Problem(name=name, message=message, hint=hint, severity="warning")
        with self._lock:
            if not any(problem.name == name for problem in self.problems):
                self.problems += (new,)

    # -- redos -------------------------------------------------------------------------------------

    def redos(self, event: Event) -> int:
        """Return how often the stop gate of this event sent the agent back in this turn."""
        state = self._state(event)
        return self._read_redos(state).count(event) if state else 0

    def send_back(
        self, event: Event, limit: int, *, follows: bool | None = None, lasted: float = 0.0
    ) -> int | None:
        """Count a redo if its series has fewer than `limit` (0: no limit).

        Return how many it had, None if unknown.

        Checking and counting are one step, so that any number of processes stay within the limit
        together. `follows` as from `guardrails.follows_redo`; `lasted`: how many seconds its hooks
        ran, without a lock. In files and without a session id, only the host's own flag counts,
        which says that it sent the agent back before.
        """
        if self.lasting and not event.session_id:
            return None if is_flagged(event) else 0
        had = 0

        def sending(state: dict[str, Any]) -> None:
            nonlocal had
            redos, now = self._read_redos(state), self.clock()
            had = redos.count_before(event, follows=follows, began=now - lasted, now=now)
            if limit <= 0 or had < limit:
                self._write_redos(state, redos.with_redo(event, had, follows=follows, now=now))

        return had if self._change(event, sending) else None

    def settle(
        self, event: Event, *, follows: bool | None = None, lasted: float = 0.0, ends: bool = False
    ) -> None:
        """Forget the counts of a finished turn (`guardrails.RedoCounts.with_stop`), after an event that sent no agent back.

        `ends`: the session is over, and hooks that ran once may run again.
        """
        state = self._state(event)
        if not state.get("redos") and not (ends and (state.get("once") or state.get("counted"))):
            return

        def settling(state: dict[str, Any]) -> None:
            redos, now = self._read_redos(state), self.clock()
            self._write_redos(
                state, redos.with_stop(event, follows=follows, began=now - lasted, now=now)
            )
            if ends:
                state |= {"once": [], "counted": {}}

        self._change(event, settling)

    def _read_redos(self, state: Mapping[str, Any]) -> RedoCounts:
        times = read_object(read_object(state, "rows"), self.asker)
        rows = {name: at for name, at in times.items() if type(at) in (int, float) and at > 0}
        return RedoCounts(counts=read_counts(read_object(state, "redos"), self.asker), rows=rows)

    def _write_redos(self, state: dict[str, Any], redos: RedoCounts) -> None:
        for key, held in (("redos", redos.counts), ("rows", redos.rows)):
            others = read_object(state, key)
            others.pop(self.asker, None)
            state[key] = others | ({self.asker: dict(held)} if held else {})

    # -- once, and counts --------------------------------------------------------------------------

    def spent(self, event: Event) -> frozenset[str]:
        """Return the marks of the hooks that ran in the event's session and may run only once."""
        return frozenset(read_texts(self._state(event), "once"))

    def claim(self, event: Event, mark: str) -> bool:
        """Claim the run of a hook that may run once; return whether this process may run it.

        True if the claim cannot be stored.
        """
        claimed = True

        def claiming(state: dict[str, Any]) -> None:
            nonlocal claimed
            marks = read_texts(state, "once")
            claimed = mark not in marks
            state["once"] = [*marks, mark] if claimed else marks

        if event.session_id or not self.lasting:
            self._change(event, claiming)
        return claimed

    def release(self, event: Event, mark: str) -> None:
        """Let a hook that failed be claimed again."""

        def releasing(state: dict[str, Any]) -> None:
            state["once"] = [each for each in read_texts(state, "once") if each != mark]

        if event.session_id or not self.lasting:
            self._change(event, releasing)

    def spend(self, event: Event, what: str, most: int) -> bool:
        """Count one more of something if the session has fewer than `most`; return whether it had.

        It also returns True if the count cannot be stored.
        """
        had = self._count_one(event, "spent", what, most)
        return had is None or had < most

    def count(self, event: Event, what: str) -> int:
        """Count one more of something in the event's session, and return the count.

        It returns 0 without a session id, and if the count cannot be stored.
        """
        had = self._count_one(event, "counted", what)
        return 0 if had is None else had + 1

    def _count_one(self, event: Event, key: str, what: str, most: int = sys.maxsize) -> int | None:
        """Add one to a count that is below `most`.

        Return what it was before, None if it cannot be stored.
        """
        had = 0

        def counting(state: dict[str, Any]) -> None:
            nonlocal had
            counts = read_counts(state, key)
            had = counts.get(what, 0)
            if had < most:
                state[key] = counts | {what: had + 1}

        return had if event.session_id and self._change(event, counting) else None

    # -- failures ----------------------------------------------------------------------------------

    def failures(self) -> Mapping[str, Failures]:
        """Return the hooks that failed when they last ran, in any session, each with its failures in a row."""
        return _read_failures(self._state(_EVERY_SESSION))

    def record_failures(self, failed: Collection[str], succeeded: Collection[str]) -> None:
        """Count a failure of some hooks, and forget the failures of those that succeeded."""
        if not failed and not set(succeeded) & set(self.failures()):
            return

        def recording(state: dict[str, Any]) -> None:
            before = _read_failures(state)
            kept = {hook: each for hook, each in before.items() if hook not in succeeded}
            for hook in failed:
                count = kept.pop(hook, Failures()).count + 1
                kept[hook] = Failures(count=count, at=self.clock())
            state["failures"] = {
                hook: {"count": each.count, "at": each.at}
                for hook, each in list(kept.items())[-_MOST_FAILURES:]
            }

        self._change(_EVERY_SESSION, recording)

    # -- late answers ------------------------------------------------------------------------------

    def prepare(self, event: Event) -> None:
        """Check that an answer can be delivered later, and report it now if not."""
        if not event.session_id:
            self._add_problem(
                "session.nameless",
                f"this `{event.native_name}` names no session, so hookline cannot deliver later what its background hooks answer",
                "have the host send a `session_id`, or do not let the hook run in the background",
            )

    def begin(self, event: Event, hook_id: str) -> None:
        """Record the start of a detached hook.

        Does nothing here, because this state ends with the process too.
        """

    def over(self, event: Event, hook_id: str) -> None:
        """Record the end of a detached hook."""

    def keep(self, event: Event, late: DeferredResult) -> None:
        """Keep a late answer for the next turn of the event's session.

        Drop the oldest if there are too many.
        """
        # Few hooks run in the background.
        from hookline.core.deferred_results import count_characters  # noqa: PLC0415

        def keeping(state: dict[str, Any]) -> None:
            waiting, dropped = [*_read_late(state), late], read_counts(state, "dropped")
            while len(waiting) > MOST_WAITING or (
                len(waiting) > 1 and count_characters(waiting) > MOST_CHARACTERS
            ):
                hook = waiting.pop(0).hook_id
                dropped[hook] = dropped.get(hook, 0) + 1
            state |= {"late": [each.to_dict() for each in waiting], "dropped": dropped}

        if event.session_id:
            self._change(event, keeping, BACKGROUND_SECONDS)

    def take(self, event: Event, *, wakes: bool) -> tuple[list[DeferredResult], Mapping[str, int]]:
        """Return the waiting answers, each only once, and how many of each hook were dropped.

        With `wakes` only those that wake.
        """
        held = self._state(event)
        if not held.get("late") and not held.get("dropped"):
            return [], {}
        taken: list[DeferredResult] = []
        dropped: dict[str, int] = {}

        def taking(state: dict[str, Any]) -> None:
            left: list[DeferredResult] = []
            for late in _read_late(state):
                (left if wakes and not late.wake else taken).append(late)
            state["late"] = [late.to_dict() for late in left]
            if not wakes:
                dropped.update(read_counts(state, "dropped"))
                state["dropped"] = {}

        return (taken, dropped) if self._change(event, taking) else ([], {})

    # -- facts -------------------------------------------------------------------------------------

    def facts(self, event: Event) -> Mapping[str, Any]:
        """Return the facts of the event's session."""
        return read_object(self._state(event), "facts")

    def remember(self, event: Event, name: str, value: Any) -> None:
        """Set a fact of the event's session to a JSON value; None removes it.

        Raises:
            ValueError: the session's facts would exceed 65,536 characters of JSON.
            TypeError: JSON cannot express the value.
        """

        def remembering(state: dict[str, Any]) -> None:
            facts = {**read_object(state, "facts"), name: value}
            state["facts"] = {known: kept for known, kept in facts.items() if kept is not None}
            if len(json.dumps(state["facts"])) > _MOST_FACTS:
                raise ValueError(f"a session remembers at most {_MOST_FACTS} characters")

        if event.session_id:
            self._change(event, remembering)


# -- values of a state, without what hookline did not write ----------------------------------------


def read_object(state: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return an object in the state; empty if the value is something else."""
    held = state.get(key)
    return dict(held) if isinstance(held, dict) else {}


def read_counts(state: Mapping[str, Any], key: str) -> dict[str, int]:
    """Return the counts in an object of the state, without invalid ones."""
    held = read_object(state, key)
    return {name: count for name, count in held.items() if type(count) is int and count > 0}


def read_texts(state: Mapping[str, Any], key: str) -> list[str]:
    """Return the texts in a list of the state, without invalid ones."""
    held = state.get(key)
    return [each for each in held if isinstance(each, str)] if isinstance(held, list) else []


def _read_failures(state: Mapping[str, Any]) -> dict[str, Failures]:
    """Return the failures in a state, by hook, without invalid ones."""
    found = {}
    for hook, entry in read_object(state, "failures").items():
        count, at = (entry.get("count"), entry.get("at")) if isinstance(entry, dict) else (0, 0)
        if type(count) is int and count > 0 and isinstance(at, int | float):
            found[hook] = Failures(count=count, at=at)
    return found


def _read_late(state: Mapping[str, Any]) -> list[DeferredResult]:
    """Return the waiting answers in a state, oldest first, without invalid ones."""
    # Few hooks run in the background.
    from hookline.core.deferred_results import parse_deferred  # noqa: PLC0415

    found, held = [], state.get("late")
    for each in held if isinstance(held, list) else ():
        try:
            found.append(parse_deferred(each))
        except ValueError:
            continue
    return found
