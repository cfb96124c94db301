"""`hookline show`: one event and what a hook can do there, or one hook with all its fields."""

from __future__ import annotations

import os

from hookline.cli.commands import load
from hookline.cli.events import find_kind, make_kind_document, render_kind
from hookline.cli.options import Selection, option
from hookline.cli.output import OK, Printer
from hookline.config.places import find_places, project_root


def show(
    selection: Selection,
    printer: Printer,
    *,
    what: str = option(
        "EVENT|HOOK",
        "an event by any of its names, or a hook by its id or name",
        complete="hooks events",
    ),
) -> int:
    """One event and what a hook can do there, or one hook with all its fields.

    Where there are no hook files, no engine is loaded.
    """
    kind = find_kind(what, selection.dialect)
    root = project_root(".", os.environ) or "."
    if kind and not selection.configs and next(find_places(root, os.environ), None) is None:
        printer.print(make_kind_document(kind, ()), render_kind(selection.dialect))
        return OK
    return int(load("hook_page.show_found")(selection, printer, what, kind))
