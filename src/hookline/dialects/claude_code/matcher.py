"""Matchers and `if` rules: what a group and a handler say about the events that they take part in (docs/formats/claude-code.md 3)."""

from __future__ import annotations

import re

from hookline.dialects.claude_code.table import TABLE
from hookline.model.conditions import Never, OneOf, Pattern
from hookline.text.regex import compile_regex
from hookline.wire.matchers import EVERYTHING, is_ignored, list_exact_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow
    from hookline.model.conditions import Condition
    from hookline.wire.fields import Node


def matcher(group: Node, row: EventRow) -> tuple[Condition, ...]:
    """The condition that a group's matcher is.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    text = group.text("matcher")
    if text in EVERYTHING or is_ignored(group, row):
        return ()
    if row.literal:
        return (_literal(text, row.subject),)
    names = list_exact_names(text)
    if names is not None:
        return (OneOf(field=row.subject, names=names),)
    regex = compile_regex(text, TABLE.regex_flavour)
    return (Pattern(field=row.subject, source=text, regex=regex),)


def _literal(text: str, subject: str) -> Condition:
    """Exact names between `|`; of a path it is the last part, or the last parts, that are named."""
    names = [name for name in text.split("|") if name]
    if subject != "path" or not names:
        return OneOf(field=subject, names=frozenset(names))
    either = "|".join(re.escape(name) for name in names)
    return Pattern(field=subject, source=text, regex=compile_regex(rf"(?:^|/)(?:{either})$"))


def rule(hook: Node, row: EventRow) -> tuple[Condition, ...]:
    """The condition that a handler's `if` is.

    Raises:
        ConfigError: `matcher.rule`, a rule that cannot be read.
    """
    text = hook.text("if")
    if not text:
        return ()
    if row.subject != "tool":
        reason = (
            f"an `if` is looked at on tool events only, so on `{row.native}` this hook never runs"
        )
        hook.complain(
            "hook.never-runs",
            reason,
            "if",
            hint="leave it out, and look at the payload in the hook",
            severity="warning",
        )
        return (Never(reason=reason),)
    from hookline.core.rules import parse_rule  # noqa: PLC0415 - few hooks have a rule

    return (parse_rule(text),)
