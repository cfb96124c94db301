"""Lists all hooks that were declared to an engine, also overridden ones."""

from __future__ import annotations

from hookline.engine.sources import Discovery
from hookline.model.handler import Broken
from hookline.model.spec import CLONED, USER
from hookline.wire.disable_flags import drop_flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.core.registry import Registry
    from hookline.engine.library import Library
    from hookline.model.spec import HookSpec


class DeclaredHooks:
    """The hooks that the files of a library declare now; a gate finds removed guards by them."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._seen: tuple[Registry, tuple[HookSpec, ...]] | None = None

    def list_hooks(self) -> tuple[HookSpec, ...]:
        """Return the hooks of project and user files, also overridden ones."""
        registry, seen = self._library.registry, self._seen
        if seen is None or seen[0] is not registry:
            scopes = {*CLONED, USER}
            hooks = (spec for spec in list_hooks(self._library) if spec.origin.scope in scopes)
            seen = self._seen = (registry, tuple(hooks))
        return seen[1]

    def is_searched(self, dialect: str, scope: str) -> bool:
        """Whether all files of a dialect in a scope were looked for."""
        shelf = self._library.shelf
        return (dialect, scope) not in shelf.dropped and any(
            isinstance(way, Discovery) and way.dialect in ("", dialect) for way in shelf.ways
        )


def list_hooks(engine: Library) -> Iterator[HookSpec]:
    """Yield every hook that was declared to an engine, source by source; also overridden ones.

    The switches of a file are left out, although they are stored as hooks.
    """
    known = {entry.spec.id: entry.spec for entry in engine.registry.entries()}
    for shelved in engine.shelf.sources:
        yield from (known.get(spec.id, spec) for spec in drop_flags(shelved.loaded.specs))
    for enlisted in engine.shelf.enlisted.values():
        yield from enlisted.specs
    yield from engine.shelf.own


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


def explain_absence(engine: Library, spec: HookSpec) -> str:
    """Return why a declared hook is not in the registry; empty if it is."""
    if any(entry.spec.id == spec.id for entry in engine.registry.of_kind(spec.kind)):
        return ""
    said = (
        each.message
        for each in engine.problems
        if spec.id in each.hooks or (each.hook and each.hook in (spec.id, spec.name))
    )
    return next(
        said, "it ran once already" if spec.once else f"the rules of {spec.dialect} leave it out"
    )
