"""Sources on one engine: what was loaded from where, the registry that follows from all of it, and what is no longer in that."""

from __future__ import annotations

from hookline.core.registry import Registry
from hookline.model.frozen import Frozen
from hookline.wire.switches import hooks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Dialect, Loaded, Source
    from hookline.engine.library import Library
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec


class Shelved(Frozen):
    """One source that was loaded: how, in which dialect, and what it held."""

    source: Source
    dialect: Dialect
    loaded: Loaded


class Shelf:
    """Everything that one engine loaded, in the order in which it was added."""

    def __init__(self) -> None:
        self.sources: list[Shelved] = []
        self.own: list[HookSpec] = []
        self._ids: set[str] = set()

    def add(self, source: Source, dialect: Dialect, loaded: Loaded) -> None:
        """Keep what a source held; ids that another source has taken get a number, so that an id names one hook."""
        renamed = tuple(spec.replace(id=unique) if (unique := self._unique(spec.id)) != spec.id else spec for spec in loaded.specs)
        self.sources.append(Shelved(source=source, dialect=dialect, loaded=loaded.replace(specs=renamed)))

    def add_own(self, spec: HookSpec) -> HookSpec:
        """Keep an in-process hook, under an id of its own."""
        named = spec.replace(id=self._unique(spec.id))
        self.own.append(named)
        return named

    def _unique(self, wanted: str) -> str:
        unique, count = wanted, 1
        while unique in self._ids:
            count += 1
            unique = f"{wanted}~{count}"
        self._ids.add(unique)
        return unique

    def dialects(self) -> Iterator[Dialect]:
        """Each dialect that has a source here, once."""
        seen: set[int] = set()
        for shelved in self.sources:
            if id(shelved.dialect) not in seen:
                seen.add(id(shelved.dialect))
                yield shelved.dialect

    def registry(self, native: Dialect | None, *, strict: bool = False) -> tuple[Registry, list[Problem]]:
        """The registry of all hooks, each dialect's sources combined by its own rules, and what combining found.

        Python hooks have no source with a mode; they are strict where any source is.
        """
        registry = Registry()
        problems: list[Problem] = []
        for dialect in self.dialects():
            specs = tuple(spec for shelved in self.sources if shelved.dialect is dialect for spec in shelved.loaded.specs)
            combined = dialect.combine(specs)
            problems += combined.problems
            registry = registry.with_(combined.specs, dialect)
        if self.own and native is not None:
            registry = registry.with_([spec.replace(strict=strict) for spec in self.own], native)
        return registry, problems


def all_hooks(engine: Library) -> Iterator[HookSpec]:
    """Every hook that was ever declared to an engine, source by source; also those that gave way to others.

    A file's switches are none, although they travel as hooks.
    """
    known = {entry.spec.id: entry.spec for entry in engine.registry.entries()}
    for shelved in engine.shelf.sources:
        yield from (known.get(spec.id, spec) for spec in hooks_of(shelved.loaded.specs))
    yield from engine.shelf.own


def given_way(engine: Library, spec: HookSpec) -> str:
    """Why a declared hook is no longer there at all, in words; empty if it is."""
    if any(entry.spec.id == spec.id for entry in engine.registry.of_kind(spec.kind)):
        return ""
    said = (problem.message for problem in engine.problems if problem.hook and problem.hook in (spec.id, spec.name))
    return next(said, "it ran once already" if spec.once else f"the rules of {spec.dialect} leave it out")
