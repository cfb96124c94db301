"""The loader: turns files, folders, trees and functions into snapshots, and swaps the one that an engine fires."""

from __future__ import annotations

from _thread import RLock  # `threading` would cost each start of `answer` 1 ms

from hookline.engine.catalog import OWN, Dialects
from hookline.engine.snapshot import Enlisted, Snapshot, name_hooks, strip_place
from hookline.engine.sources import Discovery, Search, read_sources
from hookline.model.problem import Origin
from hookline.model.spec import MANAGED, SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from hookline.config.read import Stamp
    from hookline.engine.reload import Reloaded
    from hookline.engine.source_renewal import Renewed
    from hookline.engine.sources import Key, LoadedSource, Way
    from hookline.model.spec import HookSpec


class Loader:
    """Loads hooks. `snapshot` is what is loaded now: one assignment replaces it, so events need no lock.

    Args:
        cwd: the project folder.
        environ: where home and configuration folders are found.
        placed: find line numbers of everything, not of faults only.
        gated: approvals count.
    """

    def __init__(
        self, *, cwd: str, environ: Mapping[str, str], placed: bool = True, gated: bool = False
    ) -> None:
        self.cwd = cwd
        self.environ = environ
        self.placed = placed
        self.gated = gated
        self.dialects = Dialects(environ)
        self.snapshot = Snapshot()
        self._changing = RLock()
        self._reloading = RLock()

    @property
    def search(self) -> Search:
        """The context of a search for files."""
        return Search(
            cwd=self.cwd,
            environ=self.environ,
            dropped=self.snapshot.dropped,
            make=self.dialects.make,
            placed=self.placed,
            gated=self.gated,
        )

    def load(self, way: Way) -> None:
        """Read and load the sources of a way, and keep the way for a reload."""
        found = [(each.load(), each.stamp) for each in read_sources(self.search, way)]
        with self._changing:
            old = self.snapshot
            taken = old.take_ids()
            self._swap(
                old.replace(
                    ways=(*old.ways, way),
                    sources=(*old.sources, *(_name(each, taken) for each, _ in found)),
                    seen={**old.seen, **{each.key: stamp for each, stamp in found if stamp}},
                )
            )

    def drop_dialect(self, name: str, *, managed: bool = False) -> None:
        """Leave out all sources of a dialect, also later ones; those of policy only with `managed`."""
        scopes = (scope for scope in SCOPES if managed or scope != MANAGED)
        with self._changing:
            dropped = self.snapshot.dropped | {(name, scope) for scope in scopes}
            self._swap(self.snapshot.replace(dropped=dropped))

    def keep_out(self, unwanted: Callable[[HookSpec], bool]) -> None:
        """Leave out every hook of which this is true, also later ones."""
        with self._changing:
            kept_out = (*self.snapshot.unwanted, unwanted)
            self._swap(self.snapshot.replace(unwanted=kept_out))

    def retire(self, hook_ids: frozenset[str]) -> None:
        """Leave out hooks that did what they were to do once, for good."""
        with self._changing:
            entries = self.snapshot.registry.entries()
            done = [strip_place(each.spec) for each in entries if each.spec.id in hook_ids]
            self._swap(self.snapshot.replace(retired=(*self.snapshot.retired, *done)))

    def add_own(self, spec: HookSpec) -> None:
        """Add a Python hook."""
        native = self.dialects.make_host(OWN)
        with self._changing:
            (named,) = name_hooks([spec], self.snapshot.take_ids())
            strict = named.replace(strict=self.snapshot.strict)
            self.snapshot = self.snapshot.with_own(strict, native)

    def enlist(
        self,
        owner: str,
        specs: Iterable[HookSpec],
        dialect: str,
        ended: Callable[[str], object] | None = None,
    ) -> tuple[HookSpec, ...]:
        """Put hooks that are in no file in place of those of `owner`; returned with their ids. `ended`: as of `Enlisted`.

        Raises:
            ConfigError: an unknown dialect.
        """
        made = self.dialects.make(dialect)
        origin = Origin(file=owner, scope="process")
        owned = (spec.replace(owner=owner, origin=origin) for spec in specs)
        with self._changing:
            others = {name: each for name, each in self.snapshot.enlisted.items() if name != owner}
            rest = self.snapshot.replace(enlisted=others)
            named = name_hooks(made.combine(tuple(owned)).specs, rest.take_ids())
            if named:
                others[owner] = Enlisted(dialect=made, specs=named, ended=ended)
            self._swap(rest.replace(enlisted=others))
        return named

    def adopt(self, other: Loader) -> None:
        """Take over what another loader has in force; what this one leaves out stays left out."""
        with other._changing, self._changing:
            own, theirs = self.snapshot, other.snapshot
            ran = (each for each in theirs.retired if each not in own.retired)
            self.dialects.copy_from(other.dialects)
            self._swap(
                theirs.replace(
                    dropped=own.dropped,
                    unwanted=own.unwanted,
                    retired=(*own.retired, *ran),
                )
            )

    def _swap(self, new: Snapshot) -> None:
        """Put a snapshot in force; it is assigned last, because events read it."""
        sources = tuple(
            each
            for each in new.sources
            if (each.dialect.table.name, each.source.scope) not in new.dropped
        )
        new = new.replace(sources=sources)
        self.dialects.add_defaults(new.dialects())
        # A search in strict mode is strict also where it finds no file any more.
        strict = any(isinstance(way, Discovery) and way.mode == "strict" for way in new.ways)
        self.snapshot = new.index(self.dialects.own(), strict=strict)

    # -- reading again -------------------------------------------------------------------------

    def read_stamps(self) -> dict[Key, Stamp]:
        """Return the stamps of all files that a reload would read now."""
        from hookline.engine.source_renewal import is_renewable, read_stamps  # noqa: PLC0415 - `answer` reads once

        ways = (way for way in self.snapshot.ways if is_renewable(way))
        return {key: stamp for way in ways for key, stamp in read_stamps(self.search, way).items()}

    def is_stale(self) -> bool:
        """Whether a file changed, appeared or vanished since it was last read; it costs one `stat` a file."""
        return self.read_stamps() != self.snapshot.seen

    def reload(self, held: Collection[Key] = ()) -> Reloaded:
        """Read all files anew, and put what is valid in force at once.

        An event under way keeps the snapshot that it started with. `held`: files that are being
        written, which wait for the next time. Never raises for what is in a file.
        """
        from hookline.engine.reload import compare_snapshots  # noqa: PLC0415 - as above
        from hookline.engine.source_renewal import is_renewable, renew  # noqa: PLC0415 - as above

        with self._reloading:
            old = self.snapshot
            renewed = {
                id(way): renew(self.search, way, _find_sources(old, way), held, old.unwanted)
                for way in old.ways
                if is_renewable(way)
            }
            with self._changing:
                before = self.snapshot  # what was added meanwhile stays
                self._swap(_merge(before, renewed))
                return compare_snapshots(before, self.snapshot)


