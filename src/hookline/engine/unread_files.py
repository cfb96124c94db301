"""Finds hook files of a repository without approvals, which hookline does not parse, and notifies the user."""

from __future__ import annotations

import os
import stat

from hookline.config.places import find_places, project_path
from hookline.engine.approvals import has_approvals
from hookline.engine.notices import add_notice
from hookline.engine.sources import Discovery, is_within
from hookline.model.spec import CLONED
from hookline.paths import open_nonblocking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.engine.runtime import Runtime
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

_WORD = b"hooks"
_HEAD = 1 << 20  # bytes of a file in which the word is looked for
_MOST = 1024  # sessions that are remembered


def note_unread(runtime: Runtime, event: Event, decision: Decision) -> Decision:
    """Return the decision with a notice on hook files that are not approved, once a session."""
    row = runtime.host(event.dialect).table.row(event.native_name)
    key = (event.session_id, row is None or "note" in row.powers_on(event.tool))
    if key in runtime.checked_sessions:
        return decision
    if len(runtime.checked_sessions) >= _MOST:
        runtime.checked_sessions.clear()
    runtime.checked_sessions.add(key)
    files = ", ".join(f"`{file}`" for file in list_unread(runtime))
    if not files:
        return decision
    text = f"hooks of this project ({files}) do not run because you have not approved them. To review them: `hookline approve`"
    return add_notice(runtime, event, decision, text)


def list_unread(runtime: Runtime) -> list[str]:
    """Return the places in the project with hook files that are not parsed, each once."""
    found = [
        each
        for way in runtime.snapshot.ways
        if isinstance(way, Discovery) and not way.parses_new
        for each in find_places(runtime.cwd, runtime.environ, way.dialect)
        if each.scope in CLONED and (each.dialect, each.scope) not in runtime.snapshot.dropped
    ]
    if not found or has_approvals(runtime.cwd, runtime.environ):
        return []
    holding = (each for each in found if _may_hold_hooks(each.path, runtime.cwd))
    return list(dict.fromkeys(project_path(each.dialect, each.path) for each in holding))


def _may_hold_hooks(path: str, project: str) -> bool:
    """Whether a folder has an entry, or a file the word `hooks` in its first MiB.

    True if unreadable.
    """
    try:
        if os.path.isdir(path):
            with os.scandir(path) as entries:
                return any(True for _ in entries)
        if not stat.S_ISREG(os.stat(path).st_mode) or not is_within(path, project):
            return True
        with open(path, "rb", opener=open_nonblocking) as file:
            return _WORD in file.read(_HEAD)
    except OSError:
        return True
