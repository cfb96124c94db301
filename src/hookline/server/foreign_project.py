"""Foreign projects: adds a notice to decisions on events of projects whose hooks do not run."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from hookline.config.places import find_places, project_root
from hookline.engine.notices import NOT_ASKED
from hookline.model.spec import SCOPES
from hookline.model.verdict import Decision, Lowered

if TYPE_CHECKING:
    from hookline.engine.engine import Engine
    from hookline.model.event import Event

_MOST = 4096  # sessions and projects to remember
_PROJECTS = SCOPES[2:4]  # "project", "local"


class ForeignProjectNotice:
    """Checks an event's folder, and reports once in a session which hooks did not run.

    A server runs the hooks of the folder that it was started in, whatever folder a request names.
    """

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], None] = {}

    async def __call__(self, engine: Engine, event: Event, decision: Decision) -> Decision:
        """Return the decision with an entry in `lowered`, and a note if the event can carry one."""
        if event.cwd == engine.cwd or not os.path.isabs(event.cwd):
            return decision
        project = await asyncio.to_thread(_find_foreign_project, engine, event)
        if not project or (event.session_id, project) in self._told:
            return decision
        if event.session_id:
            self._told[event.session_id, project] = None
            if len(self._told) > _MOST:
                del self._told[next(iter(self._told))]
        why = (
            f"the hooks of the project `{project}` did not run: this server runs those of"
            f" `{engine.cwd}`; start one there, or let the host start `hookline answer`"
        )
        lowered = (*decision.lowered, Lowered(effect=NOT_ASKED, reason=why))
        row = engine.host(event.dialect).table.row(event.native_name)
        can_note = row is None or "note" in row.powers_on(event.tool)
        for_user = (*decision.for_user, why) if can_note else decision.for_user
        return decision.replace(lowered=lowered, for_user=for_user)


def _find_foreign_project(engine: Engine, event: Event) -> str:
    """Return the event's project if it is another one with hooks of its own; else empty."""
    project = project_root(event.cwd, engine.environ)
    if not project or os.path.realpath(project) == os.path.realpath(engine.cwd):
        return ""
    places = find_places(project, engine.environ)
    return project if any(found.scope in _PROJECTS for found in places) else ""
