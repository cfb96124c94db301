"""State: a session's state in files, read and changed atomically; faults of the files become problems, not errors."""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock  # as in `memory`

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.model.event import Event
    from hookline.model.problem import Problem
    from hookline.sessions.folder import Folder

SCHEMA = "hookline.session/1"
DEFAULT_DAYS = 30.0
PATIENCE = 10.0  # seconds that a process in the background waits for the lock
_ON_A_LOOP = 0.05  # seconds that work on an event loop may take


class State:
    """The folders of sessions, below one folder that belongs to this user.

    `days`: how long an idle session is remembered. `most`: the number of sessions. `seconds`: how long an event waits
    for another process that is writing. `clock`: seconds since 1970. What cannot be read or written counts as missing, and
    becomes one of the `problems`, once.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        days: float = DEFAULT_DAYS,
        most: int = 1000,
        seconds: float = 1.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = os.path.abspath(path)
        self.days = days
        self.most = most
        self.seconds = seconds
        self.clock = clock
        self.problems: tuple[Problem, ...] = ()
        self._lock = allocate_lock()

    def place(self, event: Event) -> str:
        """Return the path of the session's folder, whether it exists or not."""
        return self.path + "/" + digest(event.dialect + "\0" + event.session_id)

    def _state(self, event: Event) -> dict[str, Any]:
        """Return the current state; without one, this costs a single failed look at the disk."""
        if not event.session_id:
            return {}
        place = self.place(event)
        return self._read(place) if os.path.exists(f"{place}/state.json") else {}

    def _read(self, place: str, folder: Folder | None = None) -> dict[str, Any]:
        from hookline.sessions.folder import STATE, DamagedError, read  # noqa: PLC0415 - most sessions have no state

        try:
            return read(f"{place}/{STATE}", SCHEMA)
        except DamagedError as error:
            self._damaged(f"{place}/{STATE}", error)
            if folder is not None:
                folder.set_aside(STATE)
        except OSError as error:
            if folder is not None:
                raise  # a file that cannot be read is not replaced either
            self._unusable(error)
        return {}

    def _change(self, event: Event, change: Callable[[dict[str, Any]], None]) -> bool:
        """Change the state atomically; return whether that worked."""

        def changing(folder: Folder) -> None:
            state = self._read(folder.path, folder)
            before = repr(state)
            change(state)
            if repr(state) != before:
                folder.write(
                    {
                        "schema": SCHEMA,
                        "dialect": event.dialect,
                        "session_id": event.session_id,
                        **state,
                    }
                )

        return self._within(event, changing)

    def _within(self, event: Event, act: Callable[[Folder], None], seconds: float = 0.0) -> bool:
        """Act within the session's folder, created if missing; return whether that worked. Creating one also prunes old ones."""
        from hookline.sessions.folder import Folder  # noqa: PLC0415 - as above

        try:
            with Folder(self.place(event), seconds or self._wait_seconds()) as folder:
                act(folder)
            if folder.made:
                from hookline.sessions.pruning import prune  # noqa: PLC0415 - once a session

                prune(
                    self.path, now=self.clock(), days=self.days, most=self.most, spare=folder.path
                )
        except OSError as error:
            self._unusable(error)
            return False
        return True

    def _wait_seconds(self) -> float:
        """Return the seconds that an event waits: fewer on an event loop's thread, which holds up everything else."""
        asyncio = sys.modules.get("asyncio")
        return (
            min(self.seconds, _ON_A_LOOP)
            if asyncio is not None and asyncio._get_running_loop() is not None
            else self.seconds
        )

    # -- problems ----------------------------------------------------------------------------------------------------

    def _unusable(self, error: OSError) -> None:
        where = str(error.filename or self.path)
        self._tell("session.unusable", f"what is known of this session cannot be kept in `{where}`: {(error.strerror or str(error)).lower()}",
                   "until then stop gates are not counted across events, and hooks in the background are not heard")  # fmt: skip

    def _wrong(self, file: str, error: ValueError | OSError) -> None:
        if isinstance(error, OSError):
            self._unusable(error)
        else:
            self._damaged(file, error)

    def _damaged(self, file: str, error: ValueError) -> None:
        self._tell(
            "session.damaged",
            f"`{file}` was not written by hookline, and does not count: {error}",
            "remove it",
        )

    def _tell(self, name: str, message: str, hint: str) -> None:
        from hookline.model.problem import Problem  # noqa: PLC0415 - nothing is wrong, usually

        self._add(Problem(name=name, message=message, hint=hint, severity="warning"))

    def _add(self, new: Problem) -> None:
        with self._lock:
            if not any(problem.name == new.name for problem in self.problems):
                self.problems += (new,)


def read_object(state: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return an object in the state; empty if the value is something else."""
    held = state.get(key)
    return dict(held) if isinstance(held, dict) else {}


def read_counts(state: Mapping[str, Any], key: str) -> dict[str, int]:
    """Return the counts in an object of the state, without invalid ones."""
    return {
        name: count
        for name, count in read_object(state, key).items()
        if type(count) is int and count > 0
    }


def read_times(state: Mapping[str, Any], key: str) -> dict[str, float]:
    """Return the times in an object of the state (seconds since 1970), without invalid ones."""
    return {
        name: at
        for name, at in read_object(state, key).items()
        if type(at) in (int, float) and at > 0
    }


def read_texts(state: Mapping[str, Any], key: str) -> list[str]:
    """Return the texts in a list of the state, without invalid ones."""
    held = state.get(key)
    return [each for each in held if isinstance(each, str)] if isinstance(held, list) else []


def digest(text: str) -> str:
    """Return a name for any text, in 64 hexadecimal digits."""
    try:  # what `hashlib` wraps, without the milliseconds of OpenSSL
        made = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256")
    except ImportError:
        made = __import__("hashlib")  # another Python
    digits: str = made.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digits
