"""Matchers: the text by which a group or a hook of Claude Code's family selects events."""

from __future__ import annotations

from hookline.errors import ConfigError
from hookline.text.regex import compile_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.core.dialect import EventRow
    from hookline.model.conditions import Condition
    from hookline.text.re2_regex import Regex
    from hookline.wire.fields import Node


NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
# For hosts where hyphens are part of a name, and commas and blanks may separate names.
NAMES = NAME | frozenset("- ,|")


def read_conditions(
    node: Node,
    row: EventRow,
    read: Callable[[Node, EventRow], tuple[Condition, ...]],
    key: str = "matcher",
) -> tuple[Condition, ...] | None:
    """Return the conditions that the text under a key demands, read by `read`.

    None and a problem if it cannot be read.

    Raises:
        ConfigError: `config.too-large`; the expressions of the file need too much memory.
    """
    try:
        return read(node, row)
    except ConfigError as error:
        if error.name == "config.too-large":  # the whole file is then too large
            raise
        node.complain(error.name, error.message, key, hint=error.hint)
        return None


def read_regex(node: Node, key: str, text: str, what: str) -> Regex | None:
    """Return the expression under a key, compiled; None and a problem if it is invalid.

    `what`: the noun for it.
    """
    if "\b" in text:
        hint = "in double quotes `\\b` is that control character; write the text in single quotes"
        why = f"{what} has a backspace in it"
        node.complain("matcher.control", why, key, hint=hint, severity="warning")
    try:
        return compile_regex(text)
    except ConfigError as error:
        node.complain(error.name, f"{what}: {error.message}", key, hint=error.hint)
        return None


def is_ignored(node: Node, row: EventRow, *, runs: str = "the hooks of this group run") -> bool:
    """Return whether the event has no value to compare a matcher with; file a problem if so.

    `runs`: what still runs.
    """
    if row.subject:
        return False
    hint = f"leave it out; {runs} on every such event"
    node.complain(
        "matcher.ignored",
        f"`{row.native}` has no matcher, so this one is ignored",
        "matcher",
        hint=hint,
        severity="warning",
    )
    return True


def list_exact_names(text: str, alphabet: frozenset[str] = NAMES) -> frozenset[str] | None:
    """Return the exact names that a text of this alphabet lists, between `|` or commas.

    None if it is an expression.
    """
    if not alphabet.issuperset(text):
        return None
    return frozenset(name.strip() for name in text.replace(",", "|").split("|")) - {""}
