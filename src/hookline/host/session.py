"""Session: one conversation of an agent, and the files in which conversations are kept."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import deque
from contextlib import suppress

from hookline.errors import ConfigError
from hookline.paths import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_ID = re.compile(r"[\w-]{1,80}")
_VERSION = 1
# The keys of a file, each with the type of its value.
_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "agent": str,
    "cwd": str,
    "mode": str,
    "context": list,
    "grants": list,
    "input_tokens": int,
    "output_tokens": int,
    "cost": (int, float, type(None)),
    "messages": list,
}


class Approvals:
    """What the person has allowed in a session and in all below it.

    `mode`: the one that the person chose; empty for that of the agent. `option`: the one of the
    command line, which is not saved. `grants`: rules that allow. `prompting` is held while a
    question waits, because people answer one at a time.
    """

    def __init__(self) -> None:
        self.option = ""
        self.mode = ""
        self.grants: list[str] = []
        self.prompting = asyncio.Lock()

    def choose_mode(self, mode: str) -> None:
        """Take the mode that the person chose in answer to a question."""
        self.option, self.mode = "", mode


class Session:
    """One conversation: its messages, what hooks added, its counts and its permissions.

    `cwd`: the folder where its tools work; `folder`: where it was started, which a worktree is not.
    `messages` are those of the framework. `contexts`: texts beside the conversation, which hooks
    added for the whole session, for the prompt, and for the turn. `queued`: messages of the person
    while the agent works; `follow_ups`: those for when it has ended. `agent_mode`: the mode of
    approval if the person chose none. `length`: tokens of the conversation. `input_tokens`,
    `output_tokens` and `cost`: what it and all sessions below it have used.
    """

    def __init__(
        self,
        session_id: str,
        agent: str,
        cwd: str,
        *,
        parent_id: str = "",
        mode: str = "",
        approvals: Approvals | None = None,
    ) -> None:
        self.id = session_id
        self.agent = agent
        self.cwd = self.folder = cwd
        self.parent_id = parent_id
        self.agent_mode = mode
        self.approvals = approvals or Approvals()
        self.is_resumed = self.is_saved = False
        self.messages: list[Any] = []
        self.contexts: dict[str, tuple[str, ...]] = {}
        self.queued: deque[str] = deque()
        self.follow_ups: deque[str] = deque()
        self.iteration = 0
        self.most_iterations = 0
        self.last_prompt = ""
        self.last_text = ""
        self.length = 0
        self.input_tokens = self.output_tokens = 0
        self.cost: float | None = None

    @property
    def mode(self) -> str:
        """The mode of approval: the person's, else the agent's."""
        return self.approvals.option or self.approvals.mode or self.agent_mode

    def count(self, usage: Mapping[str, int], cost: float | None) -> None:
        """Add what a reply, or a session below, has used."""
        self.input_tokens += usage.get("input_tokens", 0)
        self.output_tokens += usage.get("output_tokens", 0)
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    def take_waiting(self) -> str:
        """Return the messages of the person that no turn has taken, and forget them."""
        texts = [*self.queued, *self.follow_ups]
        self.queued.clear()
        self.follow_ups.clear()
        return "\n\n".join(texts)


class SessionFiles:
    """The folder of saved sessions, one JSON file each, which only their owner can read."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.folder = f"{state_folder(environ)}/host-sessions"

    def save(self, session: Session, conversation: Any) -> None:
        """Write a session with its conversation as JSON values, whole or not at all."""
        document = {
            "version": _VERSION,
            "id": session.id,
            "agent": session.agent,
            "cwd": session.cwd,
            "folder": session.folder,
            "mode": session.approvals.mode,
            "context": list(session.contexts.get("session", ())),
            "grants": session.approvals.grants,
            "input_tokens": session.input_tokens,
            "output_tokens": session.output_tokens,
            "cost": session.cost,
            "messages": conversation,
        }
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        path = f"{self.folder}/{session.id}.json"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        with open(os.open(f"{path}.new", flags, 0o600), "w", encoding="utf-8") as file:
            json.dump(document, file)
        os.replace(f"{path}.new", path)

    def find_last(self, cwd: str) -> str:
        """Return the id of the session of a folder that was saved last; empty if there is none.

        It works there, or in a worktree that still exists and was made there.
        """
        found: list[tuple[float, str]] = []
        with suppress(FileNotFoundError):
            found = [
                (entry.stat().st_mtime, entry.name.removesuffix(".json"))
                for entry in os.scandir(self.folder)
                if entry.name.endswith(".json")
            ]
        for _, name in sorted(found, reverse=True):
            with suppress(ConfigError):  # a file that cannot be read hides no other
                document = self._read(name)
                place = document["cwd"]
                if place == cwd or (document.get("folder") == cwd and os.path.isdir(place)):
                    return name
        return ""

    def load(self, session_id: str) -> tuple[Session, Any]:
        """Return a saved session, and its conversation as JSON values.

        Raises:
            ConfigError: there is none with this id, or its file cannot be read.
        """
        document = self._read(session_id)
        session = Session(session_id, document["agent"], document["cwd"])
        session.folder = document.get("folder") or session.cwd
        session.approvals.mode = document["mode"]
        session.contexts["session"] = tuple(document["context"])
        session.approvals.grants = list(document["grants"])
        session.input_tokens = document["input_tokens"]
        session.output_tokens = document["output_tokens"]
        session.cost = document["cost"]
        session.is_resumed = session.is_saved = True
        return session, document["messages"]

    def _read(self, session_id: str) -> dict[str, Any]:
        path = f"{self.folder}/{session_id}.json"
        hint = "`--resume last` is the last one of this folder; each run prints its id at the end"
        if not _ID.fullmatch(session_id) or not os.path.exists(path):
            raise ConfigError(
                f"there is no session `{session_id:.80}`", name="config.option", hint=hint
            )
        try:
            with open(path, encoding="utf-8") as file:
                document: dict[str, Any] = json.load(file)
            known = document["version"] == _VERSION
            valid = known and all(isinstance(document[key], kind) for key, kind in _KEYS.items())
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            known, valid = True, False
        if not known:
            raise ConfigError(
                f"another version of hookline wrote the session `{session_id}`",
                name="config.option",
                hint="begin a new one without --resume",
            )
        if not valid:
            raise self.make_unreadable_error(session_id)
        return document

    def make_unreadable_error(self, session_id: str) -> ConfigError:
        """Return the error about a file that holds no session."""
        return ConfigError(
            f"the session `{session_id}` cannot be read",
            name="config.option",
            hint=f"remove {self.folder}/{session_id}.json",
        )
