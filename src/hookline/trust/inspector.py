"""Inspects what a hook's command would run now, and caches the result until a file changes."""

from __future__ import annotations

import json
import os
import sys
import time

from hookline.paths import write_private
from hookline.text.digest import sha256
from hookline.trust.inspection import InspectedFile, Inspection, read_file, stamp_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.model.frozen import Frozen
    from hookline.trust.inspection import StartedCommand

_FORMAT = 4  # of the files of the cache
_MAX_CACHED = 2_000  # files


class Inspector:
    """Inspects commands, and caches each result in a folder until a file changes; "" for none."""

    def __init__(self, cache_folder: str, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = cache_folder
        self._clock = clock

    def inspect(self, command: StartedCommand) -> Inspection:
        """Return the files of a command as they are now."""
        facts = [
            _FORMAT, sys.version_info[:2], command.text, command.argv, command.cwd, command.root,
            command.listed, command.is_shielded,
        ]  # fmt: skip
        key = sha256(json.dumps(facts).encode())
        known = self._load(key)
        if known and _is_current(known, command):
            return known
        # Only where something changed.
        from hookline.trust.resolver import Resolver  # noqa: PLC0415

        found = Resolver(command, known.references if known else {}, self._clock).resolve()
        self._save(key, found)
        return found

    def _load(self, key: str) -> Inspection | None:
        """Return the inspection of an earlier process; None if there is none that can be read."""
        read = read_file(f"{self._folder}/{key}.json") if self._folder else None
        try:
            tree = json.loads(read[1]) if read else {}
            files = tuple(InspectedFile(**each) for each in tree.pop("files"))
            return Inspection(files=files, **tree)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def _save(self, key: str, found: Inspection) -> None:
        """Write an inspection; without effect where that fails."""
        if not self._folder:
            return
        text = json.dumps(found, default=_to_fields).encode()
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            names = os.listdir(self._folder)
            for name in names if len(names) > _MAX_CACHED else ():
                os.unlink(f"{self._folder}/{name}")
            write_private(f"{self._folder}/{key}.json", text)
        except OSError:
            return


def _to_fields(value: Frozen) -> dict[str, Any]:
    return {name: getattr(value, name) for name in type(value).__fields__}


def _is_current(known: Inspection, command: StartedCommand) -> bool:
    given = command.variables
    return all(given.get(name) == value for name, value in known.variables.items()) and all(
        stamp_path(path) == stamp for path, stamp in known.watched.items()
    )
