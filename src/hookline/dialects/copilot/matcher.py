"""Matchers: whole names as a regex, or Claude's rule under a PascalCase key (docs/formats/comparison.md 9; docs/formats/claude-code.md 3; docs/formats/copilot.md 2)."""

from __future__ import annotations

from hookline.dialects.copilot.table import TABLE
from hookline.dialects.copilot.tool_names import claude_name, names_of, runtime_names
from hookline.errors import ConfigError
from hookline.model.conditions import Never, OneOf, Pattern
from hookline.text.regex import compile_regex
from hookline.wire.matchers import list_exact_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hookline.core.dialect import EventRow
    from hookline.model.conditions import Condition
    from hookline.text.re2_regex import Regex
    from hookline.wire.fields import Node

_EVERYTHING = ("*", "**")
_EVERY_TOOL = "leave the matcher out to take everything"


def read_own_matcher(node: Node, row: EventRow, text: str, mode: str) -> tuple[Condition, ...]:
    """Return the condition of a matcher. Under a camelCase key `*` matches nothing, which strict mode refuses.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    if row.native == row.called:
        return _as_in_claude(text, row.subject)
    if text == "*" and mode != "strict":
        why = "`*` is no expression, so Copilot never runs this hook"
        node.complain("hook.never-runs", why, "matcher", hint=_EVERY_TOOL, severity="warning")
        return (Never(reason=why),)
    regex = _expression(text)
    if row.subject == "tool":
        # A host with a PascalCase key sends Claude's name, and a hook with a camelCase key must run all the same.
        regex = _by_name(regex, lambda tool: (tool, *runtime_names(tool)))
    return (Pattern(field=row.subject, source=text, regex=regex, full=True),)


def _expression(text: str) -> Regex:
    try:
        return compile_regex(text, TABLE.regex_flavour)
    except ConfigError as error:
        if text != "*":
            raise
        raise ConfigError(error.message, name=error.name, hint=_EVERY_TOOL) from None


def _as_in_claude(text: str, subject: str) -> tuple[Condition, ...]:
    """A list of exact names, or an expression that is found anywhere; a tool answers to Claude's name."""
    if text in _EVERYTHING:
        return ()
    names = list_exact_names(text)
    if names is not None:
        known = [names_of(name) if subject == "tool" else (name,) for name in names]
        return (OneOf(field=subject, names=frozenset().union(*known)),)
    regex = compile_regex(text, TABLE.regex_flavour)
    return (
        Pattern(
            field=subject,
            source=text,
            regex=_by_name(regex, lambda tool: (claude_name(tool),))
            if subject == "tool"
            else regex,
        ),
    )


def _by_name(regex: Regex, names: Callable[[str], Iterable[str]]) -> Regex:
    return _ByName(regex, names)  # type: ignore[return-value]  # asked alike


class _ByName:
    """An expression that is asked about other names of a tool than the event's own."""

    __slots__ = ("_names", "_regex", "source")

    def __init__(self, regex: Regex, names: Callable[[str], Iterable[str]]) -> None:
        self.source = regex.source
        self._regex = regex
        self._names = names

    @property
    def may_time_out(self) -> bool:
        """Whether a match may raise `MatchTimeoutError`."""
        return self._regex.may_time_out

    @property
    def portable(self) -> bool:
        """Whether RE2 runs the expression."""
        return self._regex.portable

    def is_full_match(self, tool: str) -> bool:
        """Whether the expression matches the whole of one of the names."""
        return any(map(self._regex.is_full_match, self._names(tool)))

    def has_match_in(self, tool: str) -> bool:
        """Whether the expression is found in one of the names."""
        return any(map(self._regex.has_match_in, self._names(tool)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByName) and other.source == self.source

    def __hash__(self) -> int:
        return hash(self.source)
