"""What a rule finds in one call (`Hit`), and the type of a rule."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeAlias

    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call

    Rule: TypeAlias = "Callable[[Call, Context], Iterator[Hit]]"
    Rules: TypeAlias = Mapping[str, Rule]


class Hit(NamedTuple):
    """A call that breaks a rule.

    Attributes:
        rule: the id of the rule.
        reason: what the call does, as a sentence without a full stop.
        instead: a safer alternative, as a phrase.
        paths: the absolute paths that it is about.
    """

    rule: str
    reason: str
    instead: str = ""
    paths: tuple[str, ...] = ()
