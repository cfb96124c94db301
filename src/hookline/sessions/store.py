"""Sessions: the state of each session from one process to the next, in a folder of plain files."""

from __future__ import annotations

import os

from hookline.core.guardrails import RedoCounts, is_flagged
from hookline.model.event import Event
from hookline.sessions.state import (
    DEFAULT_DAYS,
    PATIENCE,
    State,
    digest,
    read_counts,
    read_object,
    read_texts,
    read_times,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any, Self

    from hookline.core.deferred_results import DeferredResult
    from hookline.sessions.failures import Failures
    from hookline.sessions.folder import Folder
    from hookline.sessions.pending import Mark

DAYS = "HOOKLINE_SESSION_DAYS"
# Stands for all sessions; no host is called `hookline hooks`.
_EVERY_SESSION = Event(kind="session.start", dialect="hookline hooks", session_id="failures")
_MOST_FACTS = 65_536  # characters of JSON, of one session


class Sessions(State):
    """Redos, hooks that ran once, counts, late answers and facts, by session; the lasting counterpart of `memory.Memory`.

    `asker`: separates the redo counts of several users of one session. The other parameters are those of `State`. It raises nothing
    for the state of the disk, and a session without an id has no state.
    """

    lasting = True

    def __init__(self, path: str | os.PathLike[str], *, asker: str = "", **bounds: Any) -> None:
        super().__init__(path, **bounds)
        self.asker = digest(asker)[:16] if asker else ""
        self._begun: dict[tuple[str, str], list[Mark]] = {}

    @classmethod
    def of(cls, environ: Mapping[str, str], *, asker: str = "") -> Self:
        """Return the user's own sessions: below `XDG_STATE_HOME`, kept for `HOOKLINE_SESSION_DAYS` days."""
        state = environ.get("XDG_STATE_HOME", "")
        if not os.path.isabs(state):  # the standard says to ignore an empty or relative value
            state = f"{environ.get('HOME') or os.path.expanduser('~')}/.local/state"
        days = environ.get(DAYS, "")
        kept = float(days) if days.isascii() and days.isdecimal() else DEFAULT_DAYS
        return cls(f"{state}/hookline/sessions", days=kept, asker=asker)

    # -- redos -----------------------------------------------------------------------------------------------------

    def redos(self, event: Event) -> int:
        """Return how often the stop gate of this event sent the agent back in this turn."""
        return self._counted(self._state(event)).count(event)

    def send_back(
        self, event: Event, limit: int, *, follows: bool | None = None, lasted: float = 0.0
    ) -> int | None:
        """Count a redo if its series has fewer than `limit` (0: no limit); return how many it had, None if unknown.

        Checking and counting are one step, so that any number of processes stay within the limit together. `follows` as from
        `guardrails.follows_redo`; `lasted`: how many seconds its hooks ran, without a lock. Without a session
        id, only the host's own flag counts, which says that it sent the agent back before.
        """
        if not event.session_id:
            return None if is_flagged(event) else 0
        had: list[int] = []

        def sending(state: dict[str, Any]) -> None:
            redos, now = self._counted(state), self.clock()
            had.append(redos.count_before(event, follows=follows, began=now - lasted, now=now))
            if limit <= 0 or had[0] < limit:
                self._count(state, redos.with_redo(event, had[0], follows=follows, now=now))

        return had[0] if self._change(event, sending) else None

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
            now = self.clock()
            self._count(
                state,
                self._counted(state).with_stop(event, follows=follows, began=now - lasted, now=now),
            )
            if ends:
                state["once"] = []
                state["counted"] = {}

        self._change(event, settling)

    def _counted(self, state: Mapping[str, Any]) -> RedoCounts:
        counts = read_counts(read_object(state, "redos"), self.asker)
        return RedoCounts(counts=counts, rows=read_times(read_object(state, "rows"), self.asker))

    def _count(self, state: dict[str, Any], redos: RedoCounts) -> None:
        for key, held in (("redos", redos.counts), ("rows", redos.rows)):
            others = {
                asker: each
                for asker, each in read_object(state, key).items()
                if asker != self.asker
            }
            state[key] = others | ({self.asker: dict(held)} if held else {})

    # -- once ------------------------------------------------------------------------------------------------------

    def spent(self, event: Event) -> frozenset[str]:
        """Return the marks of the hooks that ran in the event's session and may run only once."""
        return frozenset(read_texts(self._state(event), "once"))

    def claim(self, event: Event, mark: str) -> bool:
        """Claim the run of a hook that may run once; return whether this process may run it. True if the claim cannot be stored."""
        if not event.session_id:
            return True
        claimed: list[bool] = []

        def claiming(state: dict[str, Any]) -> None:
            marks = read_texts(state, "once")
            claimed.append(mark not in marks)
            state["once"] = [*marks, mark] if claimed[0] else marks

        self._change(event, claiming)
        return claimed[0] if claimed else True

    def release(self, event: Event, mark: str) -> None:
        """Let a hook that failed be claimed again."""

        def releasing(state: dict[str, Any]) -> None:
            state["once"] = [each for each in read_texts(state, "once") if each != mark]

        if event.session_id:
            self._change(event, releasing)

    # -- counts ----------------------------------------------------------------------------------------------------

    def spend(self, event: Event, what: str, most: int) -> bool:
        """Count one more of something if the session has fewer than `most`; return whether it had.

        It also returns True if the count cannot be stored.
        """
        if not event.session_id:
            return True
        fits: list[bool] = []

        def spending(state: dict[str, Any]) -> None:
            counts = read_counts(state, "spent")
            had = counts.get(what, 0)
            fits.append(had < most)
            if fits[0]:
                state["spent"] = counts | {what: had + 1}

        self._change(event, spending)
        return fits[0] if fits else True

    def count(self, event: Event, what: str) -> int:
        """Count one more of something in the event's session, and return the count.

        It returns 0 without a session id, and if the count cannot be stored.
        """
        if not event.session_id:
            return 0
        counted: list[int] = []

        def counting(state: dict[str, Any]) -> None:
            counts = read_counts(state, "counted")
            counted.append(counts.get(what, 0) + 1)
            state["counted"] = counts | {what: counted[0]}

        return counted[0] if self._change(event, counting) else 0

    # -- failures --------------------------------------------------------------------------------------------------

    def failures(self) -> Mapping[str, Failures]:
        """Return the hooks that failed when they last ran, in any session, each with its failures in a row."""
        from hookline.sessions.failures import read_failures  # noqa: PLC0415 - few formats count failures

        return read_failures(self._state(_EVERY_SESSION))

    def record_failures(self, failed: Collection[str], succeeded: Collection[str]) -> None:
        """Count a failure of some hooks, and forget the failures of those that succeeded."""
        from hookline.sessions.failures import count_failures, read_failures  # noqa: PLC0415 - as above

        if not failed and not set(succeeded) & set(self.failures()):
            return

        def recording(state: dict[str, Any]) -> None:
            after = count_failures(read_failures(state), failed, succeeded, self.clock())
            state["failures"] = {
                hook: {"count": each.count, "at": each.at} for hook, each in after.items()
            }

        self._change(_EVERY_SESSION, recording)

    # -- late answers ----------------------------------------------------------------------------------------------

    def prepare(self, event: Event) -> None:
        """Check that an answer can be delivered later, and report it now if not."""
        if event.session_id:
            self._within(event, lambda _: None)
        else:
            from hookline.sessions.memory import make_nameless_problem  # noqa: PLC0415 - nothing is wrong, usually

            self._add(make_nameless_problem(event))

    def begin(self, event: Event, hook_id: str) -> None:
        """Record the start of a detached hook: if this process dies before its end, the next turn reports that."""
        from hookline.sessions.pending import begin  # noqa: PLC0415 - as above

        def beginning(folder: Folder) -> None:
            mark = begin(folder, hook_id)
            with self._lock:
                self._begun.setdefault((folder.path, hook_id), []).append(mark)

        if event.session_id:
            self._within(event, beginning, PATIENCE)

    def over(self, event: Event, hook_id: str) -> None:
        """Record the end of a detached hook."""
        with self._lock:
            marks = self._begun.get((self.place(event), hook_id))
            mark = marks.pop() if marks else None
        if mark is not None:
            from hookline.sessions.pending import finish  # noqa: PLC0415 - as above

            finish(mark)

    def keep(self, event: Event, late: DeferredResult) -> None:
        """Keep a late answer for the next turn of the event's session; drop the oldest if there are too many."""
        from hookline.sessions.pending import keep  # noqa: PLC0415 - few hooks run in the background

        if event.session_id:
            self._within(
                event,
                lambda folder: keep(folder, late, lambda: self._read(folder.path, folder)),
                PATIENCE,
            )

    def take(self, event: Event, *, wakes: bool) -> tuple[list[DeferredResult], Mapping[str, int]]:
        """Return the waiting answers, each only once, and how many of each hook were dropped; with `wakes` only those that wake."""
        if not event.session_id or not os.path.isdir(self.place(event)):
            return [], {}
        from hookline.sessions.pending import take  # noqa: PLC0415 - as above

        try:
            lates = take(self.place(event), wakes, self._wrong)
        except OSError as error:
            self._unusable(error)
            return [], {}
        return lates, {} if wakes else self._fallen(event)

    def _fallen(self, event: Event) -> Mapping[str, int]:
        found: dict[str, int] = {}
        if not self._state(event).get("dropped"):
            return found

        def telling(state: dict[str, Any]) -> None:
            found.update(read_counts(state, "dropped"))
            state.pop("dropped", None)

        self._change(event, telling)
        return found

    # -- facts -----------------------------------------------------------------------------------------------------

    def facts(self, event: Event) -> Mapping[str, Any]:
        """Return the facts of the event's session."""
        return read_object(self._state(event), "facts")

    def remember(self, event: Event, name: str, value: Any) -> None:
        """Set a fact of the event's session to a JSON value; None removes it.

        Raises:
            ValueError: the session's facts would exceed 65,536 characters of JSON.
            TypeError: JSON cannot express the value.
        """
        import json  # noqa: PLC0415 - only needed here

        def remembering(state: dict[str, Any]) -> None:
            facts = {
                known: kept
                for known, kept in {**read_object(state, "facts"), name: value}.items()
                if kept is not None
            }
            if len(json.dumps(facts)) > _MOST_FACTS:
                raise ValueError(f"a session remembers at most {_MOST_FACTS} characters")
            state["facts"] = facts

        if event.session_id:
            self._change(event, remembering)
