"""The checkpoints of a shadow repository, in one file beside it."""

from __future__ import annotations

import json
import time

from hookline.handlers.builtins.shadow_repository import DAYS, ShadowRepository
from hookline.model.frozen import Frozen
from hookline.paths import read_private, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

_SCHEMA = "hookline.snapshots/1"
_MOST = 1000  # checkpoints
_MOST_SESSIONS = 256
_MOST_STARTS = 256  # of one session
_LARGEST = 16 << 20  # bytes of the file
_HOUR = 3600.0
_TURN = "turn"


class Checkpoint(Frozen):
    """Files that changed in a turn, or in a call of a tool.

    Attributes:
        number: counts the checkpoints of a work tree, from 1.
        session: the id of the session.
        cause: `turn`, or the name of the tool.
        at: when it was made, in seconds since 1970.
        before: the tree with the files as they were.
        after: the tree with the files as they are.
        scope: the folder of the work tree that counts; empty: all of it.
        count: how many files changed.
    """

    number: int
    session: str
    cause: str
    at: float
    before: str
    after: str
    scope: str
    count: int


class History:
    """The checkpoints of a work tree, and what is open in each session.

    A session has the tree at the start of its turn and of each call, and the tree up to which there
    are checkpoints. So a turn and the calls in it never lead to two checkpoints of one change.
    """

    def __init__(self, path: str, document: dict[str, Any]) -> None:
        self.path = path
        self.checkpoints = [Checkpoint(**each) for each in document.get("checkpoints", ())]
        self._sessions: dict[str, dict[str, Any]] = document.get("sessions", {})
        self._number: int = document.get("number", 0)
        self._clock: int = document.get("clock", 0)  # counts what happens, to tell the order

    @classmethod
    def read(cls, repository: ShadowRepository) -> Self:
        """Return the history of a shadow repository; an empty one where there is none."""
        path = f"{repository.folder}/history.json"
        try:
            document = json.loads(read_private(path, _LARGEST).decode("utf-8", "surrogatepass"))
            if document.get("schema") == _SCHEMA:
                return cls(path, document)
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            pass
        return cls(path, {})

    def write(self) -> None:
        """Write the history.

        Raises:
            OSError: it cannot be written.
        """
        document = {
            "schema": _SCHEMA,
            "number": self._number,
            "clock": self._clock,
            "checkpoints": [each.as_dict() for each in self.checkpoints[-_MOST:]],
            "sessions": dict(list(self._sessions.items())[-_MOST_SESSIONS:]),
        }
        data = json.dumps(document).encode("utf-8", "surrogatepass")
        write_private(self.path, data)

    def begin(self, session: str, call: str, tree: str) -> None:
        """Note the tree at the start of a turn, or of a call. `call` is empty for a turn."""
        held = self._take_session(session)
        if not call:
            held["starts"] = {}
        starts = held["starts"]
        starts[call or _TURN] = [tree, self._count()]
        while len(starts) > _MOST_STARTS:
            del starts[next(key for key in starts if key != _TURN)]

    def end(self, session: str, call: str, tree: str, *, closes: bool = True) -> str:
        """Return the tree from which on there is no checkpoint; empty if nothing was begun.

        `closes`: the turn, or the call, is over.
        """
        held = self._take_session(session)
        starts = held["starts"]
        begun = starts.get(_TURN) or starts.get(call)
        if closes and not call:
            held["starts"] = {}
        elif closes:
            starts.pop(call, None)
        if begun is None:
            return ""
        done = held.get("done")
        base: str = done[0] if done and done[1] > begun[1] else begun[0]
        if base != tree:
            held["done"] = [tree, self._count()]
        return base

    def forget(self, session: str) -> None:
        """Forget what is open in a session; its checkpoints stay."""
        self._sessions.pop(session, None)

    def move_on(self, session: str, tree: str) -> None:
        """Take a tree for the one up to which there are checkpoints, after files were restored."""
        for key in list(self._sessions) if not session else [session]:
            if key in self._sessions:
                self._sessions[key]["done"] = [tree, self._count()]

    def add(self, **fields: Any) -> None:
        """Add a checkpoint, whose other fields are given."""
        self._number += 1
        self.checkpoints.append(Checkpoint(number=self._number, at=time.time(), **fields))

    def drop_old(self) -> None:
        """Drop the checkpoints whose trees Git is about to remove."""
        oldest = time.time() - DAYS * 24 * _HOUR + _HOUR
        self.checkpoints = [each for each in self.checkpoints if each.at > oldest]

    def list_of(self, session: str) -> list[Checkpoint]:
        """Return the checkpoints of a session, oldest first; without a session all."""
        return [each for each in self.checkpoints if session in ("", each.session)]

    def drop(self, gone: list[Checkpoint]) -> None:
        """Drop some checkpoints."""
        numbers = {each.number for each in gone}
        self.checkpoints = [each for each in self.checkpoints if each.number not in numbers]

    def _take_session(self, session: str) -> dict[str, Any]:
        held = self._sessions.pop(session, {"starts": {}})
        self._sessions[session] = held  # now the newest
        return held

    def _count(self) -> int:
        self._clock += 1
        return self._clock
