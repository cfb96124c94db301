"""Matchers: whole names as a regex, or Claude's rule under a PascalCase key (harnesses.md 1.9, 6)."""

from __future__ import annotations

from hookline.dialects.copilot.tools import claude_name, names_of, runtime_names
from hookline.model.conditions import OneOf, Pattern
from hookline.text.regex import compile_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hookline.dialects.copilot.table import Contract
    from hookline.model.conditions import Condition
    from hookline.text.regex import Regex
    from hookline.wire.fields import Node

_OF_NAMES = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-|")
_EVERYTHING = ("*", "**")


def matcher(node: Node, row: Contract) -> tuple[Condition, ...]:
    """The condition that a matcher is.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    text = node.text("matcher")
    if not text:
        return ()
    if not row.subject:
        hint = "leave it out; the hook runs on every such event"
        node.complain("matcher.ignored", f"`{row.native}` has no matcher, so this one is ignored", "matcher", hint=hint, severity="warning")
        return ()
    if row.subject != "tool":
        return (Pattern(field=row.subject, source=text, regex=compile_regex(text), full=True),)
    if row.native != row.spelling:
        # A host with a PascalCase key sends Claude's name, and a hook with a camelCase key must run all the same.
        return (_named(text, lambda tool: (tool, *runtime_names(tool))),)
    if text in _EVERYTHING:
        return ()
    if _OF_NAMES.issuperset(text):
        return (OneOf(field="tool", names=frozenset().union(*(names_of(name) for name in text.split("|") if name))),)
    return (_named(text, lambda tool: (claude_name(tool),)),)


def _named(text: str, names: Callable[[str], Iterable[str]]) -> Condition:
    return Pattern(field="tool", source=text, regex=_ByName(compile_regex(text), names), full=True)  # type: ignore[arg-type]  # asked alike


class _ByName:
    """An expression that is asked about other names of a tool than the event's own."""

    __slots__ = ("_names", "_regex", "source")

    def __init__(self, regex: Regex, names: Callable[[str], Iterable[str]]) -> None:
        self.source = regex.source
        self._regex = regex
        self._names = names

    def covers(self, tool: str) -> bool:
        """Whether the expression matches the whole of one of the names."""
        return any(map(self._regex.covers, self._names(tool)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByName) and other.source == self.source

    def __hash__(self) -> int:
        return hash(self.source)
