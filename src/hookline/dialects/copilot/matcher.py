"""Matchers: whole names as a regex, or Claude's rule under a PascalCase key (docs/formats/comparison.md 9; docs/formats/claude-code.md 3; docs/formats/copilot.md 2)."""

from __future__ import annotations

from hookline.dialects.copilot.table import CLAUDE_NAMES, OLDER_NAMES, TABLE, runtime_names
from hookline.errors import ConfigError
from hookline.model.conditions import Never, OneOf, Pattern
from hookline.text.regex import compile_regex
from hookline.wire.matchers import list_exact_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.conditions import Condition
    from hookline.wire.fields import Node

_EVERY_TOOL = "leave the matcher out to take everything"


def read_own_matcher(node: Node, row: EventRow, text: str, mode: str) -> tuple[Condition, ...]:
    """Return the condition of a matcher. Under a camelCase key `*` matches nothing, which strict mode refuses.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    pascal, of_tools = row.native == row.called, row.subject == "tool"
    if pascal and text in ("*", "**"):
        return ()
    if text == "*":
        why = "`*` is no expression, so Copilot never runs this hook"
        if mode == "strict":
            raise ConfigError(why, name="matcher.regex", hint=_EVERY_TOOL)
        node.complain("hook.never-runs", why, "matcher", hint=_EVERY_TOOL, severity="warning")
        return (Never(reason=why),)
    if pascal and (names := list_exact_names(text)) is not None:
        known = _all_names(names) if of_tools else names
        return (OneOf(field=row.subject, names=known),)
    regex: Any = compile_regex(text, TABLE.regex_flavour)
    if of_tools:
        # A host with a PascalCase key sends Claude's name, and a hook with a camelCase key must run all the same.
        names_of = (
            (lambda tool: (_claude_name(tool),))
            if pascal
            else (lambda tool: (tool, *runtime_names(tool)))
        )
        regex = _OverNames(regex, names_of)
    return (Pattern(field=row.subject, source=text, regex=regex, full=not pascal),)


def _all_names(names: Iterable[str]) -> frozenset[str]:
    """Return every name that an event may give to these tools: Claude's stands for all of the runtime's."""
    found = set(names)
    for name in names:
        found |= {OLDER_NAMES.get(name, _claude_name(name)), *runtime_names(name)}
    return frozenset(found)


def _claude_name(tool: str) -> str:
    return CLAUDE_NAMES.get(tool, tool)


class _OverNames:
    """An expression that is asked about other names of a tool than the event's own."""

    def __init__(self, regex: Any, names: Callable[[str], Iterable[str]]) -> None:
        self.source, self.may_time_out, self.portable = (
            regex.source,
            regex.may_time_out,
            regex.portable,
        )
        self._regex, self._names = regex, names

    def is_full_match(self, tool: str) -> bool:
        """Whether the expression matches the whole of one of the names."""
        return any(map(self._regex.is_full_match, self._names(tool)))

    def has_match_in(self, tool: str) -> bool:
        """Whether the expression is found in one of the names."""
        return any(map(self._regex.has_match_in, self._names(tool)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OverNames) and other.source == self.source

    def __hash__(self) -> int:
        return hash(self.source)
