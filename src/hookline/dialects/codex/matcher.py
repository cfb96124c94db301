"""Matchers: exact names between `|`, or else an unanchored expression; some tools answer to more than one name (docs/formats/codex.md 6)."""

from __future__ import annotations

from hookline.dialects.codex.table import ALIASES, TABLE
from hookline.model.conditions import OneOf, Pattern
from hookline.text.regex import compile_regex
from hookline.wire.matchers import EVERYTHING, NAME, is_ignored, list_exact_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.core.dialect import EventRow
    from hookline.model.conditions import Condition
    from hookline.wire.fields import Node

# A text of these alone is a name, or a list of names; any other is an expression (docs/formats/codex.md 6).
OF_NAMES = NAME | {"|"}


def matcher(group: Node, row: EventRow) -> tuple[Condition, ...]:
    """The condition that a group's matcher is.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    text = group.text("matcher")
    if text in EVERYTHING or is_ignored(group, row):
        return ()
    names = list_exact_names(text, OF_NAMES)
    if names is not None:
        also = _answering(names.__contains__) if row.subject == "tool" else []
        return (OneOf(field=row.subject, names=names.union(also)),)
    regex = compile_regex(text, TABLE.regex_flavour)
    also = _answering(regex.has_match_in) if row.subject == "tool" else []
    if also:
        regex = compile_regex(f"(?:{text})|^(?:{'|'.join(also)})$", TABLE.regex_flavour)
    return (Pattern(field=row.subject, source=text, regex=regex),)


def _answering(selects: Callable[[str], bool]) -> list[str]:
    """The tools one of whose other names is selected; so a tool is asked about once, under whatever name."""
    return [tool for tool, names in ALIASES.items() if any(map(selects, names))]
