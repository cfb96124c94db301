"""The loader: turns files, trees and functions into snapshots, and swaps the one in force."""

from __future__ import annotations

from _thread import RLock  # `threading` would cost each start of `answer` 1 ms
from time import thread_time

from hookline.config.places import find_places, project_path
from hookline.core.registry import Registry
from hookline.engine.catalog import OWN, Dialects
from hookline.engine.sources import (
    Discovery,
    LoadedSource,
    Search,
    has_approvals,
    may_hold_hooks,
    read_sources,
)
from hookline.model.frozen import Frozen
from hookline.model.spec import CLONED, MANAGED, SCOPES, USER, HookSpec, Origin, Problem
from hookline.wire.disable_flags import drop_flags
from hookline.wire.hook_ids import number_equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hookline.core.dialect import Dialect
    from hookline.engine.sources import Way

_EMPTY = Registry(clock=thread_time)


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
        unwanted: predicates; a hook for which one is true is left out.
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
    unwanted: tuple[Callable[[HookSpec], bool], ...] = ()
    registry: Registry = _EMPTY
    whole: Registry = _EMPTY
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
        """Return the ids of all hooks, for `number_equal`."""
        loaded = {spec.id for each in self.sources for spec in each.loaded.specs}
        listed = {spec.id for each in self.enlisted.values() for spec in each.specs}
        return loaded | listed | {spec.id for spec in self.own}

    def is_unwanted(self, spec: HookSpec) -> bool:
        """Whether a hook is left out."""
        return any(is_so(spec) for is_so in self.unwanted)

    def with_own(self, spec: HookSpec, native: Dialect) -> Snapshot:
        """Return the snapshot with one more Python hook; nothing else is combined again."""
        return self.replace(
            own=(*self.own, spec),
            registry=self.registry.with_([spec], native),
            whole=self.whole.with_([spec], native),
            once=self.once or spec.once,
        )

    def index(self, native: Dialect | None, *, strict: bool) -> Snapshot:
        """Return the snapshot with a new registry, made by each dialect's own rules.

        Python hooks, and those that are enlisted, are strict where any source is; `strict`: a
        search is.
        """
        strict = strict or any(each.source.mode == "strict" for each in self.sources)
        whole = _EMPTY
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
        left_out = frozenset(spec.id for spec in specs if self.is_unwanted(spec))
        return self.replace(
            registry=whole.without(left_out) if left_out else whole,
            whole=whole,
            combining=tuple(problems),
            strict=strict,
            once=any(spec.once for spec in specs),
            tells_time=any(
                field.fact == "timestamp"
                for dialect in self.dialects()
                for field in dialect.table.fields()
            ),
        )


def name_source(source: LoadedSource, taken: set[str]) -> LoadedSource:
    """Return a source with ids that are not taken yet, and take them."""
    specs = number_equal(source.loaded.specs, taken)
    return source.replace(loaded=source.loaded.replace(specs=specs))


# -- declared hooks, also those that do not count ----------------------------------------------


def list_hooks(snapshot: Snapshot) -> Iterator[HookSpec]:
    """Yield every hook that was declared to an engine, source by source; also overridden ones.

    The switches of a file are left out, although they are stored as hooks. So are the entries in
    your own files by which a host calls hookline; those of a project need an approval.
    """
    known = {entry.spec.id: entry.spec for entry in snapshot.registry.entries()}
    for each in snapshot.sources:
        for spec in drop_flags(each.loaded.specs):
            if spec.id in known:
                yield known[spec.id]
            elif spec.origin.scope in CLONED or not snapshot.is_unwanted(spec):
                yield spec
    for enlisted in snapshot.enlisted.values():
        yield from enlisted.specs
    yield from snapshot.own


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


