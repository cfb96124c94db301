"""Groups: the tree `{event: [{matcher, hooks: [...]}]}` of Claude Code's family, also flat."""

from __future__ import annotations

from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hookline.core.dialect import EventRow
    from hookline.wire.fields import Node


def read_entries(
    events: Node,
    rows: Mapping[str, EventRow],
    *,
    of: str,
    like: str,
    known: Iterable[str] = (),
    beside: Iterable[str] = (),
) -> Iterator[tuple[EventRow, Node, str]]:
    """Yield the entries of each event below `events`, in order, each with why it is broken.

    Where the value is not a list, the event's node stands for it, with the reason.

    `of`: the noun for an entry, for messages.
    `like`: an example of the list, for messages.
    `known`: the events to name in a hint, where `rows` has several spellings of them.
    `beside`: keys next to the events that the caller reads itself.
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


def hook_id(file: str, native: str, node: Node, *, depth: int = 2) -> str:
    """Return `<file>#<event>.<group>.<hook>`, where the last two count from 0.

    `depth`: how many keys lead to the event, its own included.
    """
    steps = [str(step) for step in node.path[depth:] if step != "hooks"]
    return f"{(file or 'config').rpartition('/')[2]}#{'.'.join([native, *steps])}"
