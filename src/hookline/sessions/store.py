"""Sessions: what is known of a session from one process to the next, in a folder of plain files for each."""

from __future__ import annotations

import os

from hookline.core.guardrails import RedoCounts, is_flagged
from hookline.model.event import Event
from hookline.sessions.state import (
    DEFAULT_DAYS,
    PATIENCE,
    State,
    counts_in,
    digest,
    object_in,
    texts_in,
    times_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any, Self

    from hookline.core.deferred_results import DeferredResult
    from hookline.sessions.failures import Failures
    from hookline.sessions.folder import Folder
    from hookline.sessions.waiting import Mark

DAYS = "HOOKLINE_SESSION_DAYS"
# Stands for all sessions; no host is called `hookline hooks`.
_EVERY_SESSION = Event(kind="session.start", dialect="hookline hooks", session_id="failures")
_MOST_FACTS = 65_536  # characters of JSON, of one session


class Sessions(State):
    """Redos, hooks that ran once, counts, late answers and facts, by session; the lasting counterpart of `memory.Memory`.

    `asker`: redos are counted apart for each. The other parameters are those of `State`. Nothing here ever raises for the state
    of the disk, and a session without an id has no state.
    """

    lasting = True

    def __init__(self, path: str | os.PathLike[str], *, asker: str = "", **bounds: Any) -> None:
        super().__init__(path, **bounds)
        self.asker = digest(asker)[:16] if asker else ""
        self._begun: dict[tuple[str, str], list[Mark]] = {}

    @classmethod
    def of(cls, environ: Mapping[str, str], *, asker: str = "") -> Self:
        """The user's own: below `XDG_STATE_HOME`, for `HOOKLINE_SESSION_DAYS` days."""
        state = environ.get("XDG_STATE_HOME", "")
        if not os.path.isabs(
            state
        ):  # an empty or relative value is ignored, as the standard has it
            state = f"{environ.get('HOME') or os.path.expanduser('~')}/.local/state"
        days = environ.get(DAYS, "")
        kept = float(days) if days.isascii() and days.isdecimal() else DEFAULT_DAYS
        return cls(f"{state}/hookline/sessions", days=kept, asker=asker)

    # -- redos -----------------------------------------------------------------------------------------------------

    def redos(self, event: Event) -> int:
        """How often the stop gate of this event sent the agent back in the running turn."""
        return self._counted(self._state(event)).count(event)

    def send_back(
        self, event: Event, limit: int, *, follows: bool | None = None, lasted: float = 0.0
    ) -> int | None:
        """Count a redo, if its row had fewer than `limit` (0: no limit); how many it had, None where that cannot be known.

        It is asked and counted in one step, so that any number of processes are within the limit together. `follows` as of
        `guardrails.follows_redo`; `lasted`: seconds that its hooks were asked for, during which nothing was locked. Without a session
        id nothing is counted but what the host itself does: that the agent was sent back before.
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
        """Forget the counts of a turn that is over (`guardrails.Redos.over`), after an event that sent nobody back.

        `ends`: the session is over, and what ran once may run again.
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
        counts = counts_in(object_in(state, "redos"), self.asker)
        return RedoCounts(counts=counts, rows=times_in(object_in(state, "rows"), self.asker))

    def _count(self, state: dict[str, Any], redos: RedoCounts) -> None:
        for key, held in (("redos", redos.counts), ("rows", redos.rows)):
            others = {
                asker: each for asker, each in object_in(state, key).items() if asker != self.asker
            }
            state[key] = others | ({self.asker: dict(held)} if held else {})

    # -- once ------------------------------------------------------------------------------------------------------

    def spent(self, event: Event) -> frozenset[str]:
        """The marks of the hooks that ran in the event's session, and are to do so once."""
        return frozenset(texts_in(self._state(event), "once"))

    def claim(self, event: Event, mark: str) -> bool:
        """Whether a hook that is to run once may run now; nobody else may then. Yes, where that cannot be written down."""
        if not event.session_id:
            return True
        claimed: list[bool] = []

        def claiming(state: dict[str, Any]) -> None:
            marks = texts_in(state, "once")
            claimed.append(mark not in marks)
            state["once"] = [*marks, mark] if claimed[0] else marks

        self._change(event, claiming)
        return claimed[0] if claimed else True

    def release(self, event: Event, mark: str) -> None:
        """Let a hook that failed be claimed again."""

        def releasing(state: dict[str, Any]) -> None:
            state["once"] = [each for each in texts_in(state, "once") if each != mark]

        if event.session_id:
            self._change(event, releasing)

    # -- counts ----------------------------------------------------------------------------------------------------

    def spend(self, event: Event, what: str, most: int) -> bool:
        """Whether one more of something fits into what the event's session may have of it, which is counted if so.

        It does, too, where that cannot be written down.
        """
        if not event.session_id:
            return True
        fits: list[bool] = []

        def spending(state: dict[str, Any]) -> None:
            counts = counts_in(state, "spent")
            had = counts.get(what, 0)
            fits.append(had < most)
            if fits[0]:
                state["spent"] = counts | {what: had + 1}

        self._change(event, spending)
        return fits[0] if fits else True

    def count(self, event: Event, what: str) -> int:
        """Count one more of something in the event's session, and return how many there are.

        It returns 0 without a session id, and where the count cannot be written down.
        """
        if not event.session_id:
            return 0
        counted: list[int] = []

        def counting(state: dict[str, Any]) -> None:
            counts = counts_in(state, "counted")
            counted.append(counts.get(what, 0) + 1)
            state["counted"] = counts | {what: counted[0]}

        return counted[0] if self._change(event, counting) else 0

    # -- failures --------------------------------------------------------------------------------------------------

    def failures(self) -> Mapping[str, Failures]:
        """Return the hooks that failed when they last ran, in any session, each with its failures in a row."""
        from hookline.sessions.failures import failures_in  # noqa: PLC0415 - few formats count failures

        return failures_in(self._state(_EVERY_SESSION))

    def record_failures(self, failed: Collection[str], succeeded: Collection[str]) -> None:
        """Count a failure of some hooks, and forget the failures of those that succeeded."""
        from hookline.sessions.failures import counted, failures_in  # noqa: PLC0415 - as above

        if not failed and not set(succeeded) & set(self.failures()):
            return

        def recording(state: dict[str, Any]) -> None:
            after = counted(failures_in(state), failed, succeeded, self.clock())
            state["failures"] = {
                hook: {"count": each.count, "at": each.at} for hook, each in after.items()
            }

        self._change(_EVERY_SESSION, recording)

    # -- late answers ----------------------------------------------------------------------------------------------

    def prepare(self, event: Event) -> None:
        """Make sure that an answer can be told later, while somebody can still be told that it cannot."""
        if event.session_id:
            self._within(event, lambda _: None)
        else:
            from hookline.sessions.memory import nameless  # noqa: PLC0415 - nothing is wrong, usually

            self._add(nameless(event))

    def begin(self, event: Event, hook_id: str) -> None:
        """A hook that nobody waits for begins: should this process die before it is `over`, the next turn is told so."""
        from hookline.sessions.waiting import begin  # noqa: PLC0415 - as above

        def beginning(folder: Folder) -> None:
            mark = begin(folder, hook_id)
            with self._lock:
                self._begun.setdefault((folder.path, hook_id), []).append(mark)

        if event.session_id:
            self._within(event, beginning, PATIENCE)

    def over(self, event: Event, hook_id: str) -> None:
        """It came to its end."""
        with self._lock:
            marks = self._begun.get((self.place(event), hook_id))
            mark = marks.pop() if marks else None
        if mark is not None:
            from hookline.sessions.waiting import over  # noqa: PLC0415 - as above

            over(mark)

    def keep(self, event: Event, late: DeferredResult) -> None:
        """Keep a late answer for the next turn of the event's session; the oldest fall out when there are too many."""
        from hookline.sessions.waiting import keep  # noqa: PLC0415 - few hooks run in the background

        if event.session_id:
            self._within(
                event,
                lambda folder: keep(folder, late, lambda: self._read(folder.path, folder)),
                PATIENCE,
            )

    def take(self, event: Event, *, wakes: bool) -> tuple[list[DeferredResult], Mapping[str, int]]:
        """The answers that wait, each handed out once, and how many of which hooks fell out; with `wakes` only what wakes."""
        if not event.session_id or not os.path.isdir(self.place(event)):
            return [], {}
        from hookline.sessions.waiting import take  # noqa: PLC0415 - as above

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
            found.update(counts_in(state, "dropped"))
            state.pop("dropped", None)

        self._change(event, telling)
        return found

    # -- facts -----------------------------------------------------------------------------------------------------

    def facts(self, event: Event) -> Mapping[str, Any]:
        """What was remembered of the event's session."""
        return object_in(self._state(event), "facts")

    def remember(self, event: Event, name: str, value: Any) -> None:
        """Remember a JSON value of the event's session, in place of a former one; None forgets it.

        Raises:
            ValueError: with it, the session's facts would be more than 65,536 characters of JSON.
            TypeError: it is nothing that JSON can say.
        """
        import json  # noqa: PLC0415 - nobody else needs it here

        def remembering(state: dict[str, Any]) -> None:
            facts = {
                known: kept
                for known, kept in {**object_in(state, "facts"), name: value}.items()
                if kept is not None
            }
            if len(json.dumps(facts)) > _MOST_FACTS:
                raise ValueError(f"a session remembers at most {_MOST_FACTS} characters")
            state["facts"] = facts

        if event.session_id:
            self._change(event, remembering)
