"""Matchers: what is alike in how the hosts of Claude's family read the text by which a group or a hook selects events."""

from __future__ import annotations

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from hookline.core.dialect import Row
    from hookline.model.conditions import Condition
    from hookline.wire.fields import Node

    AnyRow = TypeVar("AnyRow", bound=Row)

EVERYTHING = ("", "*")
NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
# Where hyphens are part of a name, and commas and blanks may stand between names.
NAMES = NAME | frozenset("- ,|")


def conditions(
    node: Node,
    row: AnyRow,
    read: Callable[[Node, AnyRow], tuple[Condition, ...]],
    key: str = "matcher",
) -> tuple[Condition, ...] | None:
    """What the text under a key demands, as `read` understands it; None, and a complaint, where it cannot be understood.

    Raises:
        ConfigError: `config.too-large`; the expressions of the file spent their budget.
    """
    try:
        return read(node, row)
    except ConfigError as error:
        if error.name == "config.too-large":  # so is the file, and nothing else of it counts
            raise
        node.complain(error.name, error.message, key, hint=error.hint)
        return None


def is_ignored(node: Node, row: Row, *, runs: str = "the hooks of this group run") -> bool:
    """Whether the event has nothing to compare a matcher with, which is complained about. `runs`: what runs all the same."""
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


def listed(text: str, alphabet: frozenset[str] = NAMES) -> frozenset[str] | None:
    """The exact names that a text of this alphabet alone lists, between `|` or commas; None: it is an expression."""
    if not alphabet.issuperset(text):
        return None
    return frozenset(name.strip() for name in text.replace(",", "|").split("|")) - {""}
