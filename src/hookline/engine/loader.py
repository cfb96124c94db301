"""The loader: turns files, trees and functions into snapshots, and swaps the one in force."""

from __future__ import annotations

from _thread import RLock  # `threading` would cost each start of `answer` 1 ms

from hookline.engine.catalog import OWN, Dialects
from hookline.engine.snapshot import Enlisted, Snapshot, list_hooks, name_hooks, name_source
from hookline.engine.sources import Discovery, Search, read_sources
from hookline.model.problem import Origin
from hookline.model.spec import CLONED, MANAGED, SCOPES, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hookline.engine.sources import Way
    from hookline.model.spec import HookSpec


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
        self.cwd = cwd
        self.environ = environ
        self.placed = placed
        self.gated = gated
        self.dialects = Dialects(environ)
        self.snapshot = Snapshot()
        self.lock = RLock()
        self._declared: tuple[Snapshot | None, tuple[HookSpec, ...]] = (None, ())

    @property
    def search(self) -> Search:
        """The context of a search for files."""
        return Search(
            cwd=self.cwd,
            environ=self.environ,
            make=self.dialects.make,
            dropped=self.snapshot.dropped,
            placed=self.placed,
            gated=self.gated,
        )

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
                    seen={**old.seen, **{each.key: each.stamp for each in found if each.stamp}},
                )
            )

    def drop_dialect(self, name: str, *, managed: bool = False) -> None:
        """Leave out all sources of a dialect, also later ones.

        Those of policy are left out only with `managed`.
        """
        scopes = (scope for scope in SCOPES if managed or scope != MANAGED)
        with self.lock:
            dropped = self.snapshot.dropped | {(name, scope) for scope in scopes}
            self.swap(self.snapshot.replace(dropped=dropped))

    def keep_out(self, unwanted: Callable[[HookSpec], bool]) -> None:
        """Leave out every hook of which this is true, also later ones."""
        with self.lock:
            kept_out = (*self.snapshot.unwanted, unwanted)
            self.swap(self.snapshot.replace(unwanted=kept_out))

    def add_own(self, spec: HookSpec) -> None:
        """Add a Python hook."""
        native = self.dialects.make_host(OWN)
        with self.lock:
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
            named = name_hooks(made.combine(tuple(owned)).specs, rest.take_ids())
            if named:
                others[owner] = Enlisted(dialect=made, specs=named, ended=ended)
            self.swap(rest.replace(enlisted=others))
        return named

    def adopt(self, other: Loader) -> None:
        """Take over what another loader has in force; what this one leaves out stays left out."""
        with other.lock, self.lock:
            own = self.snapshot
            self.dialects.copy_from(other.dialects)
            self.swap(other.snapshot.replace(dropped=own.dropped, unwanted=own.unwanted))

    def swap(self, new: Snapshot) -> None:
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

    def is_searched(self, dialect: str, scope: str) -> bool:
        """Whether all files of a dialect in a scope were looked for."""
        snapshot = self.snapshot
        return (dialect, scope) not in snapshot.dropped and any(
            isinstance(way, Discovery) and way.dialect in ("", dialect) for way in snapshot.ways
        )
