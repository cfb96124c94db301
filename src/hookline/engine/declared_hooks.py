"""Lists all hooks that were declared to an engine, also overridden ones."""

from __future__ import annotations

from hookline.engine.sources import Discovery
from hookline.model.handler import Broken
from hookline.model.spec import CLONED, USER
from hookline.wire.disable_flags import drop_flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.engine.loader import Loader
    from hookline.engine.snapshot import Snapshot
    from hookline.model.spec import HookSpec


class DeclaredHooks:
    """The hooks that the files of a loader declare now; a gate finds removed guards by them."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._listed: tuple[Snapshot | None, tuple[HookSpec, ...]] = (None, ())

    def list_hooks(self) -> tuple[HookSpec, ...]:
        """Return the hooks of project and user files, also overridden ones."""
        snapshot = self._loader.snapshot
        if self._listed[0] is not snapshot:
            scopes = {*CLONED, USER}
            hooks = (spec for spec in list_hooks(snapshot) if spec.origin.scope in scopes)
            self._listed = (snapshot, tuple(hooks))
        return self._listed[1]

    def is_searched(self, dialect: str, scope: str) -> bool:
        """Whether all files of a dialect in a scope were looked for."""
        snapshot = self._loader.snapshot
        return (dialect, scope) not in snapshot.dropped and any(
            isinstance(way, Discovery) and way.dialect in ("", dialect) for way in snapshot.ways
        )


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
            found.setdefault((spec.origin.file, spec.origin.line, spec.handler.reason), []).append(
                spec
            )
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
    rule = f"the rules of {spec.dialect} leave it out"
    return next(reasons, "it ran once already" if spec.once else rule)
