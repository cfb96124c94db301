"""Memory: what is known of a session beyond one event, for as long as this process lives.

`store.Sessions` keeps it in files.
"""

from __future__ import annotations

import os
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
    from types import ModuleType
    from typing import Any

    from hookline.core.deferred_results import DeferredResult

    Change = Callable[[dict[str, Any]], None]

# Limits of one session: waiting answers, and their characters.
MOST_WAITING = 32
MOST_CHARACTERS = 131_072
_MOST_SESSIONS = 256  # in memory
_MOST_FAILURES = 256  # hooks whose failures are kept, latest first
_BACKGROUND_SECONDS = 10.0  # how long a process in the background waits for the lock
_LOST = "the process that ran it ended before the hook did"
# Stands for all sessions; no host is called `hookline hooks`.
_EVERY_SESSION = Event(kind="session.start", dialect="hookline hooks", session_id="failures")


class Failures(Frozen):
    """The failures of one hook since it last succeeded.

    `count`: how many. `at`: the time of the last one, in seconds since 1970.
    """

    count: int = 0
    at: float = 0.0


class Memory:
    """Redos, hooks that ran once, counts, failures and late answers, by session, in this process.

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
            state = self._states.pop(key, {})
            self._states[key] = state  # now the newest
            change(state)
            if len(self._states) > _MOST_SESSIONS:
                del self._states[next(iter(self._states))]
        return True

    def _add_problem(self, name: str, message: str, hint: str) -> None:
        new = Problem.warning(name, message, hint)
        with self._lock:
            if not any(problem.name == name for problem in self.problems):
                self.problems += (new,)

    # -- redos -------------------------------------------------------------------------------------

    def redos(self, event: Event) -> int:
        """Return how often the stop gate of this event sent the agent back in this turn."""
        return self._read_redos(self._state(event)).count(event)

    def send_back(self, event: Event, limit: int, *, follows: bool | None = None) -> int | None:
        """Count a redo if its series has fewer than `limit` (0: no limit).

        Return how many it had, None if unknown.

        Checking and counting are one step, so that any number of processes stay within the limit
        together; where the host says that a stop follows none, a new count begins. `follows` as
        from `guardrails.follows_redo`. In files and without a session id, only the host's own flag
        counts, which says that it sent the agent back before.
        """
        if self.lasting and not event.session_id:
            return None if is_flagged(event) else 0
        had = 0

        def sending(state: dict[str, Any]) -> None:
            nonlocal had
            redos = self._read_redos(state)
            had = redos.count_before(event, follows=follows)
            if limit <= 0 or had < limit:
                self._write_redos(state, redos.with_redo(event, had))

        return had if self._change(event, sending) else None

    def settle(self, event: Event, *, follows: bool | None = None, ends: bool = False) -> None:
        """Forget the counts of a finished turn, after an event that sent no agent back.

        `ends`: the session is over, and hooks that ran once may run again.
        """
        state = self._state(event)
        if not state.get("redos") and not (ends and (state.get("once") or state.get("counted"))):
            return

        def settling(state: dict[str, Any]) -> None:
            self._write_redos(state, self._read_redos(state).with_stop(event, follows=follows))
            if ends:
                state |= {"once": [], "counted": {}}

        self._change(event, settling)

    def _read_redos(self, state: Mapping[str, Any]) -> RedoCounts:
        return RedoCounts(counts=state.get("redos", {}).get(self.asker, {}))

    def _write_redos(self, state: dict[str, Any], redos: RedoCounts) -> None:
        others = {who: held for who, held in state.get("redos", {}).items() if who != self.asker}
        if redos.counts:
            others[self.asker] = dict(redos.counts)
        state["redos"] = others

    # -- once, and counts --------------------------------------------------------------------------

    def spent(self, event: Event) -> frozenset[str]:
        """Return the marks of the hooks that ran in the event's session and may run only once."""
        return frozenset(self._state(event).get("once", ()))

    def claim(self, event: Event, mark: str) -> bool:
        """Claim the run of a hook that may run once; return whether this process may run it.

        True if the claim cannot be stored.
        """
        claimed = True

        def claiming(state: dict[str, Any]) -> None:
            nonlocal claimed
            marks = state.get("once", [])
            claimed = mark not in marks
            state["once"] = [*marks, mark] if claimed else marks

        if event.session_id or not self.lasting:
            self._change(event, claiming)
        return claimed

    def release(self, event: Event, mark: str) -> None:
        """Let a hook that failed be claimed again."""

        def releasing(state: dict[str, Any]) -> None:
            state["once"] = [each for each in state.get("once", ()) if each != mark]

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
        had = self._count_one(event, "counted", what, sys.maxsize)
        return 0 if had is None else had + 1

    def _count_one(self, event: Event, key: str, what: str, most: int) -> int | None:
        """Add one to a count that is below `most`.

        Return what it was before, None if it cannot be stored.
        """
        had = 0

        def counting(state: dict[str, Any]) -> None:
            nonlocal had
            counts = state.get(key, {})
            had = counts.get(what, 0)
            if had < most:
                state[key] = {**counts, what: had + 1}

        return had if event.session_id and self._change(event, counting) else None

    # -- guards ------------------------------------------------------------------------------------

    def change_guard(
        self, event: Event, guard: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]
    ) -> bool:
        """Change what a guard remembers of the session, in one step; return whether that worked.

        Without a session id it remembers nothing. `change` gets what it remembers, and returns the
        new memory; None for no change.
        """

        def changing(state: dict[str, Any]) -> None:
            memories = state.get("guards", {})
            new = change(memories.get(guard, {}))
            if new is not None:
                state["guards"] = {**memories, guard: new}

        return bool(event.session_id) and self._change(event, changing)

    # -- failures ----------------------------------------------------------------------------------

    def failures(self) -> Mapping[str, Failures]:
        """Return the hooks that failed when they last ran, in any session."""
        held = self._state(_EVERY_SESSION).get("failures", {})
        return {hook: Failures(count=count, at=at) for hook, (count, at) in held.items()}

    def record_failures(self, failed: Collection[str], succeeded: Collection[str]) -> None:
        """Count a failure of some hooks, and forget the failures of those that succeeded."""
        if not failed and not set(succeeded) & set(self.failures()):
            return

        def recording(state: dict[str, Any]) -> None:
            held = state.get("failures", {})
            kept = {hook: each for hook, each in held.items() if hook not in succeeded}
            for hook in failed:
                count, _ = kept.pop(hook, (0, 0))
                kept[hook] = [count + 1, self.clock()]
            state["failures"] = dict(list(kept.items())[-_MOST_FAILURES:])

        self._change(_EVERY_SESSION, recording)

    # -- hooks in the background -------------------------------------------------------------------

    def prepare(self, event: Event) -> None:
        """Check that an answer can be delivered later, and report it now if not."""
        if event.session_id:
            self._change(event, lambda _: None)
            return
        self._add_problem(
            "session.nameless",
            f"this `{event.native_name}` names no session, so hookline cannot deliver later "
            "what its background hooks answer",
            "have the host send a `session_id`, or do not let the hook run in the background",
        )

    def begin(self, event: Event, hook_id: str) -> None:
        """Record the start of a detached hook.

        If this process dies before the hook ends, the next turn reports that.
        """

        def beginning(state: dict[str, Any]) -> None:
            state["running"] = [*state.get("running", ()), [hook_id, os.getpid()]]

        if event.session_id:
            self._change(event, beginning, _BACKGROUND_SECONDS)

    def over(self, event: Event, hook_id: str) -> None:
        """Record the end of a detached hook."""

        def ending(state: dict[str, Any]) -> None:
            running = list(state.get("running", ()))
            if [hook_id, os.getpid()] in running:
                running.remove([hook_id, os.getpid()])
            state["running"] = running

        if event.session_id:
            self._change(event, ending, _BACKGROUND_SECONDS)

    def keep(self, event: Event, late: DeferredResult) -> None:
        """Keep a late answer for the next turn of the event's session.

        Drop the oldest if there are too many.
        """

        def keeping(state: dict[str, Any]) -> None:
            waiting, dropped = [*_read_late(state), late], dict(state.get("dropped", {}))
            while len(waiting) > MOST_WAITING or (
                len(waiting) > 1 and _deferred().count_characters(waiting) > MOST_CHARACTERS
            ):
                hook = waiting.pop(0).hook_id
                dropped[hook] = dropped.get(hook, 0) + 1
            state |= {"late": [each.to_dict() for each in waiting], "dropped": dropped}

        if event.session_id:
            self._change(event, keeping, _BACKGROUND_SECONDS)

    def take(self, event: Event, *, wakes: bool) -> tuple[list[DeferredResult], Mapping[str, int]]:
        """Return the waiting answers, each only once, and how many of each hook were dropped.

        A hook whose process died is among them. With `wakes` only the answers that wake.
        """
        held = self._state(event)
        parts = ("late",) if wakes else ("late", "dropped", "running")
        if not any(held.get(part) for part in parts):
            return [], {}
        taken: list[DeferredResult] = []
        dropped: dict[str, int] = {}

        def taking(state: dict[str, Any]) -> None:
            late = _read_late(state)
            taken.extend(each for each in late if each.wake or not wakes)
            state["late"] = [each.to_dict() for each in late if wakes and not each.wake]
            if wakes:
                return
            dropped.update(state.get("dropped", {}))
            running = state.get("running", [])
            alive = [each for each in running if _is_alive(each[1])]
            taken.extend(_make_lost(hook) for hook, pid in running if [hook, pid] not in alive)
            state |= {"dropped": {}, "running": alive}

        return (taken, dropped) if self._change(event, taking) else ([], {})


def _deferred() -> ModuleType:
    # Few hooks run in the background.
    from hookline.core import deferred_results  # noqa: PLC0415

    return deferred_results


def _read_late(state: Mapping[str, Any]) -> list[DeferredResult]:
    """Return the waiting answers in a state, oldest first."""
    return [_deferred().parse_deferred(each) for each in state.get("late", ())]


def _make_lost(hook: str) -> DeferredResult:
    """Return the answer of a hook whose process died."""
    told = _deferred().describe_background_failure(hook, _LOST)
    lost: DeferredResult = _deferred().DeferredResult(hook_id=hook, for_user=told, fault=_LOST)
    return lost


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
