"""Reads the files of one search or one named path again; an invalid version leaves the last good one in force."""

from __future__ import annotations

import os
import stat

from hookline.config.read import make_stamp
from hookline.engine.sources import Discovery, Given, list_sources, read_sources
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.handler import Broken
from hookline.model.problem import Origin, Problem
from hookline.model.spec import MANAGED
from hookline.wire.disable_flags import drop_flags
from hookline.wire.fields import to_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import TypeGuard

    from hookline.config.read import Stamp
    from hookline.core.dialect import Loaded
    from hookline.engine.sources import Key, LoadedSource, Named, ReadSource, Search, Way
    from hookline.model.spec import HookSpec

    Unwanted = Sequence[Callable[[HookSpec], bool]]

_WRITING = "is being written"
_READINGS = 3  # how often files are read again because one changed meanwhile


class Renewed(Frozen):
    """A way gone again: its sources from now on, and the stamps of all its files."""

    sources: tuple[LoadedSource, ...]
    seen: Mapping[Key, Stamp]


def is_renewable(way: Way) -> TypeGuard[Discovery | Named]:
    """Whether a way can be gone again: no tree given by code, and no pipe."""
    if isinstance(way, Given | Discovery):
        return isinstance(way, Discovery)
    try:
        mode = os.stat(os.path.join(way.base, way.place.file)).st_mode
    except OSError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def read_stamps(search: Search, way: Discovery | Named) -> dict[Key, Stamp]:
    """Return the stamps of all files of a way now; also of a named path that is gone."""
    try:
        listed = list(list_sources(search, way))
    except ConfigError:  # what was named is gone
        assert not isinstance(way, Discovery)  # noqa: S101 - a search names nothing
        key = (os.path.join(way.base, way.place.file), way.dialect.table.name)
        return {key: make_stamp(*key)}
    keys = [(os.path.abspath(place.file), dialect.table.name) for place, dialect, _ in listed]
    return {key: make_stamp(*key) for key in keys}


def renew(
    search: Search,
    way: Discovery | Named,
    before: Mapping[Key, LoadedSource],
    held: Collection[Key],
    unwanted: Unwanted,
) -> Renewed:
    """Return the sources of a way from now on, and the stamps of its files.

    Args:
        search: the context of the search.
        way: which files to read.
        before: the sources in force that came by this way.
        held: files that are being written; they stay as they are.
        unwanted: predicates on hooks that are left out, whose errors do not count.
    """
    try:
        found, moving = _read(search, way)
    except ConfigError:  # what was named is gone: every file stays
        missing = [_renew_missing(old, [], held, is_gone=True) for old in before.values()]
        kept = tuple(each for each in missing if each is not None)
        return Renewed(sources=kept, seen=read_stamps(search, way))
    held = {*held, *moving}
    folders = [each for each in found if each.error and os.path.isdir(each.source.file)]
    sources = [
        renewed
        for each in found
        if not (each in folders and any(_find_folder(old, [each]) for old in before.values()))
        and (renewed := _renew_file(each, before.get(each.key), held, unwanted)) is not None
    ]
    names = {each.key for each in found}
    position = 0
    for key, old in before.items():  # a missing file that still counts stays where it was
        if key not in names and (stays := _renew_missing(old, folders, held)):
            sources.insert(position, stays)
        here = [at for at, each in enumerate(sources) if each.key == key]
        position = here[0] + 1 if here else position
    seen = {each.key: each.stamp for each in found if each.key not in held}
    return Renewed(sources=tuple(sources), seen=seen)


def _read(search: Search, way: Discovery | Named) -> tuple[list[ReadSource], set[Key]]:
    """Return the sources of a way, and the files that changed during each of several readings."""
    found: list[ReadSource] = []
    moving: set[Key] = set()
    for _ in range(_READINGS):
        found = list(read_sources(search, way))
        moving = {each.key for each in found if make_stamp(*each.key) != each.stamp}
        if not moving:
            break
    return found, moving


