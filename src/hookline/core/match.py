"""Match: whether a condition holds for an event, and if not, why."""

from __future__ import annotations

import json

from hookline.core.tool_aliases import match_any_name
from hookline.model.spec import (
    Flattened,
    Glob,
    HookSpec,
    Leaves,
    Never,
    OneOf,
    PathPattern,
    Pattern,
    Rule,
    ShellCommand,
)
from hookline.model.tools import facets, list_paths
from hookline.text.globs import list_path_forms, path_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from hookline.model.event import Event, Json
    from hookline.model.spec import Condition

    Predicate: TypeAlias = Callable[[Event], bool]

_INPUT = "input."
# Kinds that cover only some tool calls (docs/formats/vocabulary.md 4).
FACETS = ("shell.", "file.read.", "file.write.", "mcp.")


def holds(condition: Condition, event: Event) -> bool:
    """Return whether a condition holds for an event."""
    return make_predicate(condition)(event)


def make_predicate(condition: Condition, clock: Callable[[], float] | None = None) -> Predicate:
    """Return a condition as a function of the event, so that its type is examined only once.

    `clock`: seconds, to end the reading of a hostile command line.
    """
    match condition:
        case OneOf(field=field, names=names):
            return lambda event: read_field(event, field) in names
        case Pattern(field="command", regex=regex, full=False):
            found_in = regex.has_match_in
            return lambda event: found_in(event.command)
        case Pattern(field=field, regex=regex, full=full):
            matches = regex.is_full_match if full else regex.has_match_in
            return lambda event: (text := read_field(event, field)) is not None and matches(text)
        case Leaves(regex=regex):
            return lambda event: any(map(regex.has_match_in, list_leaves(event.input)))
        case Flattened(facts=facts, regex=regex):
            return lambda event: any(
                regex.has_match_in(text)
                for fact in facts
                for text in list_texts(event.body.value(fact))
            )
        case Glob(patterns=patterns):
            return lambda event: any(
                path_matches(path, patterns, event.cwd) for path in list_paths(event.input)
            )
        case PathPattern():
            return lambda event: _path_holds(condition, event)
        case Rule() | ShellCommand():
            # It loads the shell's grammar.
            from hookline.core.rules import make_grammar_predicate  # noqa: PLC0415

            return make_grammar_predicate(condition, clock)
        case Never():
            return lambda _: False


def find_facets(event: Event) -> tuple[str, ...]:
    """Return the narrower kinds that a tool call also is, if any (docs/formats/vocabulary.md 4)."""
    return facets(event.kind, event.tool, event.dialect) if event.tool else ()


def make_hook_predicate(
    condition: Condition, spec: HookSpec, clock: Callable[[], float] | None = None
) -> Predicate:
    """Return a hook's condition as a function of the event.

    It may accept a tool's names in all hosts; see `HookSpec.match_tools`. `clock`: as above.
    """
    if spec.match_tools == "native" and not spec.kind.startswith(FACETS):
        return make_predicate(condition, clock)
    return match_any_name(condition, make_predicate(condition, clock), spec)


def read_field(event: Event, field: str) -> str | None:
    """Return the text of a field.

    Empty if the event has none, None if the tool's input has no such text.
    """
    if field == "tool":
        return event.tool  # plans are cached by it, so it must not be read elsewhere
    if field == "command":
        return event.command
    if field == "session_id":
        return event.session_id
    if field.startswith(_INPUT):
        inner = (
            event.input.get(field.removeprefix(_INPUT)) if isinstance(event.input, dict) else None
        )
        return inner if isinstance(inner, str) else None
    found = event.body.value(field)
    return found if isinstance(found, str) else ""


def _path_holds(condition: PathPattern, event: Event) -> bool:
    given = event.input if isinstance(event.input, dict) else {}
    path = next((found for key in condition.keys if isinstance(found := given.get(key), str)), None)
    return path is not None and any(
        condition.regex.is_full_match(form)
        for form in list_path_forms(path, event.cwd, climbs=condition.climbs)
    )


def list_leaves(value: Json) -> Iterator[str]:
    """Yield every leaf value at any depth as text, no keys (docs/formats/agenthooks.md 5).

    Numbers and booleans are written as in JSON.
    """
    for node in _walk(value):
        if isinstance(node, str):
            yield node
        elif node is not None and not isinstance(node, dict | list | tuple):
            yield json.dumps(node, default=str)


def list_texts(value: Json) -> Iterator[str]:
    """Yield every text at any depth, no keys.

    A list of texts also as one, joined by blanks (docs/formats/starchild.md 4).
    """
    for node in _walk(value):
        if isinstance(node, str):
            yield node
        elif (
            isinstance(node, list | tuple)
            and len(node) > 1
            and all(isinstance(item, str) for item in node)
        ):
            yield " ".join(node)


def _walk(value: Json) -> Iterator[Json]:
    """Yield a value and all that is in it, in order."""
    left = [value]
    while left:  # no recursion: a deeply nested input must not stop a guard
        node = left.pop()
        yield node
        if isinstance(node, dict):
            left += reversed(node.values())
        elif isinstance(node, list | tuple):
            left += reversed(node)
