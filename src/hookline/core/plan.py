"""Plan: selects the hooks for an event, their order, and which of them run in parallel."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.kinds import ACTIONS, kind
from hookline.model.spec import SCOPES, Builtin, HookSpec, InProcess
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.core.dialect import Dialect, EventRow, FoldRule, Table
    from hookline.core.registry import Entry, MatchBudget, Registry
    from hookline.model.event import Event

_REQUEST = "tool.permission.request"
_SCOPE_ORDER = {scope: order for order, scope in enumerate(SCOPES)}


class Group(Frozen):
    """The hooks of one dialect, in its own order.

    `parallel`: all run at the same time on the same event; otherwise each sees the rewrite of the
    hook before it. `turns`: hooks of the group also run one by one if a selected hook demands it
    (`should_run_parallel`). `detached`: hooks that start after all others, without waiting (if they
    start in turn, they are steps).
    """

    dialect: Dialect
    steps: tuple[Entry, ...]
    detached: tuple[Entry, ...]
    parallel: bool
    turns: bool = False


class Plan(Frozen):
    """The hooks of one registry that run for one event, as its host orders and folds them.

    `redoes`: a denial sends the agent back to work. `reexamine`: strict hooks whose input changed
    after their verdict run once more, for their stance only. `detaches`: some hook is detached.
    `solo`: the only hook, if it is a plain Python function. `leaves_process`: some hook is not a
    Python function, so it needs a folder to run in.
    """

    groups: tuple[Group, ...]
    rule: FoldRule
    powers: frozenset[str]
    ask_becomes: Stance = Stance.SILENT
    redoes: bool = False
    reexamine: bool = False
    detaches: bool = False
    solo: Entry | None = None
    leaves_process: bool = False
    has_builtins: bool = False


def plan(registry: Registry, event: Event, host: Dialect, *, headless: bool = False) -> Plan:
    """Select, order and group the hooks of an event.

    `headless`: no person is at the host's terminal.

    `dispatch` checks the conditions on the input, and selects among equal hooks, because a rewrite
    may change both.
    """
    known = find_cached_plan(registry, event)
    if known is None:
        known = _plan(registry, event, host, headless=headless)
        registry.remember(_key(event), known)
    return known


def find_cached_plan(registry: Registry, event: Event) -> Plan | None:
    """Return the cached plan for events like this one."""
    return registry.plans.get(_key(event))


def _key(event: Event) -> tuple[str, str, str, str]:
    return (event.kind, event.tool, event.dialect, event.native_name)


def _plan(registry: Registry, event: Event, host: Dialect, *, headless: bool) -> Plan:
    row = host.table.row(event.native_name) or host.table.row_of_kind(event.kind)
    groups = tuple(
        _group(entries)
        for entries in _group_by_row(registry.find_candidates(event, row, host.table))
    )
    kinds_of_handlers = {
        type(step.spec.handler) for group in groups for step in group.steps + group.detached
    }
    return Plan(
        groups=groups,
        rule=(row.fold if row else None) or host.table.fold,
        powers=_powers(row, event, host.table, headless=headless),
        ask_becomes=_lower_ask(host.table, event.kind),
        redoes=kind(event.kind).redo and not (row is not None and row.feedback),
        reexamine=any(step.spec.strict for group in groups for step in group.steps),
        detaches=any(group.detached for group in groups),
        solo=_find_solo(groups, event.kind),
        leaves_process=any(kind is not InProcess for kind in kinds_of_handlers),
        has_builtins=Builtin in kinds_of_handlers,
    )


def _powers(row: EventRow | None, event: Event, table: Table, *, headless: bool) -> frozenset[str]:
    """Return the row's powers, without `ask` if the host has no person to ask."""
    powers = row.powers_on(event.tool) if row else kind(event.kind).powers | {"note"}
    return powers - {"ask"} if headless and table.asks_at_terminal else powers


def _lower_ask(table: Table, kind: str) -> Stance:
    """Return what an ask becomes if the host cannot ask.

    A permission request is itself the host's question, so there an ask needs no replacement.
    """
    if table.ask_becomes is not None:
        return table.ask_becomes
    return Stance.DENY if kind in ACTIONS and kind != _REQUEST else Stance.SILENT


def _find_solo(groups: tuple[Group, ...], kind: str) -> Entry | None:
    steps = [step for group in groups for step in group.steps + group.detached]
    spec = steps[0].spec if len(steps) == 1 else None
    if (
        spec is None
        or spec.kind != kind
        or spec.detached
        or spec.shadow
        or spec.strict
        or steps[0].backtracking
        or type(spec.handler) is not InProcess
    ):
        return None
    return None if spec.handler.worker or spec.handler.read_by_dialect else steps[0]


def _group_by_row(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Group entries by dialect and row, because each dialect promises an order inside itself.

    Dialects follow each other by the strongest scope of their hooks, rows by their order in the
    table.
    """
    groups: dict[tuple[int, str], list[Entry]] = {}
    scope: dict[int, int] = {}
    for entry in entries:
        whose = id(entry.dialect)
        groups.setdefault((whose, entry.row.native if entry.row else ""), []).append(entry)
        scope[whose] = min(scope.get(whose, len(SCOPES)), _SCOPE_ORDER[entry.spec.origin.scope])
    seen = list(scope)
    return sorted(
        groups.values(),
        key=lambda group: (
            scope[id(group[0].dialect)],
            seen.index(id(group[0].dialect)),
            _row_order(group[0]),
        ),
    )


def _row_order(entry: Entry) -> int:
    return list(entry.dialect.table.rows).index(entry.row.native) if entry.row else 0


def _group(entries: list[Entry]) -> Group:
    first = entries[0]
    parallel = first.row.parallel if first.row else False
    in_turn = first.dialect.table.detached_in_turn and not parallel
    ordered = sorted(
        entries, key=lambda entry: (entry.spec.rank, _SCOPE_ORDER[entry.spec.origin.scope])
    )
    return Group(
        dialect=first.dialect,
        steps=tuple(entry for entry in ordered if in_turn or not entry.spec.detached),
        detached=tuple(entry for entry in ordered if entry.spec.detached and not in_turn),
        parallel=parallel,
        turns=parallel and any(should_run_in_turn(entry.spec) for entry in entries),
    )


def list_specs(plan: Plan) -> list[HookSpec]:
    """Return the hooks of a plan."""
    return [step.spec for group in plan.groups for step in group.steps + group.detached]


def should_run_parallel(group: Group, event: Event, budget: MatchBudget) -> bool:
    """Return whether the hooks of a group run in parallel for this event."""
    if not group.turns:
        return group.parallel
    return not any(
        should_run_in_turn(step.spec)
        and all(holds(event) for holds in step.content)
        and budget.is_selected(step, event)
        for step in group.steps
    )


def should_run_in_turn(spec: HookSpec) -> bool:
    """Return whether a hook makes those of its dialect run one by one.

    Unapproved and shadow hooks cannot.
    """
    return spec.in_turn and spec.trusted and not spec.shadow


def sort_hooks(entries: Iterable[Entry]) -> list[HookSpec]:
    """Return the hooks of one kind in the order in which they run.

    In each dialect's group, detached ones come last.
    """
    return [
        entry.spec
        for group in map(_group, _group_by_row(entries))
        for entry in group.steps + group.detached
    ]
