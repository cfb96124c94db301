"""Plan: which hooks an event asks, in which order, and which of them at once."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.handler import InProcess
from hookline.model.kinds import ACTIONS, kind
from hookline.model.spec import SCOPES
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.core.dialect import Dialect, EventRow, FoldRule, Table
    from hookline.core.match_budget import MatchBudget
    from hookline.core.registry import Entry, Registry
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

_REQUEST = "tool.permission.request"
_SCOPE_ORDER = {scope: order for order, scope in enumerate(SCOPES)}


class Group(Frozen):
    """The hooks of one dialect, in its own order.

    `parallel`: all at once, each seeing the same event; otherwise one after the other, each seeing the former's rewrite.
    `turns`: so it is, too, where a hook takes part that wants it (`together`).
    `detached`: hooks that are started and not waited for, after all others (where they start in turn they are steps).
    """

    dialect: Dialect
    steps: tuple[Entry, ...]
    detached: tuple[Entry, ...]
    parallel: bool
    turns: bool = False


class Plan(Frozen):
    """What one event does to one registry, as its host orders and folds it.

    `redoes`: a denial sends the agent back to work. `reexamine`: strict hooks whose input changed after they
    spoke are asked once more, for their stance only. `detaches`: some hook is not waited for. `solo`: the only hook, where it is a plain
    Python callable. `leaves_process`: some hook is more than a Python callable, so that it needs a folder to run in.
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


def plan(registry: Registry, event: Event, host: Dialect, *, headless: bool = False) -> Plan:
    """Select, order and group the hooks of an event. `headless`: no person sits at the host's terminal.

    The conditions on the input, and which of equal hooks is asked, are left to `dispatch`: a rewrite may change them.
    """
    known = planned(registry, event)
    if known is None:
        known = _plan(registry, event, host, headless=headless)
        registry.remember(_key(event), known)
    return known


def planned(registry: Registry, event: Event) -> Plan | None:
    """The plan that the registry remembers for events like this one."""
    return registry.plans.get(_key(event))


def _key(event: Event) -> tuple[str, str, str, str]:
    return (event.kind, event.tool, event.dialect, event.native_name)


def _plan(registry: Registry, event: Event, host: Dialect, *, headless: bool) -> Plan:
    row = host.table.row(event.native_name) or host.table.row_of_kind(event.kind)
    groups = tuple(
        _group(entries) for entries in _by_row(registry.candidates(event, row, host.table))
    )
    return Plan(
        groups=groups,
        rule=(row.fold if row else None) or host.table.fold,
        powers=_powers(row, event, host.table, headless=headless),
        ask_becomes=_unasked(host.table, event.kind),
        redoes=kind(event.kind).redo and not (row is not None and row.feedback),
        reexamine=any(step.spec.strict for group in groups for step in group.steps),
        detaches=any(group.detached for group in groups),
        solo=_solo(groups, event.kind),
        leaves_process=any(
            type(step.spec.handler) is not InProcess
            for group in groups
            for step in group.steps + group.detached
        ),
    )


def _powers(row: EventRow | None, event: Event, table: Table, *, headless: bool) -> frozenset[str]:
    """What a decision may carry: what the row says, without `ask` where the host has nobody to ask."""
    powers = row.powers_on(event.tool) if row else kind(event.kind).powers | {"note"}
    return powers - {"ask"} if headless and table.asks_at_terminal else powers


def _unasked(table: Table, kind: str) -> Stance:
    """What an ask becomes where the host cannot ask.

    A permission request is itself the host's question, so there an ask needs no answer of ours.
    """
    if table.ask_becomes is not None:
        return table.ask_becomes
    return Stance.DENY if kind in ACTIONS and kind != _REQUEST else Stance.SILENT


def _solo(groups: tuple[Group, ...], kind: str) -> Entry | None:
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


def _by_row(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Entries of one dialect and row together, because each dialect promises an order inside itself.

    Dialects follow each other by the strongest scope that they have a hook in, rows by their order in the table.
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
        turns=parallel and any(wants_turns(entry.spec) for entry in entries),
    )


def together(group: Group, event: Event, budget: MatchBudget) -> bool:
    """Whether the hooks of a group are asked at once about this event."""
    if not group.turns:
        return group.parallel
    return not any(
        wants_turns(step.spec)
        and all(holds(event) for holds in step.content)
        and budget.selects(step, event)
        for step in group.steps
    )


def wants_turns(spec: HookSpec) -> bool:
    """Whether a hook puts those of its dialect in turn; one that does not count has no say about others."""
    return spec.in_turn and spec.trusted and not spec.shadow


def order(entries: Iterable[Entry]) -> list[HookSpec]:
    """Hooks of one kind in the order in which they run, detached ones last in each dialect's group."""
    return [
        entry.spec
        for group in map(_group, _by_row(entries))
        for entry in group.steps + group.detached
    ]
