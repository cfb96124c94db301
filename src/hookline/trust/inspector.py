"""Inspects what a hook's command would run now, and caches the result until a file changes."""

from __future__ import annotations

import json
import os
import sys
import time

from hookline.model.frozen import Frozen
from hookline.paths import make_private_folder, read_regular, write_private
from hookline.text.digest import sha256
from hookline.trust.inspection import (
    MAX_BYTES,
    InspectedFile,
    Inspection,
    StartedCommand,
    stamp_path,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


_FORMAT = 5  # of the files of the cache
_MAX_CACHED = 2_000  # files


def inspect_command(
    command: StartedCommand, folder: str = "", clock: Callable[[], float] = time.time
) -> Inspection:
    """Return the files of a command as they are now. `folder`: of the cache; empty for none."""
    facts = [
        _FORMAT, sys.version_info[:2], command.text, command.argv, command.cwd, command.root,
        command.listed, command.is_shielded,
    ]  # fmt: skip
    path = f"{folder}/{sha256(json.dumps(facts).encode())}.json" if folder else ""
    known = _load(path)
    if known and _is_current(known, command):
        return known
    # Only where something changed.
    from hookline.trust.resolver import Resolver  # noqa: PLC0415

    found = Resolver(command, known.references if known else {}, clock).resolve()
    if folder:
        _save(folder, path, found)
    return found


def _load(path: str) -> Inspection | None:
    """Return an inspection that is cached; None if there is none that can be read."""
    read = read_regular(path, MAX_BYTES)
    try:
        tree = json.loads(read[1]) if read else {}
        files = tuple(InspectedFile(**each) for each in tree.pop("files"))
        return Inspection(files=files, **tree)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _save(folder: str, path: str, found: Inspection) -> None:
    """Write an inspection; without effect where that fails."""
    text = json.dumps(found, default=Frozen.as_dict).encode()
    try:
        make_private_folder(folder)
        names = os.listdir(folder)
        for name in names if len(names) > _MAX_CACHED else ():
            os.unlink(f"{folder}/{name}")
        write_private(path, text)
    except OSError:
        return


def _is_current(known: Inspection, command: StartedCommand) -> bool:
    given = command.variables
    return all(given.get(name) == value for name, value in known.variables.items()) and all(
        stamp_path(path) == stamp for path, stamp in known.watched.items()
    )
