"""Links of the user's `hookline.yaml` to a file of hooks: found, added, removed and written."""

from __future__ import annotations

import os

from hookline.config.guard_entries import add_entry, remove_entries
from hookline.config.places import find_own_file
from hookline.model.frozen import Frozen
from hookline.paths import find_home, make_private_folder, read_text, shorten_home, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Edit(Frozen):
    """A change of the user's file; a text is None where there is no file."""

    path: str
    before: str | None = None
    after: str | None = None


def has_link(file: str, environ: Mapping[str, str]) -> bool:
    """Return whether the user's file links to a file of hooks.

    Raises:
        ConfigError: it cannot be read, or is no YAML.
    """
    edit = plan_unlink(file, environ)
    return edit.before != edit.after


def plan_link(file: str, environ: Mapping[str, str]) -> Edit:
    """Return the change after which the user's file links to a file of hooks.

    A link that is there already stays as it is written.

    Raises:
        ConfigError: the user's file cannot be edited.
    """
    edit = plan_unlink(file, environ)
    if edit.before != edit.after:
        return edit.replace(after=edit.before)
    entry = {"path": shorten_home(file, environ), "dialect": "hookline"}
    return edit.replace(after=add_entry(edit.before, "sources", entry, path=edit.path))


def plan_unlink(file: str, environ: Mapping[str, str]) -> Edit:
    """Return the change after which the user's file has no link to a file of hooks.

    Raises:
        ConfigError: the user's file cannot be edited.
    """
    home, path = find_home(environ), find_own_file("", environ, user=True)

    def is_meant(entry: Mapping[str, Any]) -> bool:
        named = str(entry.get("path", ""))
        whole = f"{home}{named[1:]}" if named.startswith("~/") else named
        return os.path.normpath(os.path.join(os.path.dirname(path), whole)) == file

    before = read_text(path) if os.path.exists(path) else None
    after = None if before is None else remove_entries(before, "sources", is_meant, path=path)
    return Edit(path=path, before=before, after=after)


def apply_edit(edit: Edit) -> None:
    """Write the user's file as a whole, through its links; without a text it goes."""
    target = os.path.realpath(edit.path)
    if edit.after == edit.before:
        return
    if edit.after is None:
        os.unlink(target)
        return
    make_private_folder(os.path.dirname(target))
    mode = 0o600 if edit.before is None else os.stat(target).st_mode & 0o777
    write_private(target, edit.after.encode(), sync=True)
    os.chmod(target, mode)
