"""A snapshot: what an engine has loaded at one moment, and the registry made of it; it never changes."""

from __future__ import annotations

from hookline.core.registry import Registry
from hookline.engine.projects import needs_folder, needs_project
from hookline.model.frozen import Frozen
from hookline.model.handler import Builtin, Model
from hookline.model.problem import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hookline.config.read import Stamp
    from hookline.core.dialect import Dialect, Field
    from hookline.engine.sources import Key, LoadedSource, Way
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec


class Enlisted(Frozen):
    """The hooks of an owner that are in no file, all of one dialect. `ended` gets the id of each session that ends."""

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
        retired: hooks that ran once and do not run again, without ids and places.
        seen: the stamps of all files when they were last read, in force or not.
        registry: the hooks that may take part in an event.
        whole: the registry with the hooks that are left out.
        combining: what is wrong with the hooks of a dialect together.
        strict: whether a source is strict.
        once: the ids of hooks that run once.
        tells_time: whether some payload has a timestamp.
        tells_project: whether some hook reads the project of its event.
        tells_folder: whether some hook runs in the engine's folder.
        asks_models: whether some hook asks a language model.
        numbers_calls: whether some hook may read the number of a model call.
    """

    ways: tuple[Way, ...] = ()
    sources: tuple[LoadedSource, ...] = ()
    own: tuple[HookSpec, ...] = ()
    enlisted: Mapping[str, Enlisted] = {}
    dropped: frozenset[tuple[str, str]] = frozenset()
    unwanted: tuple[Callable[[HookSpec], bool], ...] = ()
    retired: tuple[HookSpec, ...] = ()
    seen: Mapping[Key, Stamp] = {}
    registry: Registry = Registry()
    whole: Registry = Registry()
    combining: tuple[Problem, ...] = ()
    strict: bool = False
    once: frozenset[str] = frozenset()
    tells_time: bool = False
    tells_project: bool = False
    tells_folder: bool = False
    asks_models: bool = False
    numbers_calls: bool = False

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
            once=self.once | {spec.id} if spec.once else self.once,
        )

    def index(self, native: Dialect | None, *, strict: bool) -> Snapshot:
        """Return the snapshot with its registry made anew.

        Python hooks, and those that are enlisted, are strict where any source is; `strict`: a
        search is.
        """
        strict = strict or any(each.source.mode == "strict" for each in self.sources)
        whole, problems = _combine(self, native, strict=strict)
        entries = whole.entries()
        left_out = _find_retired(self.retired, (entry.spec for entry in entries)) | {
            entry.spec.id for entry in entries if any(is_so(entry.spec) for is_so in self.unwanted)
        }
        registry = whole.without(left_out) if left_out else whole
        specs = [entry.spec for entry in registry.entries()]
        return self.replace(
            registry=registry,
            whole=whole,
            combining=problems,
            strict=strict,
            once=frozenset(spec.id for spec in specs if spec.once),
            tells_time=_tells_time(self.dialects()),
            tells_project=needs_project(entries),
            tells_folder=needs_folder(entries),
            asks_models=any(type(spec.handler) is Model for spec in specs),
            numbers_calls=any(
                spec.kind == "model.request" and type(spec.handler) is Builtin for spec in specs
            ),
        )


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


def strip_place(spec: HookSpec) -> HookSpec:
    """Return a hook as what it does, without its id and its position in the file."""
    origin = Origin(file=spec.origin.file, scope=spec.origin.scope)
    return spec.replace(id="", origin=origin, strict=False)


def _find_retired(retired: tuple[HookSpec, ...], specs: Iterable[HookSpec]) -> frozenset[str]:
    """Return the ids of hooks that ran once already; a changed hook is another one."""
    left, found = list(retired), []
    for spec in specs:
        if left and spec.once and (content := strip_place(spec)) in left:
            left.remove(content)
            found.append(spec.id)
    return frozenset(found)


def _combine(
    snapshot: Snapshot, native: Dialect | None, *, strict: bool
) -> tuple[Registry, tuple[Problem, ...]]:
    """Return the registry of all hooks, combined by each dialect's rules, and the problems of that."""
    registry = Registry()
    problems: list[Problem] = []
    for dialect in snapshot.dialects():
        found = (each.loaded.specs for each in snapshot.sources if each.dialect is dialect)
        combined = dialect.combine(tuple(spec for specs in found for spec in specs))
        problems += combined.problems
        registry = registry.with_(combined.specs, dialect)
    for enlisted in snapshot.enlisted.values():
        specs = [spec.replace(strict=strict) for spec in enlisted.specs]
        registry = registry.with_(specs, enlisted.dialect)
    if snapshot.own and native is not None:
        own = [spec.replace(strict=strict) for spec in snapshot.own]
        registry = registry.with_(own, native)
    return registry, tuple(problems)


def _tells_time(dialects: Iterable[Dialect]) -> bool:
    """Whether a payload of one of these dialects has a timestamp."""
    return any(field.fact == "timestamp" for field in _list_fields(dialects))


def _list_fields(dialects: Iterable[Dialect]) -> Iterator[Field]:
    for dialect in dialects:
        yield from dialect.table.base
        for row in dialect.table.rows.values():
            yield from row.fields
