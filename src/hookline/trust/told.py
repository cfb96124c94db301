"""Told: what each session was told of hooks, so that it is told once, and who it is that does something about them."""

from __future__ import annotations

import os

from hookline.errors import TrustError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.trust.approval import Approval
    from hookline.trust.store import Store

_MOST = 1024  # of what this process told


class Told:
    """What was told by this process, and by others that have the same store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._said: set[tuple[str, str]] = set()

    def once(self, session: str, what: str) -> bool:
        """Whether a session was told that before; from now on it was. Who cannot remember says it again."""
        if not session:
            return False
        if (session, what) in self._said:
            return True
        if len(self._said) >= _MOST:
            self._said.clear()
        self._said.add((session, what))
        try:
            return self._store.told(session, what)
        except TrustError:
            return False


def record_of(approval: Approval, what: str, *, who: str, how: str) -> dict[str, Any]:
    """What a journal is told of an approval of which no hook is there."""
    return {
        "what": what, "hook": approval.hook, "event": approval.event, "command": approval.command, "file": approval.file,
        "root": approval.root, "identity": approval.print.identity, "content": approval.print.content, "who": who, "how": how,
    }  # fmt: skip


def user_of(environ: Mapping[str, str]) -> str:
    """Who does something here, as far as the environment tells; else the system's name of this user."""
    if named := environ.get("SUDO_USER") or environ.get("USER"):
        return named
    import pwd  # noqa: PLC0415 - something is approved or switched, which is rare

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"