def _renew_file(
    found: ReadSource, old: LoadedSource | None, held: Collection[Key], unwanted: Unwanted
) -> LoadedSource | None:
    """Return the source of a file from now on; None if it does not count yet."""
    if found.key in held:
        return _keep_last_good(old, (), _WRITING) if old else None
    if old is None:
        return found.load()
    if found.error is None and old.source == found.source:
        return old.replace(newer_problems=()) if old.newer_problems else old
    new = found.load()
    errors = _list_errors(new.loaded, unwanted)
    lost = _can_run(old.loaded) and not _can_run(new.loaded)
    if len(errors) > len(_list_errors(old.loaded, unwanted)) or (errors and lost):
        return _keep_last_good(old, errors)
    if lost and not new.loaded.specs and _is_beginning(found.source.text, old.source.text):
        hint = "to do without its hooks, remove the file or its entries"
        return _keep_last_good(old, (), "breaks off before its first hook", hint)
    return new


def _renew_missing(
    old: LoadedSource,
    folders: Sequence[ReadSource],
    held: Collection[Key],
    *,
    is_gone: bool = False,
) -> LoadedSource | None:
    """Return the source of a missing file if it still counts, else None.

    A file counts if it is policy, if what was named `is_gone`, or if it may still be there.
    """
    path = old.key[0]
    if old.source.text is None and os.path.isdir(path):
        return None  # a folder that could not be listed, and now can
    folder = _find_folder(old, folders)
    if folder is not None and folder.error is not None:
        wrong = to_problem(folder.error, folder.source.file, folder.source.scope)
        return _keep_last_good(old, (wrong,))
    if old.key in held:
        return _keep_last_good(old, (), _WRITING)
    if unreachable := _explain_unreachable(path):
        error = ConfigError(f"cannot be read: {unreachable}", name="config.unreadable", place=path)
        return _keep_last_good(old, (to_problem(error, old.source.file, old.source.scope),))
    if not is_gone and old.source.scope != MANAGED:
        return None
    message = f"`{old.source.file}` is gone; its last good version is in force"
    hint = "put it back, or restart to do without it"
    return _with_warning(old, (), "config.gone", message, hint)


def _find_folder(old: LoadedSource, folders: Sequence[ReadSource]) -> ReadSource | None:
    """Return the folder around a file that cannot be listed; None if there is none."""
    around = (each for each in folders if old.key[0].startswith(f"{each.key[0]}{os.sep}"))
    return next(around, None)


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


# -- which version is better -------------------------------------------------------------------


def _list_errors(loaded: Loaded, unwanted: Unwanted) -> tuple[Problem, ...]:
    """Return the errors, without those of hooks that are left out."""
    left_out = tuple(
        f"{spec.origin.pointer}."
        for spec in loaded.specs
        if spec.origin.pointer and any(is_so(spec) for is_so in unwanted)
    )
    errors = (problem for problem in loaded.problems if problem.severity == "error")
    return tuple(each for each in errors if not f"{each.origin.pointer}.".startswith(left_out))


def _can_run(loaded: Loaded) -> bool:
    return any(not isinstance(spec.handler, Broken) for spec in drop_flags(loaded.specs))


def _is_beginning(text: str | None, before: str | None) -> bool:
    """Whether a text is only the beginning of the former: half written, or on a full disk."""
    return text is not None and before is not None and before.startswith(text.rstrip())


# -- the last good version ---------------------------------------------------------------------


def _keep_last_good(
    old: LoadedSource, wrong: tuple[Problem, ...], why: str = "", hint: str = ""
) -> LoadedSource:
    file = old.source.file
    message = f"`{file}` {why}; " if why else ""
    message += f"the last good version of `{file}` is in force"
    rest = "hookline reads it again once it stops changing"
    hint = hint or (rest if why else "mend it; hookline takes it as soon as it is valid")
    return _with_warning(old, wrong, "config.last-good", message, hint)


def _with_warning(
    old: LoadedSource, wrong: tuple[Problem, ...], name: str, message: str, hint: str
) -> LoadedSource:
    origin = Origin(file=old.source.file, scope=old.source.scope)
    warning = Problem(name=name, message=message, hint=hint, severity="warning", origin=origin)
    return old.replace(newer_problems=(*wrong, warning))
