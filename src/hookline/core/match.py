"""Does this condition hold of this event; and if not, why not."""

from __future__ import annotations

import json

from hookline.model.conditions import (
    Flattened,
    Glob,
    Leaves,
    Never,
    OneOf,
    PathPattern,
    Pattern,
    Rule,
)
from hookline.text.globs import list_path_forms, path_matches
from hookline.text.re2_regex import MatchTimeoutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Never as Unreachable
    from typing import TypeAlias

    from hookline.model.conditions import Condition
    from hookline.model.event import Event, Json
    from hookline.model.spec import HookSpec

    Predicate: TypeAlias = Callable[[Event], bool]

_INPUT = "input."
# Kinds that are some calls of tools only (docs/formats/vocabulary.md 4).
FACETS = ("shell.", "file.read.", "file.write.", "mcp.")


def holds(condition: Condition, event: Event) -> bool:
    """Whether a condition holds of an event."""
    return predicate(condition)(event)


def predicate(condition: Condition) -> Predicate:
    """A condition as a function of the event, so that what it is need not be found out for every event."""
    match condition:
        case OneOf(field=field, names=names):
            return lambda event: _text(event, field) in names
        case Pattern(field="command", regex=regex, full=False):
            found_in = regex.has_match_in
            return lambda event: found_in(event.command)
        case Pattern(field=field, regex=regex, full=full):
            matches = regex.is_full_match if full else regex.has_match_in
            return lambda event: (text := _text(event, field)) is not None and matches(text)
        case Leaves(regex=regex):
            return lambda event: any(map(regex.has_match_in, leaves(event.input)))
        case Flattened(facts=facts, regex=regex):
            return lambda event: any(
                regex.has_match_in(text) for fact in facts for text in texts(event.body.value(fact))
            )
        case Glob(patterns=patterns):
            from hookline.core.rules import paths  # noqa: PLC0415 - with it comes the shell's grammar, which few hooks need

            return lambda event: any(
                path_matches(path, patterns, event.cwd) for path in paths(event.input)
            )
        case PathPattern():
            return lambda event: _path_holds(condition, event)
        case Rule():
            from hookline.core.rules import rule_holds  # noqa: PLC0415 - as above

            return lambda event: rule_holds(condition, event.tool, event.input, event.cwd)
        case Never():
            return lambda _: False
        case _ as unreachable:
            raise _forgotten(unreachable)


def facets_of(event: Event) -> tuple[str, ...]:
    """The narrower kinds that a call of a tool also is, where its event has such (docs/formats/vocabulary.md 4)."""
    from hookline.model.tools import facets  # noqa: PLC0415 - few registries have hooks on such events

    return facets(event.kind, event.tool, event.dialect) if event.tool else ()


def why_not(spec: HookSpec, event: Event) -> str:
    """Why a hook does not take part in an event, in words; empty if it does."""
    if spec.kind != event.kind and spec.kind not in facets_of(event):
        return f"it is declared for `{spec.native_event}`"
    for condition in spec.conditions:
        try:
            holds = asked(condition, spec)(event)
        except MatchTimeoutError:
            continue  # the hook takes part, as one that has failed
        if not holds:
            return _unmet(condition, event) + (
                " under any name that hosts have for it" if spec.alike else ""
            )
    return ""


def asked(condition: Condition, spec: HookSpec) -> Predicate:
    """A condition of a hook as a function of the event; of a tool it may know the names in all hosts."""
    if not spec.alike and not spec.kind.startswith(FACETS):
        return predicate(condition)
    from hookline.core.likeness import of_any_name  # noqa: PLC0415 - few sources ask for it

    return of_any_name(condition, predicate(condition), spec)


def _unmet(condition: Condition, event: Event) -> str:
    match condition:
        case OneOf(field=field, names=names):
            listed = ", ".join(f"`{name}`" for name in sorted(names))
            return f"{field} `{_text(event, field)}` is not exactly {listed}"
        case Pattern(field=field, source=source, full=full):
            how = "is not fully matched by" if full else "is not matched by"
            return f"{field} `{_text(event, field)}` {how} `{source}`"
        case Leaves(source=source):
            return f"no value of the input is matched by `{source}`"
        case Flattened(facts=facts, source=source):
            return f"no text of {' or '.join(facts)} is matched by `{source}`"
        case Glob(patterns=patterns):
            return f"no path of the input is matched by {', '.join(f'`{pattern}`' for pattern in patterns)}"
        case PathPattern(source=source):
            return f"the path of the input is not matched by `{source}`"
        case Rule(source=source):
            return f"the call is not covered by the rule `{source}`"
        case Never(reason=reason):
            return reason
        case _ as unreachable:
            raise _forgotten(unreachable)


def _text(event: Event, field: str) -> str | None:
    """The text of a field; empty where the event has none, None where the tool's input has no such text."""
    if field == "tool":
        return event.tool  # by which plans are remembered, so it must not be read elsewhere
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


def leaves(value: Json) -> Iterator[str]:
    """Every leaf value at any depth, as text: numbers and booleans as JSON writes them, keys never (docs/formats/agenthooks.md 5)."""
    left = [value]
    while left:  # no recursion: an agent that nests its input must not be able to stop a guard
        node = left.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            left += reversed(node.values())
        elif isinstance(node, list | tuple):
            left += reversed(node)
        elif node is not None:
            yield json.dumps(node, default=str)


def texts(value: Json) -> Iterator[str]:
    """Every text at any depth, keys never; a list of nothing but texts also as one, joined by blanks (docs/formats/starchild.md 4)."""
    left = [value]
    while left:  # no recursion, as above
        node = left.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            left += reversed(node.values())
        elif isinstance(node, list | tuple):
            if len(node) > 1 and all(isinstance(item, str) for item in node):
                yield " ".join(node)
            left += reversed(node)


def _forgotten(condition: Unreachable) -> AssertionError:
    # `typing.assert_never` without the import of typing; the type checker proves that nobody gets here.
    return AssertionError(condition)
