"""Likeness: an event about a tool in the words of another host, for hooks that asked for it, and their rewrites back again.

A hook asks for it by `match_tools: canonical`; one on a narrower event (`beforeShellExecution`) that its own host would have
raised is always told in its own words.
"""

from __future__ import annotations

from hookline.model.conditions import OneOf, Pattern
from hookline.model.event import ToolCall
from hookline.model.tools import alike, input_names, mcp_parts, translated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias

    from hookline.model.conditions import Condition
    from hookline.model.event import Event, Rewrite
    from hookline.model.spec import HookSpec

    Predicate: TypeAlias = Callable[[Event], bool]


def named_alike(event: Event, dialect: str) -> Iterator[Event]:
    """The event itself, then once for each other name of its tool, with the input keys of a dialect."""
    yield event
    body = event.body
    if isinstance(body, ToolCall):
        given = _renamed(body.input, input_names(body.tool, event.dialect, dialect))
        for name in (body.tool, *alike(body.tool, event.dialect)):
            yield event.replace(body=body.replace(tool=name, input=given))


def of_any_name(condition: Condition, predicate: Predicate, spec: HookSpec) -> Predicate:
    """A predicate that holds where it would hold under one of the tool's names.

    Of an MCP tool whose name does not tell its server, whatever speaks of MCP tools holds: a guard that is asked once too often
    can still say nothing.
    """
    asked_for, dialect = spec.alike, spec.dialect

    def holds(event: Event) -> bool:
        if not asked_for and event.dialect == dialect:
            return predicate(event)
        return any(map(predicate, named_alike(event, dialect))) or _may_mean(condition, event)

    return holds


def _may_mean(condition: Condition, event: Event) -> bool:
    mcp = mcp_parts(event.tool, event.dialect) if event.tool else None
    if mcp is None or mcp[0]:
        return False
    match condition:
        case OneOf(field="tool", names=names):
            return any(
                (parts := mcp_parts(name)) is not None and parts[1] == mcp[1] for name in names
            )
        case Pattern(field="tool", source=source):
            return "mcp" in source.lower()
    return False


def seen_by(spec: HookSpec, event: Event) -> Event:
    """The event as a hook is told of it: the tool by the name, and its input by the keys, that the hook's own host would use."""
    body = event.body
    if (
        not (spec.alike or spec.kind != event.kind)
        or spec.dialect == event.dialect
        or not isinstance(body, ToolCall)
    ):
        return event
    names = translated(body.tool, event.dialect, spec.dialect)
    given = _renamed(body.input, input_names(body.tool, event.dialect, spec.dialect))
    tool = next((name for name in names if _is_for(spec, name)), names[0]) if names else body.tool
    return (
        event
        if tool == body.tool and given is body.input
        else event.replace(body=body.replace(tool=tool, input=given))
    )


def _is_for(spec: HookSpec, tool: str) -> bool:
    """Whether the hook's own matcher names the tool so."""
    for condition in spec.conditions:
        match condition:
            case OneOf(field="tool", names=names) if tool not in names:
                return False
            case Pattern(field="tool", regex=regex, full=full) if not regex.may_time_out and not (
                regex.is_full_match(tool) if full else regex.has_match_in(tool)
            ):
                return False
    return True


def told_back(rewrite: Rewrite | None, spec: HookSpec, event: Event, seen: Event) -> Rewrite | None:
    """A rewrite of what the hook saw, as one of the event: the new input under the keys that the host's own input has."""
    if rewrite is None or rewrite.target != "input" or seen is event:
        return rewrite
    there = event.input if isinstance(event.input, dict) else {}
    usual = {
        old: new
        for old, new in input_names(seen.tool, spec.dialect, event.dialect).items()
        if old not in there
    }
    told = {
        new: old
        for old, new in _names_in(
            event.input, input_names(event.tool, event.dialect, spec.dialect)
        ).items()
    }
    return rewrite.replace(value=_renamed(rewrite.value, {**usual, **told}))


def _renamed(given: Any, names: Mapping[str, str]) -> Any:
    """An input with other keys; itself where nothing is called otherwise."""
    changes = _names_in(given, names)
    return {changes.get(key, key): value for key, value in given.items()} if changes else given


def _names_in(given: Any, names: Mapping[str, str]) -> dict[str, str]:
    """Which keys of an input have another name; none that would take the place of one that is there."""
    if not isinstance(given, dict):
        return {}
    changes: dict[str, str] = {}
    for key in given:
        new = names.get(key, key) if isinstance(key, str) else key
        if new != key and new not in given and new not in changes.values():
            changes[key] = new
    return changes
