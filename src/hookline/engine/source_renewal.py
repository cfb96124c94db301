"""Reads the files of one search or one named path again; an invalid version leaves the last good one in force."""

from __future__ import annotations

import os
import time

from hookline.config.read import make_stamp
from hookline.engine.shelf import LoadedSource
from hookline.engine.sources import Discovery, list_sources, read_sources
from hookline.errors import ConfigError
from hookline.model.handler import Broken
from hookline.model.problem import Origin, Problem
from hookline.model.spec import MANAGED
from hookline.wire.disable_flags import drop_flags
from hookline.wire.fields import to_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from hookline.config.read import Stamp
    from hookline.core.dialect import Loaded
    from hookline.engine.library import Library
    from hookline.engine.sources import Key, Named, ReadSource

# How often files are read again because one changed meanwhile.
_READINGS = 3


def read_stamps(library: Library, way: Discovery | Named) -> dict[Key, Stamp]:
    """Return the stamps of all files of a way now; also of a named path that is gone."""
    try:
        files = [
            (os.path.abspath(place.file), dialect.table.name)
            for place, dialect, _ in list_sources(library.search, way)
        ]
    except ConfigError:
        files = (
            []
            if isinstance(way, Discovery)
            else [(os.path.join(way.base, way.place.file), way.dialect.table.name)]
        )
    return {key: make_stamp(*key) for key in files}


class Renewal:
    """One way read again. `pieces`: the sources from now on. `seen`: the stamps of all files."""

    def __init__(self, library: Library, way: Discovery | Named, held: Collection[Key]) -> None:
        self.way = way
        self.before: dict[Key, LoadedSource] = {
            shelved.key: shelved for shelved in library.shelf.sources if shelved.way is way
        }
        self.unwanted = library._unwanted
        self.error: ConfigError | None = None
        self.seen: dict[Key, Stamp] = {}
        found, moving = self._read(library)
        self.held = {*held, *moving}
        self.refused = {
            each.key[0]: each for each in found if each.error and os.path.isdir(each.source.file)
        }
        self.pieces = [piece for each in found if (piece := self._renew_file(each)) is not None]
        self._keep_missing({each.key for each in found})

    def _read(self, library: Library) -> tuple[list[ReadSource], set[Key]]:
        """Return the sources of this way, and the files that changed during each of several readings."""
        found: list[ReadSource] = []
        moving: set[Key] = set()
        for _ in range(_READINGS):
            try:
                found = list(read_sources(library.search, self.way))
            except ConfigError as error:
                self.error = error
                self.seen = read_stamps(library, self.way)
                return [], set()
            moving = {each.key for each in found if make_stamp(*each.key) != each.stamp}
            if not moving:
                break
        return found, moving

    def _renew_file(self, found: ReadSource) -> LoadedSource | None:
        """Return the source of a file from now on; None if it does not count yet."""
        old = self.before.get(found.key)
        if found.key in self.held:
            return _keep_last_good(old, (), "is being written") if old else None
        self.seen[found.key] = found.stamp
        if found.key[0] in self.refused and any(
            self._find_folder(each) for each in self.before.values()
        ):
            return None
        if old is not None and found.error is None and old.source == found.source:
            return old.replace(newer_problems=()) if old.newer_problems else old
        loaded = found.load()
        if old is not None and self._is_worse(loaded, old.loaded):
            return _keep_last_good(old, self._list_errors(loaded))
        if old is not None and _is_cut_off(found.source.text, loaded, old):
            return _keep_last_good(
                old,
                (),
                "breaks off before its first hook",
                hint="to do without its hooks, remove the file or its entries",
            )
        return LoadedSource(
            source=found.source,
            dialect=found.dialect,
            loaded=loaded,
            way=self.way,
            stamp=found.stamp,
            key=found.key,
        )

    def _keep_missing(self, found: set[Key]) -> None:
        """Keep missing files that still count at their former position."""
        behind = 0
        for key, old in self.before.items():
            if key not in found and (piece := self._renew_missing(old)) is not None:
                self.pieces.insert(behind, piece)
            at = next(
                (number for number, piece in enumerate(self.pieces) if piece.key == key), None
            )
            behind = behind if at is None else at + 1

    def _renew_missing(self, old: LoadedSource) -> LoadedSource | None:
        """Return the source of a missing file if it was named, is policy or cannot be looked for; else None."""
        if old.source.text is None and os.path.isdir(
            old.key[0]
        ):  # a folder that could not be listed, and now can
            return None
        folder = self._find_folder(old)
        if folder is not None and folder.error is not None:
            return _keep_last_good(
                old, (to_problem(folder.error, folder.source.file, folder.source.scope),)
            )
        if old.key in self.held:
            return _keep_last_good(old, (), "is being written")
        unreachable = _explain_unreachable(old.key[0])
        if unreachable:
            wrong = ConfigError(
                f"cannot be read: {unreachable}", name="config.unreadable", place=old.source.file
            )
            return _keep_last_good(old, (to_problem(wrong, old.source.file, old.source.scope),))
        return (
            _keep_missing_file(old)
            if self.error is not None or old.source.scope == MANAGED
            else None
        )

    def _is_worse(self, new: Loaded, old: Loaded) -> bool:
        """Whether a version has more errors than the former one, or lost all hooks because of errors."""
        errors = len(self._list_errors(new))
        return errors > len(self._list_errors(old)) or (
            errors > 0 and _can_run(old) and not _can_run(new)
        )

    def _list_errors(self, loaded: Loaded) -> tuple[Problem, ...]:
        """Return the errors, without those of hooks that are left out."""
        left_out = [
            spec.origin.pointer
            for spec in loaded.specs
            if any(is_so(spec) for is_so in self.unwanted)
        ]
        within = tuple(f"{pointer}." for pointer in left_out if pointer)
        wrong = (problem for problem in loaded.problems if problem.severity == "error")
        return tuple(
            problem for problem in wrong if not f"{problem.origin.pointer}.".startswith(within)
        )

    def _find_folder(self, old: LoadedSource) -> ReadSource | None:
        """Return the folder around a file that cannot be listed; None if there is none."""
        return next(
            (
                each
                for folder, each in self.refused.items()
                if old.key[0].startswith(f"{folder}{os.sep}")
            ),
            None,
        )