class Loader:
    """Loads hooks.

    `snapshot` is what is loaded now: one assignment replaces it, so events need no lock.

    Args:
        cwd: the project folder.
        environ: where home and configuration folders are found.
        placed: find line numbers of everything, not of faults only.
        gated: approvals count.
    """

    def __init__(
        self, *, cwd: str, environ: Mapping[str, str], placed: bool = True, gated: bool = False
    ) -> None:
        self.dialects = Dialects(environ)
        self.search = Search(
            cwd=cwd, environ=environ, make=self.dialects.make, placed=placed, gated=gated
        )
        self.snapshot = Snapshot()
        self.lock = RLock()
        self._declared: tuple[Snapshot | None, tuple[HookSpec, ...]] = (None, ())

    def load(self, way: Way) -> None:
        """Read and load the sources of a way, and keep the way for a reload."""
        found = [each.load() for each in read_sources(self.search, way)]
        with self.lock:
            old = self.snapshot
            taken = old.take_ids()
            self.swap(
                old.replace(
                    ways=(*old.ways, way),
                    sources=(*old.sources, *(name_source(each, taken) for each in found)),
                )
            )

    def drop_dialect(self, name: str, *, managed: bool = False) -> None:
        """Leave out all sources of a dialect, also later ones.

        Those of policy are left out only with `managed`.
        """
        scopes = (scope for scope in SCOPES if managed or scope != MANAGED)
        with self.lock:
            dropped = self.search.dropped | {(name, scope) for scope in scopes}
            self.search = self.search.replace(dropped=dropped)
            self.swap(self.snapshot)

    def keep_out(self, unwanted: Callable[[HookSpec], bool]) -> None:
        """Leave out every hook of which this is true, also later ones."""
        with self.lock:
            kept_out = (*self.snapshot.unwanted, unwanted)
            self.swap(self.snapshot.replace(unwanted=kept_out))

    def add_own(self, spec: HookSpec) -> None:
        """Add a Python hook."""
        native = self.dialects.make_host(OWN)
        with self.lock:
            (named,) = number_equal([spec], self.snapshot.take_ids())
            strict = named.replace(strict=self.snapshot.strict)
            self.snapshot = self.snapshot.with_own(strict, native)

    def enlist(
        self,
        owner: str,
        specs: Iterable[HookSpec],
        dialect: str,
        ended: Callable[[str], object] | None = None,
    ) -> tuple[HookSpec, ...]:
        """Put hooks that are in no file in place of those of `owner`; returned with their ids.

        `ended`: as of `Enlisted`.

        Raises:
            ConfigError: an unknown dialect.
        """
        made = self.dialects.make(dialect)
        origin = Origin(file=owner, scope="process")
        owned = (spec.replace(owner=owner, origin=origin) for spec in specs)
        with self.lock:
            others = {name: each for name, each in self.snapshot.enlisted.items() if name != owner}
            rest = self.snapshot.replace(enlisted=others)
            named = number_equal(made.combine(tuple(owned)).specs, rest.take_ids())
            if named:
                others[owner] = Enlisted(dialect=made, specs=named, ended=ended)
            self.swap(rest.replace(enlisted=others))
        return named

    def adopt(self, other: Loader) -> None:
        """Take over what another loader has in force; what this one leaves out stays left out."""
        with other.lock, self.lock:
            self.dialects.copy_from(other.dialects)
            self.swap(other.snapshot.replace(unwanted=self.snapshot.unwanted))

    def swap(self, new: Snapshot) -> None:
        """Put a snapshot in force; it is assigned last, because events read it."""
        sources = tuple(
            each
            for each in new.sources
            if each.is_linked
            or not self.search.is_dropped(
                each.dialect.table.name, each.source.scope, each.source.file
            )
        )
        new = new.replace(sources=sources)
        self.dialects.add_defaults(new.dialects())
        # A search in strict mode is strict also where it finds no file any more.
        strict = any(isinstance(way, Discovery) and way.mode == "strict" for way in new.ways)
        self.snapshot = new.index(self.dialects.own(), strict=strict)

    # -- what a gate asks for ------------------------------------------------------------------

    def list_hooks(self) -> tuple[HookSpec, ...]:
        """Return the hooks of project and user files, also overridden ones.

        It is the same object for one snapshot.
        """
        snapshot, listed = self._declared
        if snapshot is not self.snapshot:
            snapshot, scopes = self.snapshot, {*CLONED, USER}
            listed = tuple(spec for spec in list_hooks(snapshot) if spec.origin.scope in scopes)
            self._declared = (snapshot, listed)
        return listed

    @property
    def leaves_unread(self) -> bool:
        """Whether hook files of a project without approvals are not parsed."""
        ways = self.snapshot.ways
        return any(isinstance(way, Discovery) and not way.parses_new for way in ways)

    def list_unread(self) -> list[str]:
        """Return the places in the project with hook files that are not parsed, each once."""
        search = self.search
        found = [
            each
            for way in self.snapshot.ways
            if isinstance(way, Discovery) and not way.parses_new
            for each in find_places(search.cwd, search.environ, way.dialect)
            if each.scope in CLONED and (each.dialect, each.scope) not in search.dropped
        ]
        if not found or has_approvals(search.cwd, search.environ):
            return []
        holding = (each for each in found if may_hold_hooks(each.path, search.cwd))
        return list(dict.fromkeys(project_path(each.dialect, each.path) for each in holding))

    def is_searched(self, dialect: str, scope: str) -> bool:
        """Whether all files of a dialect in a scope were looked for."""
        return (dialect, scope) not in self.search.dropped and any(
            isinstance(way, Discovery) and way.dialect in ("", dialect)
            for way in self.snapshot.ways
        )
