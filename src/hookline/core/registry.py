"""Registry: an immutable index of hooks, from an event's kind and tool to the hooks that may take part."""

from __future__ import annotations

from hookline.core.match import holds
from hookline.model.conditions import Never, OneOf, Pattern
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hookline.core.dialect import Dialect
    from hookline.core.plan import Plan
    from hookline.model.conditions import Condition
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

# Tool names are chosen by others (MCP servers), so what is remembered of them has a bound.
_REMEMBERED = 512


class Entry(Frozen):
    """A hook, the dialect that its handler is spoken to in, and the conditions that the index cannot answer."""

    spec: HookSpec
    dialect: Dialect
    content: tuple[Condition, ...]


class Registry:
    """Hooks by kind. `with_` and `without` return a new registry; a running dispatch keeps the one it started with."""

    __slots__ = ("_by_kind", "plans")

    def __init__(self, by_kind: Mapping[str, tuple[Entry, ...]] | None = None) -> None:
        self._by_kind = dict(by_kind or {})
        self.plans: dict[tuple[str, str, str, str], Plan] = {}

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(self._by_kind)

    def __iter__(self) -> Iterable[Entry]:  # type: ignore[override]  # read-only view, in registration order by kind
        return (entry for entries in self._by_kind.values() for entry in entries)

    def of_kind(self, kind: str) -> tuple[Entry, ...]:
        """Every hook of a kind, in registration order."""
        return self._by_kind.get(kind, ())

    def with_(self, specs: Iterable[HookSpec], dialect: Dialect) -> Registry:
        """A registry that also has these hooks, all of one dialect, after the present ones."""
        grown = {kind: list(entries) for kind, entries in self._by_kind.items()}
        for spec in specs:
            entry = Entry(spec=spec, dialect=dialect, content=tuple(c for c in spec.conditions if not _on_tool(c)))
            grown.setdefault(spec.kind, []).append(entry)
        return Registry({kind: tuple(entries) for kind, entries in grown.items()})

    def without(self, hook_ids: frozenset[str]) -> Registry:
        """A registry that lacks the hooks with these ids."""
        kept = {kind: tuple(e for e in entries if e.spec.id not in hook_ids) for kind, entries in self._by_kind.items()}
        return Registry({kind: entries for kind, entries in kept.items() if entries})

    def candidates(self, event: Event) -> tuple[Entry, ...]:
        """The hooks of the event's kind whose conditions on the tool's name hold."""
        entries = self._by_kind.get(event.kind, ())
        return tuple(e for e in entries if all(holds(c, event) for c in e.spec.conditions if _on_tool(c)))

    def remember(self, key: tuple[str, str, str, str], plan: Plan) -> None:
        """Keep a plan for the next event of its kind, tool, dialect and native name."""
        if len(self.plans) >= _REMEMBERED:
            self.plans.clear()
        self.plans[key] = plan


def _on_tool(condition: Condition) -> bool:
    match condition:
        case OneOf(field="tool") | Pattern(field="tool") | Never():
            return True
    return False
