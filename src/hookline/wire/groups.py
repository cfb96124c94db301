"""Groups: the tree `{event: [{matcher, hooks: [...]}]}` of the hosts of Claude's family, or its flat sister, walked event by event."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeVar

    from hookline.core.dialect import Row
    from hookline.wire.fields import Node

    AnyRow = TypeVar("AnyRow", bound=Row)

_KEYS = ("matcher", "hooks")


class Group(Frozen):
    """One matcher group.

    `node` is the group, or what stands in its place; `hooks` are its handlers as they are written, each still to be checked.
    `broken` says, in the words of the problems filed, why this is no group: it then has no hooks and is itself a failed one.
    `mark`: where in the problems those about it begin.
    """

    node: Node
    mark: int
    hooks: tuple[Node, ...] = ()
    broken: str = ""


def below_hooks(root: Node, events: Iterable[str]) -> Node | None:
    """What stands under `hooks`, None where nothing does; events that stand beside it are complained about."""
    known = frozenset(events)
    for misplaced in [key for key in root.value if key in known]:
        root.complain(
            "key.misplaced",
            f"`{misplaced}` stands beside `hooks`",
            misplaced,
            hint="put it below `hooks`",
        )
    return None if root.value.get("hooks") is None else root.child("hooks")


def groups(
    events: Node,
    rows: Mapping[str, AnyRow],
    *,
    keys: Iterable[str] = _KEYS,
    beside: Iterable[str] = (),
    severity: str = "error",
) -> Iterator[tuple[AnyRow, Group]]:
    """The groups of all events below `events` (a mapping), in declared order; what is wrong with them is filed as problems.

    `keys`: what a group may hold. `beside`: keys next to the events that are no events, and the caller's own affair.
    `severity`: how bad an unknown key of a group is.
    """
    for row, node, broken in entries(
        events, rows, of="matcher groups", like="[{matcher, hooks: [...]}]", beside=beside
    ):
        yield (
            row,
            Group(node=node, mark=node.mark(), broken=broken)
            if broken
            else _group(node, row, keys, severity),
        )


def entries(
    events: Node,
    rows: Mapping[str, AnyRow],
    *,
    of: str,
    like: str,
    known: Iterable[str] = (),
    beside: Iterable[str] = (),
) -> Iterator[tuple[AnyRow, Node, str]]:
    """What is listed under each event below `events`, in declared order, and why it is no list: then the event stands for it.

    `of` and `like`: what the list is of, in words and as an example. `known`: the events to name, where not all spellings
    that `rows` has. `beside`: as in `groups`.
    """
    apart = frozenset(beside)
    for event in events.children():
        native = str(event.path[-1])
        if native in apart:
            continue
        row = rows.get(native)
        if row is None:
            hint = did_you_mean(native, rows) or f"known events: {', '.join(known or rows)}"
            event.complain("event.unknown", f"unknown event `{native}`", hint=hint)
        elif isinstance(event.value, list):
            yield from ((row, entry, "") for entry in event.children())
        elif event.value is not None:
            before = event.mark()
            event.complain("group.shape", f"`{native}` must be a list of {of}", hint=like)
            yield row, event, event.errors_since(before)


def _group(node: Node, row: Row, keys: Iterable[str], severity: str) -> Group:
    mark = node.mark()
    value = node.value
    if not isinstance(value, dict) or ("hooks" not in value and "type" in value):
        node.complain(
            "group.shape",
            f"an entry of `{row.native}` must be a matcher group",
            hint='wrap it: {"hooks": [...]}',
        )
    elif not isinstance(value.get("hooks"), list):
        node.complain("group.shape", f"a group of `{row.native}` needs `hooks`, a list of handlers")
    else:
        node.only(keys, f"a group of `{row.native}`", severity=severity)
        if not value["hooks"]:
            node.complain(
                "group.empty", f"this group of `{row.native}` has no hooks", severity="warning"
            )
        return Group(node=node, mark=mark, hooks=tuple(node.child("hooks").children()))
    return Group(node=node, mark=mark, broken=node.errors_since(mark))


def hook_id(file: str, native: str, node: Node, *, depth: int = 2) -> str:
    """`<file>#<event>.<group>.<hook>`: where a hook stands below its event in `hooks`, counted from 0.

    `depth`: how many keys lead to the event, its own included.
    """
    steps = [str(step) for step in node.path[depth:] if step != "hooks"]
    return f"{(file or 'config').rpartition('/')[2]}#{'.'.join([native, *steps])}"
