"""Tool aliases: an event about a tool in another host's words, and rewrites back again.

A hook of another host than the event's gets it unless its source says `match_tools: native`. A
hook on a narrower event (`beforeShellExecution`) that its own host would have raised always
receives its own host's words.
"""

from __future__ import annotations

from hookline.model.event import Event, Rewrite, ToolCall
from hookline.model.spec import HookSpec, OneOf, Pattern
from hookline.model.tools import input_names, list_equivalent_names, mcp_parts, translate_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias

    from hookline.model.spec import Condition

    Predicate: TypeAlias = Callable[[Event], bool]


def list_aliases(event: Event, dialect: str) -> Iterator[Event]:
    """Yield the event, then a copy for each other name of its tool, with a dialect's input keys."""
    yield event
    body = event.body
    if isinstance(body, ToolCall):
        given = _rename_keys(body.input, input_names(body.tool, event.dialect, dialect))
        for name in (body.tool, *list_equivalent_names(body.tool, event.dialect)):
            yield event.replace(body=body.replace(tool=name, input=given))


def knows_aliases(spec: HookSpec, event: Event) -> bool:
    """Return whether a hook matches a tool under its names in all hosts."""
    return spec.match_tools == "canonical" or spec.dialect != event.dialect


def match_any_name(condition: Condition, predicate: Predicate, spec: HookSpec) -> Predicate:
    """Return a predicate that holds if it would hold under one of the tool's names.

    If an MCP tool's name does not show its server, each condition on MCP tools holds. A guard that
    runs once too often can still return no opinion.
    """
    dialect = spec.dialect

    def holds(event: Event) -> bool:
        if not knows_aliases(spec, event):
            return predicate(event)
        return any(map(predicate, list_aliases(event, dialect))) or _may_mean(condition, event)

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


def rename_for_hook(spec: HookSpec, event: Event) -> Event:
    """Return the event with the tool name and input keys of the hook's own host.

    A guest of a dialect, such as opencode, names its tools otherwise than the dialect's own host.
    """
    body = event.body
    if (
        (spec.match_tools == "native" and spec.kind == event.kind)
        or not knows_aliases(spec, event)
        or not isinstance(body, ToolCall)
    ):
        return event
    names = translate_name(body.tool, event.dialect, spec.dialect)
    if spec.dialect == event.dialect and body.tool in names:
        return event
    given = _rename_keys(body.input, input_names(body.tool, event.dialect, spec.dialect))
    tool = next((name for name in names if _is_for(spec, name)), names[0]) if names else body.tool
    return (
        event
        if tool == body.tool and given is body.input
        else event.replace(body=body.replace(tool=tool, input=given))
    )


def _is_for(spec: HookSpec, tool: str) -> bool:
    """Return whether the hook's own matcher names the tool so."""
    for condition in spec.conditions:
        match condition:
            case OneOf(field="tool", names=names) if tool not in names:
                return False
            case Pattern(field="tool", regex=regex, full=full) if not regex.may_time_out and not (
                regex.is_full_match(tool) if full else regex.has_match_in(tool)
            ):
                return False
    return True


def rename_rewrite_back(
    rewrite: Rewrite | None, spec: HookSpec, event: Event, seen: Event
) -> Rewrite | None:
    """Return a rewrite of the renamed event as one of the original, under the host's own keys."""
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
        for old, new in _find_renames(
            event.input, input_names(event.tool, event.dialect, spec.dialect)
        ).items()
    }
    return rewrite.replace(value=_rename_keys(rewrite.value, {**usual, **told}))


def _rename_keys(given: Any, names: Mapping[str, str]) -> Any:
    """Rename the keys of an input; return it unchanged if none has another name."""
    changes = _find_renames(given, names)
    return {changes.get(key, key): value for key, value in given.items()} if changes else given


def _find_renames(given: Any, names: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of an input to rename; never to a key that exists already."""
    if not isinstance(given, dict):
        return {}
    changes: dict[str, str] = {}
    for key in given:
        new = names.get(key, key) if isinstance(key, str) else key
        if new != key and new not in given and new not in changes.values():
            changes[key] = new
    return changes