def _name(source: LoadedSource, taken: set[str]) -> LoadedSource:
    """Return a source with ids that are not taken yet, and take them."""
    specs = name_hooks(source.loaded.specs, taken)
    return source.replace(loaded=source.loaded.replace(specs=specs))


def _find_sources(snapshot: Snapshot, way: Way) -> dict[Key, LoadedSource]:
    return {each.key: each for each in snapshot.sources if each.way is way}


def _merge(old: Snapshot, renewed: Mapping[int, Renewed]) -> Snapshot:
    """Return a snapshot with renewed sources in the order of the ways. A source that stays keeps the ids of its hooks."""
    sources = [
        source
        for way in old.ways
        for source in (renewed[id(way)].sources if id(way) in renewed else old.sources)
        if source.way is way
    ]
    known = {id(each.loaded) for each in old.sources}
    kept = [each for each in sources if id(each.loaded) in known]
    taken = old.replace(sources=tuple(kept)).take_ids()
    late = {each.key for each in old.sources if id(each.way) not in renewed}
    seen = {key: stamp for key, stamp in old.seen.items() if key in late}
    for each in renewed.values():
        seen |= each.seen
    return old.replace(
        sources=tuple(each if id(each.loaded) in known else _name(each, taken) for each in sources),
        seen=seen,
    )
