"""Parts of a prompt: the author's text, and the event's values, shortened to fit the limit."""

from __future__ import annotations

from hookline.errors import HandlerError
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

_CUT = (
    "\n\n[What was quoted of the event is longer than fits in here. It was cut where `{mark}` is."
    " Do not approve what you cannot see.]"
)
_MARK = "…[{missing:,} characters cut off]"


class Faults(Frozen):
    """The faults of a template: `error` with a `hint`.

    And `fields`, the payload's fields that it names.
    """

    error: str = ""
    hint: str = ""
    fields: tuple[str, ...] = ()


class Inserted(str):
    """A part of a prompt that comes from the event.

    `missing`: how many characters were cut off already.
    """

    __slots__ = ("missing",)
    missing: int

    def __new__(cls, text: str, missing: int = 0) -> Self:
        made = super().__new__(cls, text)
        made.missing = missing
        return made

    def __str__(self) -> str:
        return self  # templates convert each part to text, and it must stay an `Inserted`


def fit_parts(parts: Iterable[str], most: int) -> str:
    """Join the parts of a prompt.

    Shorten the event's parts to fit, and tell the model where text is missing.

    Raises:
        HandlerError: the author's parts alone are longer than `most` characters.
    """
    kept = list(parts)
    room = most - sum(len(part) for part in kept if not isinstance(part, Inserted))
    if room < 0:
        raise HandlerError(
            f"the prompt is longer than {most:,} characters without what it quotes of the event"
        )
    bound = _bound([len(part) for part in kept if isinstance(part, Inserted)], room)
    text = "".join(_cut(part, bound) if isinstance(part, Inserted) else part for part in kept)
    cut = any(isinstance(part, Inserted) and (part.missing or len(part) > bound) for part in kept)
    return text + _CUT.format(mark=_MARK[0]) if cut else text


def _bound(lengths: list[int], room: int) -> int:
    """Return how long each part may be so that all of them fit; shorter ones stay as they are."""
    for left, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        if length * left > room:
            return room // left
        room -= length
    return max(lengths, default=0)


def _cut(part: Inserted, bound: int) -> str:
    missing = part.missing + max(0, len(part) - bound)
    return part[:bound] + _MARK.format(missing=missing) if missing else part[:]
