"""Sessions: the state of each session from one process to the next, in a folder of plain files."""

from __future__ import annotations

import os
import sys
import time

from hookline.paths import state_folder
from hookline.sessions.memory import BACKGROUND_SECONDS, Memory
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self

    from hookline.core.deferred_results import DeferredResult
    from hookline.model.event import Event
    from hookline.sessions.folder import Folder, Mark
    from hookline.sessions.memory import Change

DAYS = "HOOKLINE_SESSION_DAYS"
DEFAULT_DAYS = 30.0
SCHEMA = "hookline.session/1"
_LOOP_SECONDS = 0.05  # the same on an event loop, where everything else waits too
_LOST = "the process that ran it ended before the hook did"


class Sessions(Memory):
    """Redos, hooks that ran once, counts, late answers and facts in a folder of plain files for each session, below one folder that belongs to this user.

    `asker`: separates the redo counts of several users of one session. `days`: how long an idle
    session is remembered. `most`: the number of sessions. `seconds`: how long an event waits for
    another process that is writing. What cannot be read or written counts as missing, and becomes
    one of the `problems`, once. A session without an id has no state.
    """

    lasting = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        asker: str = "",
        days: float = DEFAULT_DAYS,
        most: int = 1000,
        seconds: float = 1.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(clock)
        self.path = os.path.abspath(path)
        self.asker = digest(asker)[:16] if asker else ""
        self.days = days
        self.most = most
        self.seconds = seconds
        self._begun: dict[tuple[str, str], list[Mark]] = {}

    @classmethod
    def of(cls, environ: Mapping[str, str], *, asker: str = "") -> Self:
        """Return the user's own sessions: below `XDG_STATE_HOME`, kept for `HOOKLINE_SESSION_DAYS` days."""
        days = environ.get(DAYS, "")
        kept = float(days) if days.isascii() and days.isdecimal() else DEFAULT_DAYS
        return cls(f"{state_folder(environ)}/sessions", days=kept, asker=asker)

    def place(self, event: Event) -> str:
        """Return the path of the session's folder, whether it exists or not."""
        return self.path + "/" + digest(event.dialect + "\0" + event.session_id)

    def _state(self, event: Event) -> dict[str, Any]:
        """Return the current state; without one, this costs a single failed look at the disk."""
        if not event.session_id or not os.path.exists(f"{self.place(event)}/state.json"):
            return {}
        try:
            return self._read(self._folder(event))
        except OSError as error:
            self._report_unusable(error)
            return {}

    def _folder(self, event: Event) -> Folder:
        from hookline.sessions.folder import Folder  # noqa: PLC0415 - most sessions have no state

        return Folder(self.place(event))

    def _read(self, folder: Folder, *, locked: bool = False) -> dict[str, Any]:
        try:
            return folder.read(SCHEMA)
        except ValueError as error:
            message = f"`{folder.path}/state.json` was not written by hookline, and does not count: {error}"
            self._add_problem("session.damaged", message, "remove it")
            if locked:
                folder.set_aside()
            return {}

    def _change(self, event: Event, change: Change, seconds: float = 0.0) -> bool:
        def changing(folder: Folder) -> None:
            state = self._read(folder, locked=True)
            before = repr(state)
            change(state)
            if repr(state) != before:
                whose = {"dialect": event.dialect, "session_id": event.session_id}
                folder.write({"schema": SCHEMA, **whose, **state})

        return self._act_locked(event, changing, seconds)

    def _act_locked(
        self, event: Event, act: Callable[[Folder], None], seconds: float = 0.0
    ) -> bool:
        """Act on the session's locked folder, created if missing; return whether that worked.

        Creating one also prunes old ones.
        """
        folder = self._folder(event)
        try:
            with folder.lock(seconds or self._wait_seconds()) as is_new:
                act(folder)
            if is_new:
                folder.prune_others(now=self.clock(), days=self.days, most=self.most)
        except OSError as error:
            self._report_unusable(error)
            return False
        return True

    def _wait_seconds(self) -> float:
        """Return the seconds that an event waits: fewer on an event loop's thread, which holds up everything else."""
        asyncio = sys.modules.get("asyncio")
        on_loop = asyncio is not None and asyncio._get_running_loop() is not None
        return min(self.seconds, _LOOP_SECONDS) if on_loop else self.seconds

    def _report_unusable(self, error: OSError) -> None:
        where, why = error.filename or self.path, (error.strerror or str(error)).lower()
        self._add_problem(
            "session.unusable",
            f"hookline cannot keep what it knows of this session in `{where}`: {why}",
            "until then stop gates are not counted across events, and answers of hooks in the background are lost",
        )

    # -- hooks in the background -------------------------------------------------------------------

    def prepare(self, event: Event) -> None:
        super().prepare(event)
        if event.session_id:
            self._act_locked(event, lambda _: None)

    def begin(self, event: Event, hook_id: str) -> None:
        """Record the start of a detached hook: if this process dies before its end, the next turn reports that."""

        def beginning(folder: Folder) -> None:
            mark = folder.make_mark(hook_id)
            with self._lock:
                self._begun.setdefault((folder.path, hook_id), []).append(mark)

        if event.session_id:
            self._act_locked(event, beginning, BACKGROUND_SECONDS)

    def over(self, event: Event, hook_id: str) -> None:
        with self._lock:
            marks = self._begun.get((self.place(event), hook_id))
            mark = marks.pop() if marks else None
        if mark is not None:
            mark.remove()

    def take(self, event: Event, *, wakes: bool) -> tuple[list[DeferredResult], Mapping[str, int]]:
        lates, dropped = super().take(event, wakes=wakes)
        if wakes or not event.session_id or not os.path.isdir(self.place(event)):
            return lates, dropped
        from hookline.core.deferred_results import DeferredResult, describe_background_failure  # noqa: PLC0415 - few hooks run in the background

        lost: list[str] = []
        if self._folder(event).has_marks():
            self._act_locked(event, lambda folder: lost.extend(folder.take_lost_marks()))
        return lates + [
            DeferredResult(
                hook_id=hook, for_user=describe_background_failure(hook, _LOST), fault=_LOST
            )
            for hook in lost
        ], dropped


def digest(text: str) -> str:
    """Return a name for any text, in 64 hexadecimal digits."""
    return sha256(text.encode("utf-8", "surrogatepass"))
