"""Registry: an immutable index of hooks, from an event's kind and tool to the hooks that may take part."""

from __future__ import annotations

from hookline.core.match import FACETS, asked, facets_of
from hookline.model.conditions import Never, OneOf, Pattern
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.core.dialect import Dialect, EventRow, Table
    from hookline.core.match import Predicate
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

# Tool names are chosen by others (MCP servers), so what is remembered of them has a bound.
_REMEMBERED = 512


class Entry(Frozen):
    """A hook, the dialect that its handler is spoken to in, and its row there; its conditions by who can answer them.

    `tools`: the only tools that it is for, where they are listed by name. `on_tool`: what else must hold of the tool's
    name, ready to be asked. `content`: what is left to `dispatch`, ready to be asked. `backtracking`: of that, what may
    raise `MatchTimeoutError`.
    """

    spec: HookSpec
    dialect: Dialect
    row: EventRow | None
    tools: frozenset[str] | None
    on_tool: tuple[Predicate, ...]
    content: tuple[Predicate, ...]
    backtracking: tuple[Predicate, ...] = ()


class Registry:
    """Hooks by kind. `with_` and `without` return a new registry; a running dispatch keeps the one it started with."""

    __slots__ = ("_by_kind", "_narrower", "plans")

    def __init__(self, by_kind: Mapping[str, tuple[Entry, ...]] | None = None) -> None:
        self._by_kind = dict(by_kind or {})
        # Whether there are hooks on events that are some calls of tools only; few dialects have such events.
        self._narrower = any(kind.startswith(FACETS) for kind in self._by_kind)
        # What `plan` made of this registry, by kind, tool, dialect and native name; it dies with the registry.
        self.plans: dict[tuple[str, str, str, str], Any] = {}

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(self._by_kind)

    def entries(self) -> tuple[Entry, ...]:
        """Every hook, by kind and in registration order."""
        return tuple(entry for entries in self._by_kind.values() for entry in entries)

    def of_kind(self, kind: str) -> tuple[Entry, ...]:
        """Every hook of a kind, in registration order."""
        return self._by_kind.get(kind, ())

    def with_(self, specs: Iterable[HookSpec], dialect: Dialect) -> Registry:
        """A registry that also has these hooks, all of one dialect, after the present ones."""
        grown = {kind: list(entries) for kind, entries in self._by_kind.items()}
        for spec in specs:
            grown.setdefault(spec.kind, []).append(_entry(spec, dialect))
        return Registry({kind: tuple(entries) for kind, entries in grown.items()})

    def without(self, hook_ids: frozenset[str]) -> Registry:
        """A registry that lacks the hooks with these ids."""
        kept = {
            kind: tuple(e for e in entries if e.spec.id not in hook_ids)
            for kind, entries in self._by_kind.items()
        }
        return Registry({kind: entries for kind, entries in kept.items() if entries})

    def candidates(self, event: Event, row: EventRow | None, host: Table) -> tuple[Entry, ...]:
        """The hooks that the event, of this row of its host, selects and whose conditions on the tool's name hold.

        Among them are those on the narrower events that the call also is, where the host does not raise these itself.
        """
        tool = event.tool
        found = self._by_kind.get(event.kind, ())
        if tool and self._narrower:
            unraised = [narrower for narrower in facets_of(event) if not host.raises(narrower)]
            found += tuple(
                entry for narrower in unraised for entry in self._by_kind.get(narrower, ())
            )
        named = [entry for entry in found if entry.tools is None or tool in entry.tools]
        return tuple(
            e for e in named if selects(event, row, e) and all(holds(event) for holds in e.on_tool)
        )

    def remember(self, key: tuple[str, str, str, str], plan: object) -> None:
        """Keep a plan for the next event of its kind, tool, dialect and native name."""
        if len(self.plans) >= _REMEMBERED:
            self.plans.clear()
        self.plans[key] = plan


def selects(event: Event, row: EventRow | None, entry: Entry) -> bool:
    """Whether an event, of this row of its host, selects a hook of its kind.

    Inside one dialect it is the native event that counts, because several natives may share a canonical kind and the
    host raises each of them; across dialects, and where no native event is named, it is the kind, once a moment.
    """
    if event.dialect != entry.spec.dialect or not event.native_name:
        return row is None or not row.secondary
    return (
        entry.row.native if entry.row else entry.spec.native_event
    ) in entry.dialect.table.selects(event.native_name)


def _entry(spec: HookSpec, dialect: Dialect) -> Entry:
    tools: frozenset[str] | None = None
    on_tool: list[Predicate] = []
    content: list[Predicate] = []
    backtracking: list[Predicate] = []
    for condition in spec.conditions:
        match condition:
            case OneOf(field="tool", names=names) if not (
                spec.alike or spec.kind.startswith(FACETS)
            ):
                tools = names if tools is None else tools & names
            case Pattern(regex=regex) if regex.may_time_out:
                backtracking.append(asked(condition, spec))
            case OneOf(field="tool") | Pattern(field="tool") | Never():
                on_tool.append(asked(condition, spec))
            case _:
                content.append(asked(condition, spec))
    row = dialect.table.row(spec.native_event)
    return Entry(
        spec=spec,
        dialect=dialect,
        row=row,
        tools=tools,
        on_tool=tuple(on_tool),
        content=tuple(content),
        backtracking=tuple(backtracking),
    )
