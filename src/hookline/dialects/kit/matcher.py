"""Reads the matchers of Claude Code's family: exact names, or an expression."""

from __future__ import annotations

import re

from hookline.errors import ConfigError, did_you_mean
from hookline.model.frozen import Frozen
from hookline.model.spec import Never, OneOf, Pattern
from hookline.text.re2_regex import MatchTimeoutError, Regex
from hookline.text.regex import accepts, compile_regex
from hookline.wire.sources import list_exact_names, read_conditions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dialect import EventRow, Table
    from hookline.model.spec import Condition
    from hookline.wire.fields import Node


class MatcherFormat(Frozen):
    """How a host reads a matcher. A column is one way in which the hosts of the family differ.

    `strips`: blanks around a text do not count. `everything`: texts that select every event.
    `alphabet`: a text of these characters alone lists exact names; empty: every text is an
    expression. `full`: an expression must cover the subject. `refused`: what a text is that the
    host's engine refuses: an "error", one exact "name", or it "never" matches. `subjectless`: what
    a matcher does on an event without a subject: "nothing", "never" match, or match an "empty"
    text. `also`: tool -> further names by which a matcher selects it. `expression`: the text as the
    host compiles it, "" to select everything. `read`: reads a matcher in the host's own way.
    """

    strips: bool = False
    everything: tuple[str, ...] = ("", "*")
    alphabet: frozenset[str] = frozenset()
    full: bool = False
    refused: str = "error"
    subjectless: str = "nothing"
    also: Mapping[str, tuple[str, ...]] = {}
    expression: Callable[[str, EventRow], str] | None = None
    read: Callable[[Node, EventRow, str, str], tuple[Condition, ...]] | None = None


def read_matcher(
    node: Node, row: EventRow, table: Table, form: MatcherFormat, mode: str
) -> tuple[Condition, ...] | None:
    """Return the condition of the matcher of a group or a hook.

    None and a problem if it cannot be read.
    """
    return read_conditions(node, lambda: _read(node, row, table, form, mode), "matcher")


def _read(
    node: Node, row: EventRow, table: Table, form: MatcherFormat, mode: str
) -> tuple[Condition, ...]:
    text = node.text("matcher")
    if form.strips:
        text = text.strip()
    if text in form.everything:
        return ()
    if not row.subject and not row.constant and form.subjectless == "nothing":
        why = f"`{row.native}` has no matcher, so this one is ignored"
        hint = "leave it out; the hook runs on every such event"
        node.warn("matcher.ignored", why, "matcher", hint=hint)
        return ()
    if not row.subject and form.subjectless == "never":
        why = f"`{row.native}` has no tool, so a hook with the matcher `{text}` never runs"
        return (_never(node, why, "leave the matcher out, or write `*`"),)
    if form.read is not None:
        return form.read(node, row, text, mode)
    if row.literal and row.subject == "path" and text.strip("|"):
        # Exact names between `|`, of the last part of the path, or of the last parts.
        either = "|".join(re.escape(name) for name in text.split("|") if name)
        regex = compile_regex(rf"(?:^|/)(?:{either})$")
        return (Pattern(field=row.subject, source=text, regex=regex),)
    names = _list_names(node, row, text, form)
    if names is None:
        return _read_expression(node, row, text, table, form, mode)
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
    node: Node, row: EventRow, text: str, table: Table, form: MatcherFormat, mode: str
) -> tuple[Condition, ...]:
    flavour = table.regex_flavour
    expression = form.expression(text, row) if form.expression is not None else text
    if not expression:
        return ()
    try:
        regex = compile_regex(expression, flavour)
    except ConfigError as error:
        if form.refused == "error" or expression != text or accepts(text, flavour):
            raise
        if form.refused == "name":
            why = f"{error.message}; so it is compared as it stands, with one name"
            node.warn(error.name, why, "matcher", hint=error.hint)
            return (OneOf(field=row.subject, names=frozenset((text,))),)
        if mode == "strict":
            raise
        why = f"{error.message}; so this hook never runs"
        hint = "leave the matcher out to select everything" if text == "*" else error.hint
        return (_never(node, why, hint, error.name),)
    if not row.subject:
        return _read_constant(node, row, regex, mode)
    if also := _also(row, form, regex.has_match_in):
        regex = compile_regex(f"(?:{expression})|^(?:{'|'.join(also)})$", flavour)
    return (Pattern(field=row.subject, source=text, regex=regex, full=form.full),)


def _read_constant(node: Node, row: EventRow, regex: Regex, mode: str) -> tuple[Condition, ...]:
    """Return the condition of an event whose matcher is compared with one fixed word, or none."""
    only = f"`{row.constant}`" if row.constant else "an empty text"
    try:
        if regex.has_match_in(row.constant):
            return ()
    except MatchTimeoutError:
        why = f"invalid expression `{regex.source}`: to match {only} takes too long"
        hint = "write it without nested repetitions"
        raise ConfigError(why, name="matcher.regex", hint=hint) from None
    why = f"on `{row.native}` a matcher is compared with {only} only, so this hook never runs"
    if mode == "strict" and not row.constant:
        raise ConfigError(why, name="hook.never-runs", hint="leave it out")
    return (_never(node, why, "leave it out"),)


def _also(row: EventRow, form: MatcherFormat, selects: Callable[[str], bool]) -> list[str]:
    """Return the tools that a matcher selects by another of their names."""
    if row.subject != "tool" or not form.also:
        return []
    return [tool for tool, names in form.also.items() if any(map(selects, names))]


def _never(node: Node, why: str, hint: str, name: str = "hook.never-runs") -> Condition:
    """Return the condition of a matcher that selects nothing, and warn about it."""
    node.warn(name, why, "matcher", hint=hint)
    return Never(reason=why)
