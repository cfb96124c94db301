"""Finds the project folder that an event belongs to, and where its hooks run."""

from __future__ import annotations

import os

from hookline.config.places import project_root
from hookline.model.spec import Builtin, Command, HookSpec
from hookline.paths import find_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hookline.core.dialect import Table
    from hookline.model.event import Event


def find_project(folder: str, environ: Mapping[str, str], table: Table) -> str:
    """Return the project of a folder: by the host's variable, else around it, else the folder.

    The variable goes first only where it leads to no other project than that folder is in.
    """
    named = next(
        (
            path
            for name in table.project_variables
            if os.path.isabs(path := environ.get(name, "")) and os.path.isdir(path)
        ),
        "",
    )
    if named and is_inside(named, folder):
        return named
    return (project_root(folder, environ, table.name) if table.climbs else "") or named or folder


def is_inside(project: str, folder: str) -> bool:
    """Whether a folder is a project's, or lies below it."""
    return f"{os.path.realpath(folder)}/".startswith(f"{os.path.realpath(project).rstrip('/')}/")


def find_event_project(folder: str, own: str, environ: Mapping[str, str], table: Table) -> str:
    """Return the project of an event: the engine's `own`, if it happens in it, or another one."""
    home = find_home(environ)
    is_own = table.climbs and not is_inside(own, home) and is_inside(own, folder)
    return own if is_own else find_project(folder, environ, table)


def find_existing_folder(
    folder: str, own: str, environ: Mapping[str, str], table: Table | None
) -> str:
    """Return where hooks run instead of a folder that does not exist.

    That is the project by the host's variable, the project around the nearest folder above that
    exists, the engine's `own` folder, or the user's home.
    """
    above = folder
    while not os.path.isdir(above) and above != os.path.dirname(above):
        above = os.path.dirname(above)
    named = [environ.get(name, "") for name in table.project_variables] if table else []
    around = project_root(above, environ) if os.path.isabs(above) else ""
    home = find_home(environ)
    candidates = (*(path for path in named if os.path.isabs(path)), around, own, home)
    return next((path for path in candidates if path and os.path.isdir(path)), "/")


def leave_deleted_folder(environ: Mapping[str, str], table: Table | None = None) -> str:
    """Go to a folder that exists if the working folder was deleted.

    Return a notice; it is empty where nothing was deleted.
    """
    try:
        os.getcwd()
    except OSError:
        folder = find_existing_folder(environ.get("PWD", ""), "", environ, table)
        os.chdir(folder)
        return f"its working folder was deleted, so it looks for hooks from `{folder}`"
    return ""


def add_folders(
    event: Event, specs: Iterable[HookSpec], own: str, environ: Mapping[str, str], table: Table
) -> Event:
    """Return the event with the folders that its hooks need.

    `folder` is where those run that do not run in the event's folder: the engine's `own` folder, or
    what stands in for a missing one. `project` is the one that the event happens in.
    """
    handlers = [spec.handler for spec in specs if isinstance(spec.handler, Command | Builtin)]
    exists = os.path.isdir(event.cwd)
    cwd = event.cwd
    if not exists or any(each.in_folder for each in handlers):
        usable = exists and os.path.isdir(own)
        folder = own if usable else find_existing_folder(event.cwd, own, environ, table)
        event = event.replace(folder=folder)
        cwd = cwd if exists else folder
    if event.project or not handlers:
        return event
    return event.replace(project=find_event_project(cwd, own, environ, table))
