"""Sessions: the state of each session from one process to the next, in one small file.

Each change happens under one lock for all sessions: hookline reads the file, writes the next one
beside it and renames that. So a reader sees the former state or the next one, never a part of
either.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import sys
import time
from contextlib import contextmanager

from hookline.paths import make_private_folder, state_folder, write_private
from hookline.sessions.memory import Memory
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Self

    from hookline.model.event import Event
    from hookline.sessions.memory import Change

DAYS = "HOOKLINE_SESSION_DAYS"
DEFAULT_DAYS = 30.0
SCHEMA = "hookline.session/2"
_LOOP_SECONDS = 0.05  # how long an event loop waits for the lock, and everything else with it
_PAUSE = 0.002  # seconds, between two tries for the lock
_DAY = 86_400.0  # seconds
# The parts of a state.
_LISTS = ("once", "late", "running")
_OBJECTS = ("redos", "spent", "counted", "failures", "dropped", "guards")
_TYPES = dict.fromkeys(_LISTS, list) | dict.fromkeys(_OBJECTS, dict)


class Sessions(Memory):
    """What `Memory` knows, in files below one folder that belongs to this user.

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

    @classmethod
    def of(cls, environ: Mapping[str, str], *, asker: str = "") -> Self:
        """Return the user's own sessions, below `XDG_STATE_HOME`."""
        days = environ.get(DAYS, "")
        kept = float(days) if days.isascii() and days.isdecimal() else DEFAULT_DAYS
        return cls(f"{state_folder(environ)}/sessions", days=kept, asker=asker)

    def file(self, event: Event) -> str:
        """Return the path of the session's file, whether it exists or not."""
        return f"{self.path}/{digest(event.dialect + chr(0) + event.session_id)}.json"

    def _state(self, event: Event) -> dict[str, Any]:
        """Return the current state; without one, this costs a single failed look at the disk."""
        if not event.session_id or not os.path.exists(self.file(event)):
            return {}
        try:
            self._check_folder()
            return self._read(self.file(event))
        except OSError as error:
            self._report_unusable(error)
            return {}

    def _read(self, file: str) -> dict[str, Any]:
        """Return the state in a file; empty if hookline did not write it.

        Raises:
            OSError: it cannot be read.
        """
        with open(file, "rb") as opened:
            held = opened.read()
        try:
            document: dict[str, Any] = json.loads(held.decode("utf-8", "surrogatepass"))
            if document["schema"] == SCHEMA and all(
                isinstance(document.get(part, kind()), kind) for part, kind in _TYPES.items()
            ):
                return document
            why = f"it holds no object of the schema `{SCHEMA}`"
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            why = str(error)
        message = f"`{file}` was not written by hookline, and does not count: {why}"
        self._add_problem("session.damaged", message, "remove it")
        return {}

    def _change(self, event: Event, change: Change, seconds: float = 0.0) -> bool:
        try:
            with self._locked(seconds or self._wait_seconds()):
                file = self.file(event)
                is_new = not os.path.exists(file)
                state = {} if is_new else self._read(file)
                before = repr(state)
                change(state)
                if repr(state) != before:
                    whose = {"dialect": event.dialect, "session_id": event.session_id}
                    document = {"schema": SCHEMA, **whose, **state}
                    write_private(file, json.dumps(document).encode())
                    if is_new:
                        self._prune(file)
        except OSError as error:
            self._report_unusable(error)
            return False
        return True

    @contextmanager
    def _locked(self, seconds: float) -> Iterator[None]:
        """Hold the lock of all sessions within a block; the folder is created if missing.

        Raises:
            OSError: the folder cannot be used, or another process keeps the lock (TimeoutError).
        """
        make_private_folder(self.path)
        self._check_folder()
        until = time.monotonic() + seconds
        fd = os.open(f"{self.path}/lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= until:
                        why = "another process keeps it locked"
                        raise TimeoutError(errno.ETIMEDOUT, why, self.path) from None
                time.sleep(_PAUSE)
            yield
        finally:
            os.close(fd)

    def _check_folder(self) -> None:
        """Refuse a folder that another user could write to, because an agent reads its content."""
        found = os.lstat(self.path)
        others_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if found.st_uid != os.geteuid() or not stat.S_ISDIR(found.st_mode) or others_write:
            why = "it is not a folder that only this user can write to"
            raise PermissionError(errno.EPERM, why, self.path)

    def _wait_seconds(self) -> float:
        """Return the seconds that an event waits: fewer on an event loop, which it holds up."""
        asyncio = sys.modules.get("asyncio")
        on_loop = asyncio is not None and asyncio._get_running_loop() is not None
        return min(self.seconds, _LOOP_SECONDS) if on_loop else self.seconds

    def _report_unusable(self, error: OSError) -> None:
        where, why = error.filename or self.path, (error.strerror or str(error)).lower()
        self._add_problem(
            "session.unusable",
            f"hookline cannot keep what it knows of this session in `{where}`: {why}",
            "until then stop gates are not counted across events, and answers of hooks in the "
            "background are lost",
        )

    def _prune(self, new: str) -> None:
        """Remove the sessions in which nothing happened for `days`, and the oldest of too many."""
        with os.scandir(self.path) as entries:
            files = [each for each in entries if each.name.endswith(".json") and each.path != new]
        ages = sorted((each.stat().st_mtime, each.path) for each in files)
        for at, (changed, path) in enumerate(ages):
            if at < len(ages) + 1 - self.most or self.clock() - changed > self.days * _DAY:
                os.unlink(path)


def digest(text: str) -> str:
    """Return a name for any text, in 64 hexadecimal digits."""
    return sha256(text.encode("utf-8", "surrogatepass"))
