"""Groups: the tree `{event: [{matcher, hooks: [...]}]}` of the hosts of Claude's family, walked group by group."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.text.suggest import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.core.dialect import Row, Table
    from hookline.wire.fields import Node

_KEYS = ("matcher", "hooks")


class Group(Frozen):
    """One matcher group, and the event that it belongs to.

    `node` is the group, or what stands in its place; `hooks` are its handlers as they are written, each still to be checked.
    `broken` says, in the words of the problems filed, why this is no group: it then has no hooks and is itself a failed one.
    """

    row: Row
    node: Node
    hooks: tuple[Node, ...] = ()
    broken: str = ""


def groups(
    events: Node, table: Table, *, keys: Iterable[str] = _KEYS, beside: Iterable[str] = (), severity: str = "error"
) -> Iterator[Group]:
    """The groups of all events below `events` (a mapping), in declared order; what is wrong with them is filed as problems.

    `keys`: what a group may hold. `beside`: keys next to the events that are no events, and the caller's own affair.
    `severity`: how bad an unknown key of a group is.
    """
    apart = frozenset(beside)
    for event in events.children():
        native = str(event.path[-1])
        if native in apart:
            continue
        row = table.row(native)
        if row is None:
            hint = did_you_mean(native, table.rows) or f"known events: {', '.join(table.rows)}"
            event.complain("event.unknown", f"unknown event `{native}`", hint=hint)
        elif isinstance(event.value, list):
            yield from (_group(node, row, keys, severity) for node in event.children())
        elif event.value is not None:
            before = event.mark()
            event.complain("group.shape", f"`{native}` must be a list of matcher groups", hint="[{matcher, hooks: [...]}]")
            yield Group(row=row, node=event, broken=event.errors_since(before))


def _group(node: Node, row: Row, keys: Iterable[str], severity: str) -> Group:
    before = node.mark()
    value = node.value
    if not isinstance(value, dict) or ("hooks" not in value and "type" in value):
        node.complain("group.shape", f"an entry of `{row.native}` must be a matcher group", hint='wrap it: {"hooks": [...]}')
    elif not isinstance(value.get("hooks"), list):
        node.complain("group.shape", f"a group of `{row.native}` needs `hooks`, a list of handlers")
    else:
        node.only(keys, f"a group of `{row.native}`", severity=severity)
        if not value["hooks"]:
            node.complain("group.empty", f"this group of `{row.native}` has no hooks", severity="warning")
        return Group(row=row, node=node, hooks=tuple(node.child("hooks").children()))
    return Group(row=row, node=node, broken=node.errors_since(before))


def hook_id(file: str, native: str, node: Node, events: Node) -> str:
    """`<file>#<event>.<group>.<hook>`: where a hook stands below `events`, counted from 0."""
    steps = [str(step) for step in node.path[len(events.path) + 1 :] if step != "hooks"]
    return f"{(file or 'config').rpartition('/')[2]}#{'.'.join([native, *steps])}"