def _explain_unreachable(path: str) -> str:
    """Return why it is unknown whether a file still exists; empty if that is known."""
    try:
        if os.path.isdir(path):
            return "is a folder"
        if os.path.islink(path) and not os.path.exists(path):
            return "is a link to nothing"
        os.stat(path)
        os.listdir(os.path.dirname(path))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return (error.strerror or "unreadable").lower()
    return ""


# -- the last good version ---------------------------------------------------------------------------------------------


def _can_run(loaded: Loaded) -> bool:
    return any(not isinstance(spec.handler, Broken) for spec in drop_flags(loaded.specs))


def _is_cut_off(text: str | None, new: Loaded, old: LoadedSource) -> bool:
    """Whether a version has no hooks and is only the beginning of the former: half written, or on a full disk."""
    before = old.source.text
    if text is None or before is None or new.specs or not _can_run(old.loaded):
        return False
    return before.startswith(text.rstrip())


def _keep_last_good(
    old: LoadedSource, wrong: tuple[Problem, ...], why: str = "", hint: str = ""
) -> LoadedSource:
    file = old.source.file
    message = f"`{file}` {why}; " if why else ""
    message += f"the last good version of `{file}` is in force{_describe_age(old)}"
    hint = hint or (
        "it is taken as soon as it has come to rest"
        if why
        else "mend it; it is taken as soon as it is valid"
    )
    return old.replace(
        newer_problems=(*wrong, _make_warning(old, "config.last-good", message, hint))
    )


def _keep_missing_file(old: LoadedSource) -> LoadedSource:
    message = f"`{old.source.file}` is gone; its last good version is in force{_describe_age(old)}"
    return old.replace(
        newer_problems=(
            _make_warning(old, "config.gone", message, "put it back, or restart to do without it"),
        )
    )


def _make_warning(old: LoadedSource, name: str, message: str, hint: str) -> Problem:
    origin = Origin(file=old.source.file, scope=old.source.scope)
    return Problem(name=name, message=message, hint=hint, severity="warning", origin=origin)


def _describe_age(old: LoadedSource) -> str:
    """Describe when the version in force was written."""
    written = old.stamp[0][4] // 10**9 if old.stamp and len(old.stamp[0]) > 1 else None
    return (
        "" if written is None else time.strftime(", from %Y-%m-%dT%H:%M:%SZ", time.gmtime(written))
    )
