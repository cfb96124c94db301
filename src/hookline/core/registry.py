"""The hooks of an engine by event and tool, and which of them an event selects."""

from __future__ import annotations

from hookline.core.match import FACETS, find_facets, make_hook_predicate
from hookline.model.frozen import Frozen
from hookline.model.spec import HookSpec, Never, OneOf, Pattern
from hookline.model.verdict import Failure, Outcome
from hookline.text.re2_regex import MatchTimeoutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hookline.core.dialect import Dialect, EventRow, Table
    from hookline.core.match import Predicate
    from hookline.model.event import Event


# MCP servers choose tool names, so the cache of plans has a limit.
_REMEMBERED = 512


class Entry(Frozen):
    """A hook, the dialect of its handler, its row there, and its conditions by who can check them.

    `tools`: the only tools that it is for, if they are listed by name. `on_tool`: further
    predicates on the tool's name. `content`: the predicates that `dispatch` checks. `backtracking`:
    those of them that may raise `MatchTimeoutError`.
    """

    spec: HookSpec
    dialect: Dialect
    row: EventRow | None
    tools: frozenset[str] | None
    on_tool: tuple[Predicate, ...]
    content: tuple[Predicate, ...]
    backtracking: tuple[Predicate, ...] = ()


class Registry:
    """Hooks by kind. `with_` and `without` return a new registry.

    A running dispatch keeps the one it started with. `clock`: seconds, for conditions that read
    command lines.
    """

    __slots__ = ("_by_kind", "_clock", "_narrower", "plans")

    def __init__(
        self,
        by_kind: Mapping[str, tuple[Entry, ...]] | None = None,
        *,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._by_kind = dict(by_kind or {})
        self._clock = clock
        # Whether there are hooks on kinds that cover only some tool calls; few dialects have such
        # kinds.
        self._narrower = any(kind.startswith(FACETS) for kind in self._by_kind)
        # The plans made for this registry, by kind, tool, dialect and native name.
        self.plans: dict[tuple[str, str, str, str], Any] = {}

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(self._by_kind)

    def entries(self) -> tuple[Entry, ...]:
        """Return every hook, by kind and in registration order."""
        return tuple(entry for entries in self._by_kind.values() for entry in entries)

    def of_kind(self, kind: str) -> tuple[Entry, ...]:
        """Return every hook of a kind, in registration order."""
        return self._by_kind.get(kind, ())

    def with_(self, specs: Iterable[HookSpec], dialect: Dialect) -> Registry:
        """Return a registry that also has these hooks, all of one dialect, after its own."""
        grown = {kind: list(entries) for kind, entries in self._by_kind.items()}
        for spec in specs:
            grown.setdefault(spec.kind, []).append(_entry(spec, dialect, self._clock))
        by_kind = {kind: tuple(entries) for kind, entries in grown.items()}
        return Registry(by_kind, clock=self._clock)

    def without(self, hook_ids: frozenset[str]) -> Registry:
        """Return a registry without the hooks with these ids."""
        kept = {
            kind: tuple(e for e in entries if e.spec.id not in hook_ids)
            for kind, entries in self._by_kind.items()
        }
        by_kind = {kind: entries for kind, entries in kept.items() if entries}
        return Registry(by_kind, clock=self._clock)

    def find_candidates(self, event: Event, row: EventRow | None, host: Table) -> tuple[Entry, ...]:
        """Return the hooks that the event selects by its row and by the tool's name.

        They include hooks on the narrower kinds of the call, unless the host raises these itself.
        """
        tool = event.tool
        found = self._by_kind.get(event.kind, ())
        if tool and self._narrower:
            unraised = [narrower for narrower in find_facets(event) if not host.raises(narrower)]
            found += tuple(
                entry for narrower in unraised for entry in self._by_kind.get(narrower, ())
            )
        named = [entry for entry in found if entry.tools is None or tool in entry.tools]
        return tuple(
            e
            for e in named
            if is_selected(event, row, e) and all(holds(event) for holds in e.on_tool)
        )

    def remember(self, key: tuple[str, str, str, str], plan: object) -> None:
        """Cache a plan for the next event of its kind, tool, dialect and native name."""
        if len(self.plans) >= _REMEMBERED:
            self.plans.clear()
        self.plans[key] = plan


def is_selected(event: Event, row: EventRow | None, entry: Entry) -> bool:
    """Return whether an event, with this row of its host, selects a hook of its kind.

    Inside one dialect the native event counts, because several natives may share a canonical kind
    and the host raises each of them. Across dialects, and where no native event is named, the kind
    counts, once per moment.
    """
    if event.dialect != entry.spec.dialect or not event.native_name:
        return row is None or not row.secondary
    return (
        entry.row.native if entry.row else entry.spec.native_event
    ) in entry.dialect.table.selects(event.native_name)


def _entry(spec: HookSpec, dialect: Dialect, clock: Callable[[], float] | None) -> Entry:
    tools: frozenset[str] | None = None
    on_tool: list[Predicate] = []
    content: list[Predicate] = []
    backtracking: list[Predicate] = []
    for condition in spec.conditions:
        match condition:
            case OneOf(field="tool", names=names) if not (
                spec.match_tools != "native" or spec.kind.startswith(FACETS)
            ):
                tools = names if tools is None else tools & names
            case Pattern(regex=regex) if regex.may_time_out:
                backtracking.append(make_hook_predicate(condition, spec, clock))
            case OneOf(field="tool") | Pattern(field="tool") | Never():
                on_tool.append(make_hook_predicate(condition, spec, clock))
            case _:
                content.append(make_hook_predicate(condition, spec, clock))
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


EVENT_LIMIT = 0.2  # seconds for all backtracking matchers of one event
_HINT = "write it without look-around or nested repetitions"


class MatchBudget:
    """Counts the seconds that the backtracking matchers of one event take, and keeps the failures.

    A matcher that takes too long selects its hook, which then counts as failed. So a text that is
    hard to match cannot make a guard disappear.
    """

    __slots__ = ("_clock", "_failures", "_spent")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._spent = 0.0
        self._failures: dict[int, Outcome] = {}  # by the identity of an entry

    def is_selected(self, entry: Entry, event: Event) -> bool:
        """Return whether the backtracking matchers of a hook select the event.

        True, and a failure, if that takes too long.
        """
        self._failures.pop(id(entry), None)
        for holds in entry.backtracking:
            if self._spent >= EVENT_LIMIT:
                self._fail(
                    entry, f"the matchers of this event took {EVENT_LIMIT * 1000:g} ms; {_HINT}"
                )
                return True
            began = self._clock()
            try:
                if not holds(event):
                    return False
            except MatchTimeoutError as error:
                self._fail(entry, f"`{error.source}`; {_HINT}")
                return True
            finally:
                self._spent += self._clock() - began
        return True

    def failure(self, entry: Entry) -> Outcome | None:
        """Return the failure of a hook whose matcher took too long at the last attempt."""
        return self._failures.get(id(entry))

    def _fail(self, entry: Entry, detail: str) -> None:
        self._failures[id(entry)] = Outcome(failure=Failure.UNDECIDED, detail=detail)
