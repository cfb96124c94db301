"""The guard `own_config` that `hookline install` switches on, and takes out with the last host."""

from __future__ import annotations

import os

from hookline.bridges.host_files import FileChange, make_change, read_file, write_file
from hookline.cli.output import print_message
from hookline.config.guard_entries import add_entry, remove_entries
from hookline.config.places import find_own_file
from hookline.errors import ConfigError
from hookline.paths import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_ENTRY = {"use": "own_config"}


def plan_own_guard(environ: Mapping[str, str]) -> FileChange | None:
    """Return the change of your hookline.yaml that adds the guard; None if it needs none.

    It needs none if the guard is there, or if you removed it after an installation.
    """
    path = find_own_file("", environ, user=True)
    before = read_file(path)
    if os.path.exists(_find_mark(environ)) or b"own_config" in (before or b""):
        return None
    try:
        text = add_entry(None if before is None else before.decode(), "hooks", _ENTRY, path=path)
    except (ConfigError, UnicodeDecodeError) as error:
        print_message(f"hookline cannot add the guard own_config to {path}: {error}")
        return None
    return make_change(path, before, text.encode())


def add_own_guard(change: FileChange, environ: Mapping[str, str]) -> None:
    """Write the change, and remember that an installation made it."""
    write_file(change.target, change.after, change.mode)
    mark = _find_mark(environ)
    os.makedirs(os.path.dirname(mark), mode=0o700, exist_ok=True)
    with open(mark, "w", encoding="utf-8") as file:
        file.write("`hookline install` added the guard own_config once\n")


def plan_removal(environ: Mapping[str, str]) -> FileChange | None:
    """Return the change that takes the guard out again, if an installation added it."""
    path = find_own_file("", environ, user=True)
    before = read_file(path)
    if before is None or not os.path.exists(_find_mark(environ)):
        return None
    try:
        text = remove_entries(before.decode(), "hooks", _is_own, path=path)
    except (ConfigError, UnicodeDecodeError):
        return None
    after = None if text is None else text.encode()
    return make_change(path, before, after) if after != before else None


def remove_own_guard(change: FileChange | None, environ: Mapping[str, str]) -> None:
    """Write the change, and forget the installation."""
    if change is not None:
        write_file(change.target, change.after, change.mode)
    if os.path.exists(_find_mark(environ)):
        os.unlink(_find_mark(environ))


def _is_own(entry: Mapping[str, Any]) -> bool:
    return dict(entry) == _ENTRY


def _find_mark(environ: Mapping[str, str]) -> str:
    return f"{state_folder(environ)}/own-guard"
