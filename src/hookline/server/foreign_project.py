"""Foreign projects: adds a notice to decisions on events of another project, whose hooks this server does not run."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from typing import TYPE_CHECKING

from hookline.config.places import find_places, project_root
from hookline.engine.notices import NOT_ASKED
from hookline.model.kinds import kind
from hookline.model.spec import SCOPES
from hookline.model.verdict import Lowered

if TYPE_CHECKING:
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

_MOST = 4096  # sessions and folders to remember
_PROJECTS = SCOPES[2:4]  # "project", "local"


class ForeignProjectNotice:
    """Checks an event's folder once per session, and reports once which hooks did not run.

    A server runs the hooks of the folder that it was started in, whatever folder a request names.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str, bool], None] = (
            OrderedDict()
        )  # a session, and its folder or a project

    async def __call__(self, engine: Engine, event: Event, decision: Decision) -> Decision:
        """Return the decision with an entry in `lowered`, and a note if the event can carry one."""
        if (
            event.cwd == engine.cwd
            or not os.path.isabs(event.cwd)
            or self._is_known(event.session_id, event.cwd)
        ):
            return decision
        project = await asyncio.to_thread(_find_foreign_project, engine, event)
        if not project or self._is_known(event.session_id, project, is_project=True):
            return decision
        words = (
            f"the hooks of the project `{project}` did not run: this server runs those of `{engine.cwd}`;"
            " start one there, or let the host start `hookline answer`"
        )
        decision = decision.replace(
            lowered=(*decision.lowered, Lowered(effect=NOT_ASKED, reason=words))
        )
        return (
            decision.replace(for_user=(*decision.for_user, words))
            if "note" in _powers(engine, event)
            else decision
        )

    def _is_known(self, session_id: str, folder: str, *, is_project: bool = False) -> bool:
        """Return whether a session has this entry already, and add it.

        Events without a session have none.
        """
        key = (session_id, folder, is_project)
        known = bool(session_id) and key in self._known
        self._known[key] = None
        if len(self._known) > _MOST:
            self._known.popitem(last=False)
        return known


def _find_foreign_project(engine: Engine, event: Event) -> str:
    """Return the event's project if it is another one with hooks of its own; else empty."""
    project = project_root(event.cwd, engine.environ)
    if not project or os.path.realpath(project) == os.path.realpath(engine.cwd):
        return ""
    return (
        project
        if any(found.scope in _PROJECTS for found in find_places(project, engine.environ))
        else ""
    )


def _powers(engine: Engine, event: Event) -> frozenset[str]:
    row = engine.host(event.dialect).table.row(event.native_name)
    return row.powers_on(event.tool) if row else kind(event.kind).powers | {"note"}
