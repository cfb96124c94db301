"""Matchers: the text by which a group or a hook of Claude Code's family selects events."""

from __future__ import annotations

from hookline.errors import ConfigError
from hookline.text.regex import compile_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.model.conditions import Condition
    from hookline.text.re2_regex import Regex
    from hookline.wire.fields import Node


NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
# For hosts where hyphens are part of a name, and commas and blanks may separate names.
NAMES = NAME | frozenset("- ,|")


def read_conditions(
    node: Node, read: Callable[[], tuple[Condition, ...]], key: str
) -> tuple[Condition, ...] | None:
    """Return the conditions that the text under a key demands.

    None and a problem if `read` cannot read it.

    Raises:
        ConfigError: `config.too-large`; the expressions of the file need too much memory.
    """
    try:
        return read()
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


def list_exact_names(text: str, alphabet: frozenset[str] = NAMES) -> frozenset[str] | None:
    """Return the exact names that a text of this alphabet lists, between `|` or commas.

    None if it is an expression.
    """
    if not alphabet.issuperset(text):
        return None
    return frozenset(name.strip() for name in text.replace(",", "|").split("|")) - {""}
