"""Sessions: what is known of a session from one process to the next, in a folder of plain files for each."""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock  # as in `memory`

from hookline.core.guardrails import NEW_TURN, Redos

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self

    from hookline.core.late import Late
    from hookline.model.event import Event
    from hookline.model.problem import Problem
    from hookline.model.verdict import Decision
    from hookline.sessions.folder import Folder

SCHEMA = "hookline.session/1"
DAYS = "HOOKLINE_SESSION_DAYS"
_DAYS = 30.0
_MOST_FACTS = 65_536  # characters of JSON, of one session
_PATIENCE = 10.0  # seconds that a process in the background waits for the lock


class Sessions:
    """Redos, hooks that ran once, late answers and facts, by session, below a folder that is this user's own.

    `days`: how long a session is remembered in which nothing happens. `most`: sessions. `seconds`: how long an event waits
    for another process that is writing. `asker`: redos are counted apart for each. `clock`: seconds since 1970.

    Nothing here ever raises for the state of the disk: what cannot be read or written counts as not there, and is one of the
    `problems`, once. A session without an id has no state.
    """

    lasting = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        days: float = _DAYS,
        most: int = 1000,
        seconds: float = 1.0,
        asker: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = os.path.abspath(path)
        self.days = days
        self.most = most
        self.seconds = seconds
        self.asker = _digest(asker)[:16] if asker else ""
        self.clock = clock
        self.problems: tuple[Problem, ...] = ()
        self._lock = allocate_lock()

    @classmethod
    def of(cls, environ: Mapping[str, str], *, asker: str = "") -> Self:
        """The user's own: below `XDG_STATE_HOME`, for `HOOKLINE_SESSION_DAYS` days."""
        state = environ.get("XDG_STATE_HOME", "")
        if not os.path.isabs(state):  # an empty or relative value is ignored, as the standard has it
            state = f"{environ.get('HOME') or os.path.expanduser('~')}/.local/state"
        days = environ.get(DAYS, "")
        return cls(f"{state}/hookline/sessions", days=float(days) if days.isascii() and days.isdecimal() else _DAYS, asker=asker)

    def place(self, event: Event) -> str:
        """The folder of the event's session, whether it is there or not."""
        return self.path + "/" + _digest(event.dialect + "\0" + event.session_id)

    # -- redos -----------------------------------------------------------------------------------------------------

    def redos(self, event: Event) -> int:
        """How often the stop gate of this event sent the agent back in the running turn."""
        return self._counted(event, self._state(event)).count(event.session_id, event.kind)

    def settle(self, event: Event, decision: Decision, *, ends: bool) -> None:
        """Count a redo; forget the counts of a turn that is over, and what ran once, where the session `ends`."""
        if not event.session_id or not (decision.redo or ends or event.kind in NEW_TURN):
            return
        if not decision.redo:
            state = self._state(event)
            if not state.get("redos") and not (ends and state.get("once")):
                return

        def settled(state: dict[str, Any]) -> None:
            after = self._counted(event, state).after(event.session_id, decision)
            redos = {asker: counts for asker, counts in _object(state, "redos").items() if asker != self.asker}
            state["redos"] = redos | ({self.asker: {kind: n for (_, kind), n in after.counts.items()}} if after.counts else {})
            if ends:
                state["once"] = []

        self._change(event, settled)

    def _counted(self, event: Event, state: Mapping[str, Any]) -> Redos:
        known = _object(_object(state, "redos"), self.asker)
        return Redos(counts={(event.session_id, kind): count for kind, count in known.items() if isinstance(count, int)})

    # -- once ------------------------------------------------------------------------------------------------------

    def spent(self, event: Event) -> frozenset[str]:
        """The marks of the hooks that ran in the event's session, and are to do so once."""
        return frozenset(_texts(self._state(event), "once"))

    def claim(self, event: Event, mark: str) -> bool:
        """Whether a hook that is to run once may run now; nobody else may then. Yes, where that cannot be written down."""
        if not event.session_id:
            return True
        claimed: list[bool] = []

        def claiming(state: dict[str, Any]) -> None:
            marks = _texts(state, "once")
            claimed.append(mark not in marks)
            state["once"] = [*marks, mark] if claimed[0] else marks

        self._change(event, claiming)
        return claimed[0] if claimed else True

    def release(self, event: Event, mark: str) -> None:
        """Let a hook that failed be claimed again."""

        def releasing(state: dict[str, Any]) -> None:
            state["once"] = [each for each in _texts(state, "once") if each != mark]

        if event.session_id:
            self._change(event, releasing)

    # -- late answers ----------------------------------------------------------------------------------------------

    def prepare(self, event: Event) -> None:
        """Make sure that an answer can be kept later, while somebody can still be told that it cannot."""
        if event.session_id:
            self._within(event, lambda _: None)

    def keep(self, event: Event, late: Late) -> None:
        """Keep a late answer for the next turn of the event's session; the oldest fall out when there are too many."""
        from hookline.sessions.waiting import keep  # noqa: PLC0415 - few hooks run in the background

        if event.session_id:
            self._within(event, lambda folder: keep(folder, late, lambda: self._read(folder.path, folder)), _PATIENCE)

    def take(self, event: Event, *, wakes: bool) -> tuple[list[Late], Mapping[str, int]]:
        """The answers that wait, each handed out once, and how many of which hooks fell out; with `wakes` only what wakes."""
        if not event.session_id or not os.path.isdir(self.place(event)):
            return [], {}
        from hookline.sessions.waiting import take  # noqa: PLC0415 - as above

        try:
            lates = take(self.place(event), wakes, self._damaged)
        except OSError as error:
            self._unusable(error)
            return [], {}
        return lates, {} if wakes else self._fallen(event)

    def _fallen(self, event: Event) -> Mapping[str, int]:
        found: dict[str, int] = {}
        if not self._state(event).get("dropped"):
            return found

        def telling(state: dict[str, Any]) -> None:
            found.update({hook: n for hook, n in _object(state, "dropped").items() if isinstance(n, int)})
            state.pop("dropped", None)

        self._change(event, telling)
        return found

    # -- facts -----------------------------------------------------------------------------------------------------

    def facts(self, event: Event) -> Mapping[str, Any]:
        """What was remembered of the event's session."""
        return _object(self._state(event), "facts")

    def remember(self, event: Event, name: str, value: Any) -> None:
        """Remember a JSON value of the event's session, in place of a former one; None forgets it.

        Raises:
            ValueError: with it, the session's facts would be more than 65,536 characters of JSON.
            TypeError: it is nothing that JSON can say.
        """
        import json  # noqa: PLC0415 - nobody else needs it here

        def remembering(state: dict[str, Any]) -> None:
            facts = {known: kept for known, kept in {**_object(state, "facts"), name: value}.items() if kept is not None}
            if len(json.dumps(facts)) > _MOST_FACTS:
                raise ValueError(f"a session remembers at most {_MOST_FACTS} characters")
            state["facts"] = facts

        if event.session_id:
            self._change(event, remembering)

    # -- files -----------------------------------------------------------------------------------------------------

    def _state(self, event: Event) -> dict[str, Any]:
        """The state as it is; where there is none, this is one failed look at the disk."""
        if not event.session_id:
            return {}
        place = self.place(event)
        return self._read(place) if os.path.exists(f"{place}/state.json") else {}

    def _read(self, place: str, folder: Folder | None = None) -> dict[str, Any]:
        from hookline.sessions.folder import STATE, DamagedError, read  # noqa: PLC0415 - most sessions have no state

        try:
            return read(f"{place}/{STATE}")
        except DamagedError as error:
            self._damaged(f"{place}/{STATE}", error)
            if folder is not None:
                folder.set_aside(STATE)
        except OSError as error:
            self._unusable(error)
        return {}

    def _change(self, event: Event, change: Callable[[dict[str, Any]], None]) -> None:
        """Replace the state by a changed one, as if nobody else wrote meanwhile."""

        def changing(folder: Folder) -> None:
            state = self._read(folder.path, folder)
            before = repr(state)
            change(state)
            if repr(state) != before:
                folder.write({"schema": SCHEMA, "dialect": event.dialect, "session_id": event.session_id, **state})

        self._within(event, changing)

    def _within(self, event: Event, act: Callable[[Folder], None], seconds: float = 0.0) -> None:
        """Act within the session's folder, which is made if it is not there; a new one is the moment to forget old ones."""
        from hookline.sessions.folder import Folder  # noqa: PLC0415 - as above

        try:
            with Folder(self.place(event), seconds or self.seconds) as folder:
                act(folder)
            if folder.made:
                from hookline.sessions.pruning import prune  # noqa: PLC0415 - once a session

                prune(self.path, now=self.clock(), days=self.days, most=self.most, spare=folder.path)
        except OSError as error:
            self._unusable(error)

    # -- what is wrong -----------------------------------------------------------------------------------------------

    def _unusable(self, error: OSError) -> None:
        where = str(error.filename or self.path)
        self._tell("session.unusable", f"what is known of this session cannot be kept in `{where}`: {(error.strerror or str(error)).lower()}",
                   "until then stop gates are not counted across events, and hooks in the background are not heard")  # fmt: skip

    def _damaged(self, file: str, error: ValueError) -> None:
        self._tell("session.damaged", f"`{file}` was not written by hookline, and does not count: {error}", "remove it")

    def _tell(self, name: str, message: str, hint: str) -> None:
        from hookline.model.problem import Problem  # noqa: PLC0415 - nothing is wrong, usually

        with self._lock:
            if not any(problem.name == name for problem in self.problems):
                self.problems += (Problem(name=name, message=message, hint=hint, severity="warning"),)


def _object(state: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object in the state; empty where it is something else."""
    held = state.get(key)
    return dict(held) if isinstance(held, dict) else {}


def _texts(state: Mapping[str, Any], key: str) -> list[str]:
    held = state.get(key)
    return [each for each in held if isinstance(each, str)] if isinstance(held, list) else []


def _digest(text: str) -> str:
    try:  # what `hashlib` wraps, without the milliseconds of OpenSSL
        made = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256")
    except ImportError:
        made = __import__("hashlib")  # another Python
    digest: str = made.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digest
