"""Reads the files of an engine again and swaps in all valid changes at once, between two events."""

from __future__ import annotations

import os
import stat
from collections import Counter

from hookline.engine.shelf import LoadedSources
from hookline.engine.source_renewal import Renewal
from hookline.engine.source_renewal import read_stamps as look_again
from hookline.engine.sources import Discovery, Named
from hookline.model.frozen import Frozen
from hookline.model.problem import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from hookline.config.read import Stamp
    from hookline.engine.library import Library
    from hookline.engine.shelf import LoadedSource
    from hookline.engine.sources import Key
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec


class Reloaded(Frozen):
    """The result of a reload: ids of added, removed and changed hooks, and why some files keep their last good version."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    refused: tuple[Problem, ...] = ()

    @property
    def anything(self) -> bool:
        """Whether a hook was added, removed or changed."""
        return bool(self.added or self.removed or self.changed)

    def __str__(self) -> str:
        counts = {"added": self.added, "removed": self.removed, "changed": self.changed}
        said = [f"{len(ids)} {what}" for what, ids in counts.items() if ids] or ["no hook changed"]
        return "; ".join([", ".join(said), *map(str, self.refused)]).replace("\n", " ")


def read_stamps(library: Library) -> dict[Key, Stamp]:
    """Return the stamps of all files that a reload would read now."""
    seen: dict[Key, Stamp] = {}
    for way in _list_renewable(library.shelf):
        seen |= look_again(library, way)
    return seen


def is_stale(library: Library) -> bool:
    """Whether a file changed, appeared or vanished since the last reading; it costs one `stat` per file."""
    return read_stamps(library) != library.shelf.seen


def reload(library: Library, held: Collection[Key] = ()) -> Reloaded:
    """Read all files of a library anew, and take what is valid, all of it at once.

    An event under way keeps the hooks that it started with. `held`: files that are being written, which wait for the next
    time. Never raises for what is in a file.
    """
    with library._reloading:
        renewed = {id(way): Renewal(library, way, held) for way in _list_renewable(library.shelf)}
        with library._changing:
            before = [entry.spec for entry in library.whole.entries()]
            _swap(library, renewed)
            now = [entry.spec for entry in library.whole.entries()]
            refused = tuple(
                problem for shelved in library.shelf.sources for problem in shelved.newer_problems
            )
    return _compare_hooks(before, now, refused)


def adopt(library: Library, other: Library) -> None:
    """Replace the sources of a library by those of another one, last good versions included."""
    with other._changing, library._changing:
        shelf = LoadedSources(before=other.shelf)
        shelf.ways, shelf.own = [*other.shelf.ways], [*other.shelf.own]
        shelf.enlisted, shelf.seen = {**other.shelf.enlisted}, {**other.shelf.seen}
        for shelved in other.shelf.sources:
            shelf.keep(shelved)
        shelf.forget()
        shelf.enlist_again(library.shelf.enlisted)
        library.dialects.copy_from(other.dialects)
        library.shelf, library._retired, library._spent = shelf, other._retired, [*other._spent]
        library._rebuild()


def copy_enlisted(library: Library, other: Library) -> None:
    """Copy the hooks that are in no file from another library."""
    with other._changing, library._changing:
        library.shelf.enlist_again(other.shelf.enlisted)
        library._rebuild()


def _list_renewable(shelf: LoadedSources) -> list[Discovery | Named]:
    """Return the ways that can be read again: no tree given by code, and no pipe."""
    return [
        way
        for way in shelf.ways
        if isinstance(way, Discovery) or (isinstance(way, Named) and not _is_pipe(way))
    ]


def _is_pipe(way: Named) -> bool:
    try:
        mode = os.stat(os.path.join(way.base, way.place.file)).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _swap(library: Library, renewed: dict[int, Renewal]) -> None:
    """Replace the sources by renewed ones. Ways that were added meanwhile stay as they are."""
    old, retired, spent = library.shelf, library._retired, library._spent
    new = LoadedSources(before=old)
    known = {id(shelved.loaded) for shelved in old.sources}
    for piece in _list_renewed(old, renewed):
        if id(piece.loaded) in known:
            new.keep(piece)
        else:
            new.sources.append(new.name_hooks(piece))
    new.seen = _merge_stamps(old, renewed)
    library.shelf = new
    library._retired, library._spent = _carry_retired(library, old, new)
    try:
        library._rebuild()
    except BaseException:
        library.shelf, library._retired, library._spent = old, retired, spent
        raise
    new.forget()


def _list_renewed(old: LoadedSources, renewed: dict[int, Renewal]) -> Iterator[LoadedSource]:
    """Yield the new sources in the order of the old ones."""
    yield from (shelved for shelved in old.sources if shelved.way is None)
    for way in old.ways:
        if id(way) not in renewed:
            yield from (shelved for shelved in old.sources if shelved.way is way)
        elif isinstance(way, Discovery):
            yield from (
                piece
                for piece in renewed[id(way)].pieces
                if (piece.dialect.table.name, piece.source.scope) not in old.dropped
            )
        else:
            yield from renewed[id(way)].pieces


def _merge_stamps(old: LoadedSources, renewed: dict[int, Renewal]) -> dict[Key, Stamp]:
    """Return the stamps of all ways, those added meanwhile included."""
    late = {shelved.key for shelved in old.sources if id(shelved.way) not in renewed}
    seen = {key: stamp for key, stamp in old.seen.items() if key in late}
    for renewal in renewed.values():
        seen |= renewal.seen
    return seen


def _carry_retired(
    library: Library, old: LoadedSources, new: LoadedSources
) -> tuple[frozenset[str], list[HookSpec]]:
    """Return the current ids of hooks that ran once and are retired, and the retired hooks that are gone.

    A changed hook may run again.
    """
    before = {spec.id: spec for shelved in old.sources for spec in shelved.loaded.specs}
    retired = {hook_id for hook_id in library._retired if hook_id not in before}
    spent = [
        *library._spent,
        *(_strip_place(before[hook_id]) for hook_id in library._retired if hook_id in before),
    ]
    now = [spec for shelved in new.sources for spec in shelved.loaded.specs if spec.once]
    for spec in sorted(now, key=lambda spec: spec.id not in library._retired):
        if (content := _strip_place(spec)) in spent:
            spent.remove(content)
            retired.add(spec.id)
    return frozenset(retired), spent


def _strip_place(spec: HookSpec) -> HookSpec:
    """Return a hook without its id and its position in the file."""
    return spec.replace(id="", origin=Origin(file=spec.origin.file, scope=spec.origin.scope))


def _compare_hooks(
    before: Sequence[HookSpec], now: Sequence[HookSpec], refused: tuple[Problem, ...]
) -> Reloaded:
    """Compare two lists of hooks regardless of positions; an id with different hooks in both is a change."""
    same = {id(spec) for spec in before} & {id(spec) for spec in now}
    old = [(repr(_strip_place(spec)), spec.id) for spec in before if id(spec) not in same]
    new = [(repr(_strip_place(spec)), spec.id) for spec in now if id(spec) not in same]
    came, gone = _subtract(new, old), _subtract(old, new)
    changed = set(came) & set(gone)
    return Reloaded(
        added=tuple(hook_id for hook_id in came if hook_id not in changed),
        removed=tuple(hook_id for hook_id in gone if hook_id not in changed),
        changed=tuple(hook_id for hook_id in came if hook_id in changed),
        refused=refused,
    )


def _subtract(some: Sequence[tuple[str, str]], others: Sequence[tuple[str, str]]) -> list[str]:
    """Return the ids of the entries whose content is not among the others."""
    left = Counter(content for content, _ in others)
    ids = []
    for content, hook_id in some:
        if left[content]:
            left[content] -= 1
        else:
            ids.append(hook_id)
    return ids
