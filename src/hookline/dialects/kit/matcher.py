"""Reads the matchers of Claude Code's family: exact names, or an expression, compared with the subject of an event."""

from __future__ import annotations

import re

from hookline.errors import ConfigError
from hookline.model.conditions import Never, OneOf, Pattern
from hookline.model.frozen import Frozen
from hookline.text.re2_regex import MatchTimeoutError
from hookline.text.regex import accepts, compile_regex
from hookline.text.suggestions import did_you_mean
from hookline.wire.matchers import is_ignored, list_exact_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dialect import EventRow
    from hookline.model.conditions import Condition
    from hookline.wire.fields import Node


class MatcherFormat(Frozen):
    """How a host reads a matcher. A column is one way in which the hosts of the family differ.

    `flavour`: the expressions that the host knows. `strips`: blanks around a text do not count.
    `everything`: texts that select every event. `alphabet`: a text of these characters alone lists
    exact names; empty: every text is an expression. `full`: an expression must cover the subject.
    `falls_back`: what is no expression is one exact name. `never`: on an event without a subject a
    matcher matches nothing; elsewhere hosts ignore it. `also`: tool -> further names by which a
    matcher selects it; `searched`: an expression is searched in them, otherwise they must stand in
    it as a whole. `expression`: the text as the host compiles it, "" to select everything. `read`:
    reads the matcher of some events in the host's own way; None leaves it to the other columns.
    """

    flavour: str
    strips: bool = False
    everything: tuple[str, ...] = ("", "*")
    alphabet: frozenset[str] = frozenset()
    full: bool = False
    falls_back: bool = False
    never: bool = False
    also: Mapping[str, tuple[str, ...]] = {}
    searched: bool = True
    expression: Callable[[str, EventRow], str] | None = None
    read: Callable[[Node, EventRow, str, str], tuple[Condition, ...] | None] | None = None


def read_matcher(
    node: Node, row: EventRow, form: MatcherFormat, mode: str
) -> tuple[Condition, ...]:
    """Return the condition of the matcher of a group or a hook.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    text = node.text("matcher")
    if form.strips:
        text = text.strip()
    if text in form.everything:
        return ()
    if not row.subject and not row.constant:
        if form.never:
            why = f"`{row.native}` has no tool, so a hook with the matcher `{text}` never runs"
            return (_never(node, why, "leave the matcher out, or write `*`"),)
        is_ignored(node, row, runs="the hook runs")
        return ()
    if form.read is not None and (own := form.read(node, row, text, mode)) is not None:
        return own
    if row.constant:
        return _read_constant(node, row, text, form)
    if row.literal and row.subject == "path" and text.strip("|"):
        # Exact names between `|`, of the last part of the path, or of the last parts.
        either = "|".join(re.escape(name) for name in text.split("|") if name)
        regex = compile_regex(rf"(?:^|/)(?:{either})$")
        return (Pattern(field=row.subject, source=text, regex=regex),)
    names = _list_names(node, row, text, form)
    if names is None:
        return _read_expression(node, row, text, form)
    return (OneOf(field=row.subject, names=names.union(_also(row, form, names.__contains__))),)


def _list_names(node: Node, row: EventRow, text: str, form: MatcherFormat) -> frozenset[str] | None:
    """Return the exact names that a text lists; None if it is an expression."""
    if row.literal:
        return frozenset(name for name in text.split("|") if name)
    if not row.known:
        return list_exact_names(text, form.alphabet) if form.alphabet else None
    if text not in row.known:
        why = f"`{text}` is no {row.subject} of `{row.native}`, so these hooks never run"
        words = ", ".join(f"`{word}`" for word in row.known)
        hint = did_you_mean(text, row.known) or f"one of {words}; it is no expression here"
        _never(node, why, hint)
    return frozenset((text,))


def _read_expression(
    node: Node, row: EventRow, text: str, form: MatcherFormat
) -> tuple[Condition, ...]:
    expression = form.expression(text, row) if form.expression is not None else text
    if not expression:
        return ()
    try:
        regex = compile_regex(expression, form.flavour)
    except ConfigError as error:
        if not form.falls_back or expression != text or accepts(text, form.flavour):
            raise
        why = f"{error.message}; so it is compared as it stands, with one name"
        node.complain("matcher.regex", why, "matcher", hint=error.hint, severity="warning")
        return (OneOf(field=row.subject, names=frozenset((text,))),)
    parts = [part.strip() for part in text.split("|")]
    also = _also(row, form, regex.has_match_in if form.searched else parts.__contains__)
    if also:
        regex = compile_regex(f"(?:{expression})|^(?:{'|'.join(also)})$", form.flavour)
    return (Pattern(field=row.subject, source=text, regex=regex, full=form.full),)


def _also(row: EventRow, form: MatcherFormat, selects: Callable[[str], bool]) -> list[str]:
    """Return the tools that a matcher selects by another of their names."""
    if row.subject != "tool":
        return []
    return [tool for tool, names in form.also.items() if any(map(selects, names))]


def _read_constant(
    node: Node, row: EventRow, text: str, form: MatcherFormat
) -> tuple[Condition, ...]:
    """Return the condition of an event whose matcher is compared with one fixed word."""
    try:
        if compile_regex(text, form.flavour).has_match_in(row.constant):
            return ()
    except MatchTimeoutError:
        why = f"invalid expression `{text}`: to match `{row.constant}` takes too long"
        hint = "write it without nested repetitions"
        raise ConfigError(why, name="matcher.regex", hint=hint) from None
    why = f"on `{row.native}` a matcher is compared with `{row.constant}` only, so this hook never runs"
    return (_never(node, why, "leave it out"),)


def _never(node: Node, why: str, hint: str) -> Condition:
    """Return the condition of a matcher that selects nothing, and warn about it."""
    node.complain("hook.never-runs", why, "matcher", hint=hint, severity="warning")
    return Never(reason=why)
