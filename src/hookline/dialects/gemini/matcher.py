"""Matchers: what a group says about the events that its hooks take part in (docs/formats/comparison.md 9)."""

from __future__ import annotations

from hookline.dialects.gemini.table import TABLE
from hookline.errors import ConfigError
from hookline.model.conditions import OneOf, Pattern
from hookline.text.regex import accepts, compile_regex
from hookline.text.suggestions import did_you_mean
from hookline.wire.matchers import EVERYTHING, is_ignored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow
    from hookline.model.conditions import Condition
    from hookline.wire.fields import Node


def matcher(group: Node, row: EventRow) -> tuple[Condition, ...]:
    """The condition that a group's matcher is: of a tool's name an expression that is searched in it, else a whole word.

    Raises:
        ConfigError: `matcher.regex`, an expression that the host could use and hookline cannot.
    """
    text = group.text("matcher").strip()
    if text in EVERYTHING or is_ignored(group, row):
        return ()
    if row.known:
        return (_word(group, row, text),)
    return (_expression(group, row, text),)


def _word(group: Node, row: EventRow, text: str) -> Condition:
    if text not in row.known:
        hint = (
            did_you_mean(text, row.known)
            or f"one of {', '.join(f'`{word}`' for word in row.known)}; it is no expression here"
        )
        why = (
            f"`{text}` is no {row.subject} of `{row.native}`, so the hooks of this group do not run"
        )
        group.complain("hook.never-runs", why, "matcher", hint=hint, severity="warning")
    return OneOf(field=row.subject, names=frozenset((text,)))


def _expression(group: Node, row: EventRow, text: str) -> Condition:
    try:
        regex = compile_regex(text, TABLE.regex_flavour)
        return Pattern(field=row.subject, source=text, regex=regex)
    except ConfigError as error:
        if accepts(text, TABLE.regex_flavour):
            raise
        why = f"{error.message}; so it is compared as it stands, and names one tool"
        group.complain("matcher.regex", why, "matcher", hint=error.hint, severity="warning")
        return OneOf(field=row.subject, names=frozenset((text,)))
