"""Keeps every source that one engine loaded, gives their hooks unique ids, and builds the registry."""

from __future__ import annotations

from hookline.core.registry import Registry
from hookline.model.frozen import Frozen
from hookline.model.problem import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from hookline.config.read import Stamp
    from hookline.core.dialect import Dialect, Loaded, Source
    from hookline.engine.sources import Key, ReadSource, Way
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec

    _Name: TypeAlias = tuple[
        str, str, int
    ]  # a file, an id as declared, and how often it was declared there


class LoadedSource(Frozen):
    """One loaded source: its dialect and its hooks.

    `way`: by which it came. `stamp`: of the version that is in force. `key`: as of `ReadSource`. `newer_problems`: those of a newer version that is not in force.
    """

    source: Source
    dialect: Dialect
    loaded: Loaded
    way: Way | None = None
    stamp: Stamp = ()
    key: Key = ("", "")
    newer_problems: tuple[Problem, ...] = ()


class Enlisted(Frozen):
    """The hooks of an owner that are in no file, all of one dialect. `ended` gets the id of each session that ends."""

    dialect: Dialect
    specs: tuple[HookSpec, ...]
    ended: Callable[[str], object] | None = None


def _make_origin(owner: str) -> Origin:
    """Return the origin of hooks that an owner enlisted: the owner's name."""
    return Origin(file=owner, scope="process")


class LoadedSources:
    """Everything that one engine loaded, in the order in which it was added.

    `ways`: how that came here, to be gone again. `dropped`: dialects and scopes that are not discovered any more. `seen`: the stamps of all
    files when they were last read, in force or not.
    """

    def __init__(self, before: LoadedSources | None = None) -> None:
        self.sources: list[LoadedSource] = []
        self.own: list[HookSpec] = []
        self.enlisted: dict[str, Enlisted] = {}
        self.ways: list[Way] = []
        self.dropped: frozenset[tuple[str, str]] = frozenset()
        self.seen: dict[Key, Stamp] = {}
        self._ids: set[str] = set()
        if before is not None:
            vars(self).update(vars(before) | {"sources": [], "seen": {}, "_ids": set(before._ids)})
        self._names: dict[_Name, str] = {}
        self._before: dict[_Name, str] = before._names if before else {}
        self._times: dict[tuple[str, str], int] = {}

    def add(self, source: Source, dialect: Dialect, loaded: Loaded) -> None:
        """Keep a loaded source, as `load` does."""
        self.sources.append(
            self.name_hooks(LoadedSource(source=source, dialect=dialect, loaded=loaded))
        )

    def load(self, found: ReadSource, way: Way) -> None:
        """Load a source that was read, and keep what it holds."""
        loaded = found.load()
        shelved = LoadedSource(
            source=found.source,
            dialect=found.dialect,
            loaded=loaded,
            way=way,
            stamp=found.stamp,
            key=found.key,
        )
        self.sources.append(self.name_hooks(shelved))
        if found.stamp:
            self.seen[found.key] = found.stamp

    def name_hooks(self, shelved: LoadedSource) -> LoadedSource:
        """Return a source with unique ids: a duplicate gets a number, the same one as before a reload."""
        specs = []
        for spec in shelved.loaded.specs:
            declared = (shelved.source.file, spec.id)
            times = self._times[declared] = self._times.get(declared, 0) + 1
            name = (*declared, times)
            unique = self._names[name] = self._before.get(name) or self._unique(spec.id)
            specs.append(spec if unique == spec.id else spec.replace(id=unique))
        return shelved.replace(loaded=shelved.loaded.replace(specs=tuple(specs)))

    def keep(self, shelved: LoadedSource) -> None:
        """Take over a source from before a reload, with the ids of its hooks."""
        ids = {spec.id for spec in shelved.loaded.specs}
        for (file, wanted, times), given in self._before.items():
            if given in ids:
                self._names[file, wanted, times] = given
                self._times[file, wanted] = max(times, self._times.get((file, wanted), 0))
        self.sources.append(shelved)

    def forget(self) -> None:
        """Free the ids that hooks no longer use."""
        self._ids -= set(self._before.values()) - set(self._names.values())
        self._before = {}

    def add_own(self, spec: HookSpec) -> HookSpec:
        """Keep an in-process hook, under an id of its own."""
        named = spec.replace(id=self._unique(spec.id))
        self.own.append(named)
        return named

    def enlist(
        self,
        owner: str,
        specs: Iterable[HookSpec],
        dialect: Dialect,
        ended: Callable[[str], object] | None = None,
    ) -> tuple[HookSpec, ...]:
        """Keep the hooks of an owner in place of its former ones, whose ids are free again."""
        former = self.enlisted.pop(owner, None)
        self._ids -= {spec.id for spec in former.specs} if former else set()
        combined = dialect.combine(tuple(specs)).specs
        named = tuple(
            spec.replace(id=self._unique(spec.id), owner=owner, origin=_make_origin(owner))
            for spec in combined
        )
        if named:
            self.enlisted[owner] = Enlisted(dialect=dialect, specs=named, ended=ended)
        return named

    def enlist_again(self, held: Mapping[str, Enlisted]) -> None:
        """Keep these owners' hooks, and no others."""
        self._ids -= {spec.id for enlisted in self.enlisted.values() for spec in enlisted.specs}
        self.enlisted = {}
        for owner, enlisted in held.items():
            self.enlist(owner, enlisted.specs, enlisted.dialect, enlisted.ended)

    def _unique(self, wanted: str) -> str:
        unique, count = wanted, 1
        while unique in self._ids:
            count += 1
            unique = f"{wanted}~{count}"
        self._ids.add(unique)
        return unique

    def tells_time(self) -> bool:
        """Whether a payload of one of these dialects has a timestamp."""
        fields = (
            field
            for dialect in self.dialects()
            for row in dialect.table.rows.values()
            for field in (*dialect.table.base, *row.fields)
        )
        return any(field.fact == "timestamp" for field in fields)

    def dialects(self) -> Iterator[Dialect]:
        """Yield each dialect that has a source here, once."""
        seen: set[int] = set()
        for shelved in self.sources:
            if id(shelved.dialect) not in seen:
                seen.add(id(shelved.dialect))
                yield shelved.dialect

    def registry(
        self, native: Dialect | None, *, strict: bool = False
    ) -> tuple[Registry, list[Problem]]:
        """Return the registry of all hooks, combined by each dialect's rules, and the problems of combining.

        Python hooks, and those that were enlisted, have no source with a mode; they are strict where any source is.
        """
        registry = Registry()
        problems: list[Problem] = []
        for dialect in self.dialects():
            specs = tuple(
                spec
                for shelved in self.sources
                if shelved.dialect is dialect
                for spec in shelved.loaded.specs
            )
            combined = dialect.combine(specs)
            problems += combined.problems
            registry = registry.with_(combined.specs, dialect)
        for enlisted in self.enlisted.values():
            registry = registry.with_(
                [spec.replace(strict=strict) for spec in enlisted.specs], enlisted.dialect
            )
        if self.own and native is not None:
            registry = registry.with_([spec.replace(strict=strict) for spec in self.own], native)
        return registry, problems
