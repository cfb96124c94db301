"""A snapshot: what an engine has loaded at one moment, and the registry made of it.

It never changes.
"""

from __future__ import annotations

from hookline.core.registry import Registry
from hookline.model.frozen import Frozen
from hookline.model.handler import Broken
from hookline.wire.disable_flags import drop_flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hookline.config.read import Stamp
    from hookline.core.dialect import Dialect
    from hookline.engine.sources import Key, LoadedSource, Way
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec


class Enlisted(Frozen):
    """The hooks of an owner that are in no file, all of one dialect.

    `ended` gets the id of each session that ends.
    """

    dialect: Dialect
    specs: tuple[HookSpec, ...]
    ended: Callable[[str], object] | None = None


class Snapshot(Frozen):
    """Everything that an engine has loaded, in the order in which it was added.

    Args:
        ways: how the sources were found; a reload goes them again.
        own: Python hooks.
        enlisted: hooks that are in no file, by their owner.
        dropped: dialects with scopes that are not searched any more.
        unwanted: predicates; a hook for which one is true is left out.
        seen: the stamps of all files when they were last read, in force or not.
        registry: the hooks that may take part in an event.
        whole: the registry with the hooks that are left out.
        combining: what is wrong with the hooks of a dialect together.
        strict: whether a source is strict.
        once: whether some hook runs once.
        tells_time: whether some payload has a timestamp.
    """

    ways: tuple[Way, ...] = ()
    sources: tuple[LoadedSource, ...] = ()
    own: tuple[HookSpec, ...] = ()
    enlisted: Mapping[str, Enlisted] = {}
    dropped: frozenset[tuple[str, str]] = frozenset()
    unwanted: tuple[Callable[[HookSpec], bool], ...] = ()
    seen: Mapping[Key, Stamp] = {}
    registry: Registry = Registry()
    whole: Registry = Registry()
    combining: tuple[Problem, ...] = ()
    strict: bool = False
    once: bool = False
    tells_time: bool = False

    def dialects(self) -> tuple[Dialect, ...]:
        """Return each dialect that has a source here, once, in the order of the sources."""
        return tuple({id(each.dialect): each.dialect for each in self.sources}.values())

    def problems(self) -> tuple[Problem, ...]:
        """Return everything that is wrong with the sources, in their order."""
        found = ((*each.loaded.problems, *each.newer_problems) for each in self.sources)
        return (*(problem for problems in found for problem in problems), *self.combining)

    def take_ids(self) -> set[str]:
        """Return the ids of all hooks, for `name_hooks`."""
        loaded = {spec.id for each in self.sources for spec in each.loaded.specs}
        listed = {spec.id for each in self.enlisted.values() for spec in each.specs}
        return loaded | listed | {spec.id for spec in self.own}

    def with_own(self, spec: HookSpec, native: Dialect) -> Snapshot:
        """Return the snapshot with one more Python hook; nothing else is combined again."""
        return self.replace(
            own=(*self.own, spec),
            registry=self.registry.with_([spec], native),
            whole=self.whole.with_([spec], native),
            once=self.once or spec.once,
        )

    def index(self, native: Dialect | None, *, strict: bool) -> Snapshot:
        """Return the snapshot with its registry made anew, by each dialect's own rules.

        Python hooks, and those that are enlisted, are strict where any source is; `strict`: a
        search is.
        """
        strict = strict or any(each.source.mode == "strict" for each in self.sources)
        whole = Registry()
        problems: list[Problem] = []
        for dialect in self.dialects():
            found = [each.loaded.specs for each in self.sources if each.dialect is dialect]
            combined = dialect.combine(tuple(spec for specs in found for spec in specs))
            problems += combined.problems
            whole = whole.with_(combined.specs, dialect)
        for enlisted in self.enlisted.values():
            specs = [spec.replace(strict=strict) for spec in enlisted.specs]
            whole = whole.with_(specs, enlisted.dialect)
        if self.own and native is not None:
            whole = whole.with_([spec.replace(strict=strict) for spec in self.own], native)
        specs = [entry.spec for entry in whole.entries()]
        left_out = frozenset(
            spec.id for spec in specs if any(is_so(spec) for is_so in self.unwanted)
        )
        return self.replace(
            registry=whole.without(left_out) if left_out else whole,
            whole=whole,
            combining=tuple(problems),
            strict=strict,
            once=any(spec.once for spec in specs),
            tells_time=any(map(_tells_time, self.dialects())),
        )


def _tells_time(dialect: Dialect) -> bool:
    """Whether a payload of a dialect has a timestamp."""
    table = dialect.table
    fields = [table.base, *(row.fields for row in table.rows.values())]
    return any(field.fact == "timestamp" for some in fields for field in some)


def name_hooks(specs: Iterable[HookSpec], taken: set[str]) -> tuple[HookSpec, ...]:
    """Return hooks with ids that are not taken yet, and take them: a second `a` is `a~2`."""
    named = []
    for spec in specs:
        unique, count = spec.id, 1
        while unique in taken:
            count += 1
            unique = f"{spec.id}~{count}"
        taken.add(unique)
        named.append(spec if unique == spec.id else spec.replace(id=unique))
    return tuple(named)


def name_source(source: LoadedSource, taken: set[str]) -> LoadedSource:
    """Return a source with ids that are not taken yet, and take them."""
    specs = name_hooks(source.loaded.specs, taken)
    return source.replace(loaded=source.loaded.replace(specs=specs))


# -- declared hooks, also those that do not count ----------------------------------------------


def list_hooks(snapshot: Snapshot) -> Iterator[HookSpec]:
    """Yield every hook that was declared to an engine, source by source; also overridden ones.

    The switches of a file are left out, although they are stored as hooks.
    """
    known = {entry.spec.id: entry.spec for entry in snapshot.registry.entries()}
    for each in snapshot.sources:
        yield from (known.get(spec.id, spec) for spec in drop_flags(each.loaded.specs))
    for enlisted in snapshot.enlisted.values():
        yield from enlisted.specs
    yield from snapshot.own


def group_broken(specs: Iterable[HookSpec]) -> dict[str, list[HookSpec]]:
    """Group broken hooks by place and reason: an unreadable file counts as a hook of many events.

    The keys are the ids of the first hooks.
    """
    found: dict[tuple[str, int, str], list[HookSpec]] = {}
    for spec in specs:
        if isinstance(spec.handler, Broken):
            place = (spec.origin.file, spec.origin.line, spec.handler.reason)
            found.setdefault(place, []).append(spec)
    return {together[0].id: together for together in found.values()}


def explain_absence(snapshot: Snapshot, spec: HookSpec) -> str:
    """Return why a declared hook is not in the registry; empty if it is."""
    if any(entry.spec.id == spec.id for entry in snapshot.registry.of_kind(spec.kind)):
        return ""
    reasons = (
        each.message
        for each in snapshot.problems()
        if spec.id in each.hooks or (each.hook and each.hook in (spec.id, spec.name))
    )
    return next(reasons, f"the rules of {spec.dialect} leave it out")
